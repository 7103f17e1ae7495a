"""One open project, and the only way to change it; no Qt, no SQL.

Why one door: a judgment is committed before anyone is told of it, so a crash between
two panels can lose a repaint but never a judgment. History is read from the steps in
the file, so Undo goes on after the project was closed and opened again.

The modules at this level are what a session is made of: commands and the jobs that do
them, material, judgments folded by a view, pools, values. The rooms hold what is done
with an open session and what it is asked:

* ``imports`` and ``exports``: files of others, in and out;
* ``queues``: in which order documents come, and what is left;
* ``finding``: filters, saved views, one's own judgments;
* ``aids``: guidelines, term sets, language, pictures, what is hidden in blind mode;
* ``edits``: many judgments at once, another scale, material by hand;
* ``whatifs`` and ``comparing``: rankings that might be, and rankings against each other;
* ``effort``: how long judging took;
* ``safety``: history, backups, recovery.

What a project keeps besides judgments and material is a JSON value under a key, written
by :class:`~judgetool.session.commands.SetValues` (what-ifs, snapshots, pools, orders,
saved views, guidelines, …), rather than a table for each: so all of it is logged, undone
and recovered by the one way that judgments are, and an older program carries along what
it does not know.
"""
