"""The project file: one SQLite database, reached through apsw.

Belongs here: SQL, connections, the writer thread, migrations, soundness checks.
Does not: rules of the domain (core), undo logic and listeners (session).

Why apsw: it brings its own recent SQLite (the WAL-reset bug is fixed since 3.51.3)
and can switch DEFENSIVE on. It is the only SQLite library in the process: two of
them, or an ``open().close()`` of the file, break each other's locks and lose
acknowledged rows. So nothing outside this package opens the file.

Why a step for every change: rows that an import brings carry the number of its
step and are seen only while that step is ``done``. An import written in small
chunks thus becomes visible as a whole in one last short transaction, a killed one
leaves nothing that can be seen, and undo is a change of one word.

Why one writer at a time, machine-wide: SQLite would let two processes write in
turn, but each would show its person a state that is no longer true. The second
one can read (``ProjectBusyError`` says who writes).

Why a safety log and backups outside the project's folder: SQLite cannot help against a
file that was deleted, overwritten by a program that keeps folders in step, or put on a
dying disk. After each commit the writer hands what is new in the event log to the
``Keeper``, which has it on another file before the judgment is acknowledged.
"""
