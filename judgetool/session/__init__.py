"""One open project, and the only way to change it; no Qt, no SQL.

Why one door: a judgment is committed before anyone is told of it, so a crash between
two panels can lose a repaint but never a judgment. History is read from the steps in
the file, so Undo goes on after the project was closed and opened again.

One path leads from a wish to everybody who must know of it: a command (``commands``)
becomes a job (``jobs``) that the writer commits, :meth:`Session.take_in` brings memory in
step and tells the listeners. Undo, redo and imports end in the same place, also where
another thread has written them (``loading``). What a feature keeps of a session is an
object that the session owns (:meth:`Session.owned`).

* ``material``, ``pool``, ``board``: what is there, who said what of it,
  what is to be judged, and the values that follow;
* ``opening``, ``safety``, ``history``: making, opening, checking and recovering projects;
* ``edits``, ``reading_aids``, ``effort``: what is done and seen while judging;
* ``asked`` and ``team``: what is asked of whom, how far several agree, and how their copies come together;
* ``imports`` and ``exports``: files of others, in and out;
* ``queue`` and ``finding``: in which order documents come, and which are looked for;
* ``whatifs``, ``comparing`` and ``systems``: rankings that might be, rankings against each other,
  and what of both is chosen for a comparison;
* ``deciding`` and ``simulating``: judging until a question is answered, and what that would have cost;
* ``charts``: what several of these draw.

What a project keeps besides judgments and material is a JSON value under a key, written
by :class:`~judgetool.session.commands.SetValues` (what-ifs, snapshots, pools, orders,
saved views, guidelines, …), rather than a table for each: so all of it is logged, undone
and recovered by the one way that judgments are, and an older program carries along what
it does not know.
"""
