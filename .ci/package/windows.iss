; Inno Setup 6: an installer for Windows of the folder that build.py makes there.
;
;   iscc /DVersion=0.3.0 /DFolder=C:\out\dist\judgetool windows.iss
;
; Written by Inno Setup's documentation and never run: there was no Windows to run it on. What to look at
; when it is: that both programs start, that a double click on a project opens it with the icon, that an
; update over an older version leaves no file of that, and that removing it leaves people's own folders.

#ifndef Version
  #error Version is wanted: /DVersion=0.3.0
#endif
#ifndef Folder
  #error Folder is wanted: /DFolder=...\dist\judgetool
#endif

[Setup]
; Tells later versions what they replace; never to be changed.
AppId=judgetool
AppName=judgetool
AppVersion={#Version}
AppPublisher=The judgetool developers
DefaultDirName={autopf}\judgetool
DefaultGroupName=judgetool
DisableProgramGroupPage=yes
LicenseFile={#Folder}\licences\LICENSE
; For oneself, or for all who use the machine: the person chooses.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2/max
SolidCompression=yes
ChangesAssociations=yes
OutputBaseFilename=judgetool-{#Version}-windows-x64
UninstallDisplayIcon={app}\judgetool-window.exe
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"
Name: "ru"; MessagesFile: "compiler:Languages\Russian.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[InstallDelete]
; Nothing of an older version stays, where a part has left.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Folder}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{autoprograms}\judgetool"; Filename: "{app}\judgetool-window.exe"
Name: "{autodesktop}\judgetool"; Filename: "{app}\judgetool-window.exe"; Tasks: desktopicon

[Registry]
Root: HKA; Subkey: "Software\Classes\.judge\OpenWithProgids"; ValueType: string; ValueName: "judgetool.project"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\judgetool.project"; ValueType: string; ValueData: "judgetool project"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\judgetool.project\DefaultIcon"; ValueType: string; ValueData: "{app}\judgetool-window.exe,0"
Root: HKA; Subkey: "Software\Classes\judgetool.project\shell\open\command"; ValueType: string; ValueData: """{app}\judgetool-window.exe"" open -- ""%1"""
Root: HKA; Subkey: "Software\Classes\Applications\judgetool-window.exe\SupportedTypes"; ValueType: string; ValueName: ".judge"; ValueData: ""; Flags: uninsdeletekey
