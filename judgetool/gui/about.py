"""Which version this is and whose work it stands on, and a text with which to report a problem."""

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from judgetool import __version__
from judgetool.core.folders import data_folder
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.error_report import LOG_NAME, versions
from judgetool.gui.fonts import Role, font, scaled

_ABOUT = "Works offline; nothing leaves this machine. MIT licence. The sample is CC0."
_NOTICES = (
    ("Qt and Qt for Python (PySide6)", "© The Qt Company and others, LGPL 3: you may replace them"),
    ("Python", "Python Software Foundation licence"),
    ("SQLite with apsw", "public domain; apsw: any OSI licence"),
    ("NumPy, SciPy, pandas", "BSD"),
    ("Apache Arrow (pyarrow)", "Apache 2.0"),
    ("click, platformdirs, rich, openpyxl, python-calamine", "BSD and MIT"),
    ("charset-normalizer, RapidFuzz", "MIT"),
    ("google-re2, zstandard, snowballstemmer", "BSD"),
    ("defusedxml", "Python Software Foundation licence"),
    ("Lucide icons", "ISC"),
)
_LICENCES = "Their licences in full come with each package, in its folder dist-info."
_QUESTIONS = "What did you do?\n\n\nWhat happened?\n\n\nWhat did you expect?\n\n\nHow can it be seen again?\n\n"


class AboutDialog(ActDialog):
    """Version, licence, and notices of what judgetool is built on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(f"judgetool {__version__}", verb="Close", width=600, parent=parent)
        self.cancel.hide()
        self.body.addWidget(Text(f"{versions().partition(chr(10))[2]}", ink="text2"))
        self.body.addWidget(Text(_ABOUT))
        self.body.addWidget(Text("Built on", role=Role.UI_STRONG))
        for name, licence in _NOTICES:
            self.body.addWidget(Text(f"{name} – {licence}", role=Role.META, ink="text2"))
        self.body.addWidget(Text(_LICENCES, role=Role.META, ink="text3"))
        self.body.addStretch(1)


def report_text() -> str:
    """Return what a report of a problem begins with: questions, versions, where the log is."""
    log = data_folder() / LOG_NAME
    where = str(log) if log.is_file() else f"{log} (not there: nothing was logged)"
    return f"{_QUESTIONS}\n{versions()}\nLog: {where}\n"


class ReportDialog(ActDialog):
    """A text to fill in and to copy. Nothing is sent.

    Attributes:
        text: the report.
        copy: puts it on the clipboard.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Report a problem", verb="Close", width=700, parent=parent)
        self.cancel.hide()
        self.body.addWidget(
            Text(
                "Nothing is sent. Fill in what you know, copy the text, and give it to whoever "
                "looks after judgetool for you, with the log if they ask for it. Read both first if "
                "your texts are confidential.",
                ink="text2",
            )
        )
        self.text = QPlainTextEdit(report_text())
        self.text.setProperty("framed", "true")
        self.text.setFont(font(Role.UI))
        self.text.setMinimumHeight(scaled(300))
        self.text.setAccessibleName("Report")
        self.body.addWidget(self.text, stretch=1)
        self.copy = QPushButton("Copy")
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._copy)
        self.add_to_foot(self.copy)
        self.first = self.text

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.show_remark(f"Copied, with the versions of judgetool and Qt {qVersion()}.")
