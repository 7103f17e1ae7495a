"""Commands for scripts and people at a terminal.

Belongs here: what each command is called, its options, its sentences and its exit
codes. Does not: reading files (formats), numbers (metrics), changing a project
(session). Nothing here loads Qt unless a window is to be opened, and ``score`` over
files loads neither SQLite nor pandas, so that it starts in a fraction of a second.
"""
