"""One open project, and the only way to change it.

Belongs here: commands, undo, reading through one door, pools, telling listeners.
Does not: SQL (storage), arithmetic (metrics), anything of Qt (gui).

Why one door: a judgment is committed before anyone is told of it, so a crash
between two panels can lose a repaint but never a judgment. History is read from the
steps in the file, so Undo goes on after the project was closed and opened again.
"""
