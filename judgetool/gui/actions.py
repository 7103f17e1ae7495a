"""The table of actions: what can be done, in which menu, by which keys, and what does it.

Menus, keys, tooltips and the page of keys are all made from it. Under the title of each menu its
actions stand in order, a row each; ``Judge ▸ Go to`` is a menu in another one, at that place: it
keeps the other one within a low screen. A row has name, keys in Qt's portable spelling (the first
is shown), column of the page of keys, how it is, text. How it is:

- ``list``, ``focus``, ``whatif``, ``compare``, ``agreement``, ``settle``,
  ``judging`` (list and focus): the views in
  which it can be done; none of them is all of them.
- ``always``: it makes sense without a project, too.
- ``line``: a line stands above it in its menu.
- ``judges``: it changes judgments, so that a read-only project lacks it.
- ``switch``: it is on or off; what does it is told which, after its value if it has one.
- ``held``: a key held down does it again and again.
- ``reveals``: it shows what blind mode hides, so that it is closed there.
- ``team``: it shows what each of several has said, so that it is closed to who is asked something.
- ``leads``: in a team's hub only who leads it does it.
- ``leaves``: it leaves the machine, so that it is closed where the administrator forbids that.
- ``blinds``: the administrator may have decided about it.

Under a row may stand what the page of keys says instead of its text, and what does it: a
path of attributes from the window, perhaps with a value. Else the method of its name of
its group's handler does it: ``judge.note`` is done by ``judge_handler.note``.

The views themselves, what the middle of the window can show, are named here, too.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from judgetool.wording import N_, _


class Mode(StrEnum):
    """A view; its value is the name under which it is remembered."""

    LIST = "list"
    FOCUS = "focus"
    WHATIF = "whatif"
    COMPARE = "compare"
    AGREEMENT = "agreement"
    SETTLE = "settle"


JUDGING_MODES = (Mode.LIST, Mode.FOCUS)
GRADING_MODES = (*JUDGING_MODES, Mode.SETTLE)
"""The views in which the keys of grades give grades."""
TEAM_MODES = (Mode.AGREEMENT, Mode.SETTLE)
"""Views of what each of several assessors has said."""


_TABLE = """
Project
project.new                 | Ctrl+N                |         | always              | New…
project.open                | Ctrl+O                |         | always              | Open…
project.sample              |                       |         | always              | Try the sample
project.sample_afresh       |                       |         | always              | Start the sample afresh…
project.close               | Ctrl+W                |         |                     | Close project
    does: leave_project
project.import_files        | Ctrl+I                | Project | line always         | Import…
project.export_files        | Ctrl+E                | Project |                     | Export…
project.merge               |                       |         |                     | Merge…
hub.show                    |                       |         | always leaves       | Team hub…
project.save_copy           | Ctrl+Shift+S          |         |                     | Save a copy…
    does: judge_handler.save_copy
project.scale               |                       |         | line                | Scale…
project.measures            |                       |         |                     | Measures…
project.conventions         |                       |         |                     | Conventions…
project.blind               |                       |         |                     | Who must judge blind…
project.runs                |                       |         |                     | Runs…
project.rename              |                       |         |                     | Rename…
    keys page: Rename this project
project.pictures            |                       |         |                     | Pictures elsewhere…
project.safety              |                       |         | line                | Safety copies…
repair.check                |                       |         | always              | Check & repair…
repair.restore              |                       |         | always              | Restore a backup…
repair.recover              |                       |         | always              | Recover…
Project ▸ Queries and documents
material.add_query          | Ctrl+Shift+N          | Project | judges              | Add a query…
material.edit_query         | Ctrl+Shift+E          | Project | judges              | Edit this query…
    keys page: Edit this query, its need too
material.add_document       | Ctrl+Shift+D          | Project | judges              | Judge another document…
    keys page: Judge a document that no run has
material.edit_document      |                       |         | judges              | Edit this document…
Project
project.quit                | Ctrl+Q                |         | always line         | Quit
    does: close
Edit
edit.undo                   | Ctrl+Z                | Grade   | held                | Undo
    keys page: Undo, across queries
edit.redo                   | Ctrl+Shift+Z Ctrl+Y   | Grade   | held                | Redo
edit.history                | Ctrl+H                | Grade   |                     | History…
edit.go_to                  | Ctrl+G                | Move    | line                | Go to query or document…
edit.command                | Ctrl+P                | Move    | always              | Find a command…
    keys page: Find a command by name
edit.copy_values            |                       |         | reveals             | Copy the live values as a table
edit.copy_explanation       |                       |         | reveals             | Copy the explanation as a table
edit.find                   | Ctrl+F                | Read    | line                | Find in document
    does: workspace.document.focus_find
edit.filter                 | /                     | Move    |                     | Filter queries
view.preferences            | Ctrl+,                | View    | always line         | Preferences…
filter.documents            | Ctrl+Shift+F          | Move    | list                | Filter documents
    does: workspace.results.focus_filter
filter.unjudged             | Ctrl+U                | Move    | list                | Only unjudged documents
    keys page: Only unjudged documents, or all
    does: workspace.results.tools.unjudged.click
filter.clear                | Ctrl+Shift+U          | Move    |                     | Clear filters
filter.save_queries         |                       |         |                     | Save the queries’ filters as a view…
    does: filter_handler.save(queries)
filter.save_documents       |                       |         |                     | Save the documents’ filters as a view…
    does: filter_handler.save(documents)
filter.views                | Ctrl+Shift+V          | Move    |                     | Saved views…
Judge
judge.clear                 | Del Backspace         | Grade   | judging line judges | Back to unjudged
    does: judge_handler.say(clear)
judge.cannot                | X                     | Grade   | judging judges      | Cannot judge…
    keys page: Cannot judge, with a reason
judge.skip                  | S                     | Grade   | judging judges      | Skip for later
judge.flag                  | F                     | Grade   | judging judges      | Flag for discussion
    does: judge_handler.say(toggle_flag)
judge.note                  | E                     | Grade   | judging judges      | Note…
Judge ▸ How sure
flow.unsure                 | Alt+1                 | Grade   | judging judges      | Unsure of this judgment
    keys page: Unsure
    does: flow_handler.say_confidence(1)
flow.fairly_sure            | Alt+2                 | Grade   | judging judges      | Fairly sure of this judgment
    keys page: Fairly sure
    does: flow_handler.say_confidence(2)
flow.sure                   | Alt+3                 | Grade   | judging judges      | Sure of this judgment
    keys page: Sure; the same key again says nothing
    does: flow_handler.say_confidence(3)
Judge ▸ Go to
judge.next_unjudged         | N                     | Move    | judging             | Next unjudged, anywhere
    does: view.judging.move_to_next_unjudged
judge.next_document         | J                     | Move    | judging held        | Next document
    does: view.judging.move_by(1)
judge.previous_document     | K                     | Move    | judging held        | Previous document
    does: view.judging.move_by(-1)
judge.first_document        | Home                  | Move    | judging             | First document
    does: judge_handler.go_to_end(first)
judge.last_document         | End                   | Move    | judging             | Last document
    does: judge_handler.go_to_end(last)
judge.previous_query        | [                     | Move    | line                | Previous query
    does: view.judging.move_query_by(-1)
judge.next_query            | ]                     | Move    |                     | Next query
    does: view.judging.move_query_by(1)
Judge
judge.advance               | Ctrl+M                | Grade   | line switch         | Move on after grading
    keys page: Move on after grading: on, off
judge.view                  |                       |         | line reveals        | Judgments that count…
judge.assessor              |                       |         |                     | Assessor…
queue.select_all            | Ctrl+A                | Grade   | list line           | Select all documents
    keys page: Select all; a grade key then asks
queue.grade_below           | Ctrl+Shift+B          | Grade   | list judges         | Grade all unjudged below…
    does: judge_handler.grade_below
queue.choose                | Ctrl+J                | Move    | line                | Queue…
queue.ask                   |                       |         | judges              | Ask assessors…
queue.hand_over             |                       |         | judges team         | Hand over…
hub.take                    |                       |         | judges              | Take documents to judge…
queue.statistics            | Ctrl+T                | Project | reveals team        | Statistics…
flow.review                 | Ctrl+R                | Move    | line                | Review my judgments…
flow.blind                  | B                     | View    | judging agreement settle line switch blinds | Blind mode
flow.pace                   |                       |         |                     | Pace, goal and breaks…
flow.practice               |                       |         | switch judges       | Practice: show known answers after one’s own
Read
view.read_on                | Space                 | Read    | judging held        | Whole text, then page down
    does: workspace.document.read_on
read.whole                  |                       |         | switch              | Long texts whole at once
    does: view_handler.prefer(read.whole)
read.join                   |                       |         | switch              | Join lines that were broken by hand
    does: view_handler.prefer(read.join)
view.highlights             | H                     | Read    | line switch         | Mark query terms
    keys page: Highlights on, off
    does: view_handler.prefer(view.highlights)
read.next_mark              | .                     | Read    | judging held        | Next highlight
    does: workspace.document.text.marks.go_to_mark(1)
read.previous_mark          | ,                     | Read    | judging held        | Previous highlight
    does: workspace.document.text.marks.go_to_mark(-1)
read.next_set               | U                     | Read    | judging             | Own term sets in turn
    keys page: Own term sets: all, each, none
read.term_sets              |                       |         |                     | Term sets…
read.language               |                       |         |                     | Language of the texts…
read.address                |                       |         | line                | Open or copy the address…
read.sentence               | T                     | Read    | judging line held   | Select the sentence, then the next one too
    keys page: Select the sentence, one more
    does: workspace.document.text.select_sentence
read.less                   | Shift+T               | Read    | judging held        | Select one sentence less
    does: workspace.document.text.unselect_sentence
read.rationale              | Y                     | Grade   | judging judges      | Keep what is selected as rationale, or drop it
    keys page: Rationale: keep it, drop it
read.caret                  | F7                    | Read    | judging switch      | Caret for selecting by keyboard
view.larger                 | Ctrl++ Ctrl+=         | Read    | line                | Larger text
    does: workspace.document.zoom(1)
view.smaller                | Ctrl+-                | Read    |                     | Smaller text
    does: workspace.document.zoom(-1)
read.normal                 | Ctrl+0                | Read    |                     | Normal size of the text
    does: workspace.document.zoom(0)
read.width                  | W                     | Read    | judging             | Line width in turn
    keys page: Lines narrow, standard, wide
read.colour                 | P                     | Read    | judging             | Page colour in turn
    keys page: Page: window, light, dark, sepia
view.levels                 | D                     | Read    | line                | What each level means
view.need                   | I                     | Read    |                     | Whole query and need
    does: view_handler.unfold_need
read.guidelines             | G                     | Read    |                     | Guidelines
read.write_guidelines       |                       |         |                     | Write the project’s guidelines…
read.write_query_guidelines |                       |         |                     | Write guidelines for this query…
View
view.list                   | Ctrl+1                | View    |                     | List
    does: view_handler.show(list)
view.focus                  | Ctrl+2                | View    |                     | Focus on one document
    does: view_handler.show(focus)
view.list_or_focus          | V                     | View    | judging             | List or focus
view.next_panel             | F6                    | Move    |                     | Next panel
    does: view_handler.go_to_panel(1)
view.previous_panel         | Shift+F6              | Move    |                     | Previous panel
    does: view_handler.go_to_panel(-1)
view.next_run               | R                     | View    | line reveals        | Next run
view.scores                 |                       |         | switch reveals      | Scores
    does: view_handler.prefer(view.scores)
view.queries                | Q                     | View    | switch              | Queries
view.live                   | L                     | View    | switch reveals      | Live values
view.float_queries          |                       |         | switch              | Queries in a window of their own
    does: docks.queries.setFloating
view.float_live             |                       |         | switch reveals      | Live values in a window of their own
    does: docks.side.setFloating
view.explain                | =                     | View    | switch reveals      | Explain the value
view.theme                  | Ctrl+D                | View    | always line         | Light or dark
    keys page: Light, dark
view.contrast               | Ctrl+Alt+C            | View    | always switch       | High contrast
view.text_larger            | Ctrl+Alt+= Ctrl+Alt++ | View    | always line         | Larger text everywhere
    does: view_handler.step_text(1)
view.text_smaller           | Ctrl+Alt+-            | View    | always              | Smaller text everywhere
    does: view_handler.step_text(-1)
view.text_normal            | Ctrl+Alt+0            | View    | always              | Normal size of text everywhere
    does: view_handler.step_text(0)
view.compact                |                       |         | line switch         | Compact rows
    does: view_handler.choose_density(compact)
view.standard               |                       |         | switch              | Standard rows
    does: view_handler.choose_density(standard)
view.roomy                  |                       |         | switch              | Roomy rows
    does: view_handler.choose_density(roomy)
view.follow_system          |                       |         | always              | Follow the system’s colours
    does: choose_theme(system)
What-if
whatif.show                 | Ctrl+3                | What-if | reveals             | What-if view
    does: view_handler.show(whatif)
whatif.new                  |                       |         | line reveals        | New what-if…
    does: whatif_handler.show_and(new)
whatif.fuse_runs            |                       |         | reveals             | New what-if of runs fused…
    does: whatif_handler.show_and(fuse_runs)
whatif.change_fusion        |                       |         | whatif              | Weights and k of the fusion…
    does: whatif_handler.page.acts.change_fusion
whatif.rename               |                       |         | whatif              | Rename…
    does: whatif_handler.page.acts.rename
    keys page: Rename this what-if
whatif.copy                 |                       |         | whatif              | Copy…
    does: whatif_handler.page.acts.copy
whatif.note                 |                       |         | whatif              | Note on the what-if…
    does: whatif_handler.page.acts.note
whatif.delete               |                       |         | whatif              | Delete what-if
    does: whatif_handler.page.acts.delete
whatif.up                   | Alt+Up                | What-if | whatif line held    | One rank up
    does: whatif_handler.page.move_by(-1)
whatif.down                 | Alt+Down              | What-if | whatif held         | One rank down
    does: whatif_handler.page.move_by(1)
whatif.to_top               | T                     | What-if | whatif              | To the top
    does: whatif_handler.page.move_to(1)
whatif.to_rank              | M                     | What-if | whatif              | To rank…
    keys page: To a rank
whatif.swap                 | W                     | What-if | whatif              | Swap with rank…
    keys page: Swap with a rank
whatif.pin                  | P                     | What-if | whatif              | Pin, or let go
    does: whatif_handler.page.toggle_pin
whatif.remove               | Del                   | What-if | whatif              | Take out
    does: whatif_handler.page.remove
whatif.insert               | Ins                   | What-if | whatif              | Insert a document…
    does: whatif_handler.page.acts.insert
whatif.clear_assumed        | Backspace             | What-if | whatif              | Assume no grade
    does: whatif_handler.page.assume(None)
whatif.sort_by_grade        | O                     | What-if | whatif line         | Sort by grade
    does: whatif_handler.page.ranking.sort_by_grade
whatif.take_order           |                       |         | whatif              | Order of another run…
    does: whatif_handler.page.acts.take_order
whatif.fuse                 |                       |         | whatif              | Fuse with another run…
    does: whatif_handler.page.acts.fuse
What-if ▸ Rules
whatif.rules                |                       |         | whatif              | Rules…
    does: whatif_handler.page.acts.rules
whatif.save_rules           |                       |         | whatif              | Save rules…
    does: whatif_handler.page.acts.save_rules
whatif.load_rules           |                       |         | whatif              | Rules from a file…
    does: whatif_handler.page.acts.load_rules
What-if
whatif.numbers              | N                     | What-if | whatif line         | Every number of this measure
    keys page: Every number of a measure: bounds of old, new, change
    does: whatif_handler.page.values.show_numbers
whatif.undo_move            | U                     | What-if | whatif              | Undo move
    keys page: Undo the last move of this query
    does: whatif_handler.page.ranking.take_back
whatif.start_again          |                       |         | whatif              | Start this query again
    does: whatif_handler.page.ranking.start_again
whatif.against              |                       |         | line reveals        | Compare with…
    does: whatif_handler.show_and(against)
whatif.export               |                       |         | whatif              | Export as run…
    does: whatif_handler.page.acts.export
Compare
compare.show                | Ctrl+4                | Compare | reveals             | Compare view
    does: view_handler.show(compare)
compare.systems             | Y                     | Compare | compare line        | Systems…
    keys page: Choose runs, what-ifs, snapshots
    does: compare_handler.page.acts.choose_systems
compare.measures            | Shift+M               | Compare | compare             | Measures shown…
    keys page: Choose the measures of the table
    does: compare_handler.page.acts.choose_measures
compare.queries             | Shift+Q               | Compare | compare             | Queries compared…
    keys page: Choose the queries compared
    does: compare_handler.page.acts.choose_where
Compare ▸ This run
compare.baseline            | B                     | Compare | compare             | Make it the baseline
    does: compare_handler.page.make_baseline
compare.beside              | A                     | Compare | compare             | Keep it side by side, or not
compare.rename              | F2                    | Compare | compare             | Rename it…
    keys page: Rename
    does: compare_handler.page.acts.rename
compare.change_fusion       |                       |         | compare             | Weights and k of the fusion…
    does: compare_handler.page.acts.change_fusion
compare.delete              | Del                   | Compare | compare             | Take it out of the project…
    does: compare_handler.page.acts.delete
Compare
compare.testing             | Shift+T               | Compare | compare             | How differences are tested…
    keys page: Test, correction, family
    does: compare_handler.page.acts.choose_testing
compare.numbers             | N                     | Compare | compare             | Every number of this
    keys page: Every number of a cell or query
    does: compare_handler.page.show_numbers
compare.sort                | O                     | Compare | compare             | Order by this column
    does: compare_handler.page.sort
compare.rankings            | K                     | Compare | compare line        | Rankings side by side
    does: compare_handler.page.show_part(rankings)
compare.curves              | C                     | Compare | compare             | Curves
    does: compare_handler.page.show_part(curves)
compare.explain             | X                     | Compare | compare             | Explain value and difference
    does: compare_handler.page.show_part(explain)
compare.next                | W                     | Compare | compare             | What to judge next
    does: compare_handler.page.show_part(next)
compare.differences_first   | F                     | Compare | compare             | Differences first
    does: compare_handler.page.query.differences.click
compare.all_queries         | U                     | Compare | compare             | Curves of this query, or of all
    does: compare_handler.page.query.toggle_scope
compare.judge               | J                     | Compare | compare line judges | Judge what is at stake
    does: compare_handler.page.judge_next
compare.decide              | Ctrl+L                | Compare | judging compare line judges | Decide which run is better…
    keys page: Decide which run is better
    does: compare_handler.page.decider.ask
compare.decide_on           | Ctrl+Shift+L          | Compare | judging compare judges | Go on deciding
    does: compare_handler.page.decider.go_on
compare.stop_judging        |                       |         | judging compare     | Judge as before again
compare.cancel              |                       |         | compare             | Stop computing
    does: compare_handler.page.compared.cancel
compare.moments             | T                     | Compare | compare line switch | Values as of a moment
    does: compare_handler.page.moments.set_shown
compare.snapshot            | P                     | Compare | compare             | Snapshot…
    keys page: Take a snapshot
    does: compare_handler.page.acts.take_snapshot
compare.snapshots           | Shift+P               | Compare | compare             | Snapshots…
    keys page: Compare or delete snapshots
    does: compare_handler.page.acts.snapshots
compare.agreement           | M                     | Compare | compare             | Orders…
    does: compare_handler.page.acts.agreement
compare.export_chart        | Shift+C               | Compare | compare line        | Export chart…
    keys page: Export the chart
    does: compare_handler.page.acts.export_chart
compare.save_table          | Shift+S               | Compare | compare             | Save table…
    keys page: Save the table
    does: compare_handler.page.save_table
compare.report              | Ctrl+Shift+R          | Compare | reveals             | Report…
    does: compare_handler.page.acts.report
Team
agreement.show              | Ctrl+5                | Team    | reveals team        | Agreement view
    does: view_handler.show(agreement)
agreement.counts            | C                     | Team    | agreement line      | Let the assessor count, or not
    keys page: The assessor counts, or not
agreement.assessors         | A                     | Team    | agreement line      | Assessors
    does: agreement_handler.page.show_upper(assessors)
agreement.pairs             | P                     | Team    | agreement           | Agreement by pair
    does: agreement_handler.page.show_upper(pair)
agreement.queries           | Y                     | Team    | agreement           | Agreement by query
    does: agreement_handler.page.show_upper(query)
agreement.levels            | E                     | Team    | agreement           | Agreement by level
    does: agreement_handler.page.show_upper(level)
agreement.choose_queries    | O                     | Team    | agreement           | Queries…
    keys page: Agreement over some queries
agreement.confusion         | K                     | Team    | agreement line      | Grades against the others’
    does: agreement_handler.page.show_confusion
agreement.drift             | T                     | Team    | agreement           | Drift
    does: agreement_handler.page.show_detail(drift)
agreement.documents         | F                     | Team    | agreement           | Documents of the cell
    does: agreement_handler.page.show_detail(documents)
settle.show                 | Ctrl+6                | Team    | line reveals team leads | Settle view
    does: view_handler.show(settle)
settle.take_view            | Return Enter          | Team    | settle line judges  | Settle as the view has it
settle.cannot               | X                     | Team    | settle judges       | Settle as ‘cannot judge’
settle.reason               | E                     | Team    | settle judges       | Reason…
    keys page: Reason, kept with what is settled
settle.names                | A                     | Team    | settle switch       | Who said it
    does: settle_handler.page.show_names
settle.later                | S                     | Team    | settle              | Later
    keys page: Settle it later
    does: settle_handler.page.put_off
settle.third                | Shift+Return Shift+Enter | Team | settle judges       | Ask a third person
settle.next                 | J                     | Team    | settle line held    | Next dispute
    does: settle_handler.page.step(1)
settle.previous             | K                     | Team    | settle held         | Previous dispute
    does: settle_handler.page.step(-1)
settle.read_on              | Space                 | Team    | settle held         | Page down in the document
    does: settle_handler.page.document.page_down
settle.in_list              | O                     | Team    | settle              | Show it in the list
Help
help.keys                   | ? F1                  | View    | always              | Keys
    keys page: This page
    does: overlay.toggle
help.change_keys            |                       |         | always              | Change keys…
help.tour                   |                       |         | always line         | Tour
    does: help_handler.tour.begin
help.start                  |                       |         | always              | Getting started
    does: help_handler.open_page(getting-started)
help.assessors              |                       |         | always              | For assessors
    does: help_handler.open_page(assessors)
help.leads                  |                       |         | always              | For leads
    does: help_handler.open_page(leads)
help.what_if                |                       |         | always              | What-if
    does: help_handler.open_page(what-if)
help.compare                |                       |         | always              | Compare
    does: help_handler.open_page(compare)
help.deciding               |                       |         | always              | Deciding
    does: help_handler.open_page(deciding)
help.agreement              |                       |         | always              | Agreement
    does: help_handler.open_page(agreement)
help.settling               |                       |         | always              | Settling
    does: help_handler.open_page(settling)
help.hub                    |                       |         | always              | Team hub
    does: help_handler.open_page(team-hub)
help.measures               |                       |         | always              | Measures
    does: help_handler.open_page(measures)
help.formats                |                       |         | always              | File formats
    does: help_handler.open_page(formats)
help.by_ear                 |                       |         | always              | By ear
    does: help_handler.open_page(accessibility)
help.changes                |                       |         | always              | What has changed
    does: help_handler.open_page(changelog)
help.report                 |                       |         | always line         | Report a problem…
help.about                  |                       |         | always              | About judgetool
"""
_VIEWS = {**{mode.value: (mode,) for mode in Mode}, "judging": JUDGING_MODES}
_WORDS = frozenset(
    (
        *("always", "line", "judges", "switch", "held", "reveals", "team", "leads", "leaves"),
        *("blinds", *_VIEWS),
    )
)


class ActionSpec(NamedTuple):
    """What the table says of one action; see the module.

    Attributes:
        name: ``group.what``.
        text: for menus, without the key.
        keys: key sequences in Qt's portable spelling; the first is shown.
        menu: title of the menu it stands in; after ``▸`` that of one in another.
        column: title of the column on the page of keys; ``""`` leaves it out.
        how: the words that say how it is.
        modes: the views in which it can be done; ``()`` is all of them.
        caption: for the page of keys; ``""`` uses ``text``.
        target: what does it, from the window.
        given: what that is called with.
    """

    name: str
    text: str
    keys: tuple[str, ...]
    menu: str
    column: str
    how: frozenset[str]
    modes: tuple[Mode, ...]
    target: str
    caption: str = ""
    given: tuple[int | str | None, ...] = ()

    @property
    def group(self) -> str:
        """What it belongs to."""
        return self.name.partition(".")[0]

    @property
    def label(self) -> str:
        """Its text for menus, in the language that is used."""
        return _(self.text)

    @property
    def title(self) -> str:
        """The same in a sentence or a list: without the ellipsis."""
        return without_ellipsis(self.label)

    @property
    def said(self) -> str:
        """What the page of keys says."""
        return _(self.caption) or self.title


def without_ellipsis(text: str) -> str:
    """Return an action's text as it stands in a sentence, a list, or as it is heard."""
    return text.rstrip("…").rstrip()


def menu_title(menu: str) -> str:
    """Return the title of a menu, with that of what it stands in, in the language that is used."""
    return " ▸ ".join(map(_, menu.split(" ▸ ")))


def _read_table(table: str) -> Iterator[ActionSpec]:
    menu = ""
    for block in re.split(r"\n(?! )", table.strip()):
        row, *below = block.split("\n")
        if "|" not in row:
            menu = row
            continue
        name, keys, column, how, text = (part.strip() for part in row.split("|"))
        group, _, method = name.partition(".")
        target = f"{group}_handler.{method}"
        words = frozenset(how.split())
        if not words <= _WORDS:
            raise ValueError(f"{name}: {how!r} has a word that no action is")
        modes = tuple(mode for word in how.split() for mode in _VIEWS.get(word, ()))
        spec = ActionSpec(name, text, tuple(keys.split()), menu, column, words, modes, target)
        for line in below:
            what, _, said = line.strip().partition(": ")
            spec = spec._replace(caption=said) if what == "keys page" else _does(spec, said)
        yield spec


def _does(spec: ActionSpec, said: str) -> ActionSpec:
    target, _, value = said.rstrip(")").partition("(")
    number = int(value) if value.lstrip("-").isdigit() else None
    given = (number if value == "None" or number is not None else value,)
    return spec._replace(target=target, given=given if value else ())


ACTIONS: tuple[ActionSpec, ...] = tuple(_read_table(_TABLE))
COLUMNS = ("Grade", "Move", "Read", "View", "What-if", "Compare", "Team", "Project")
PAIRS: dict[tuple[str, ...], str] = {
    ("edit.undo", "edit.redo"): N_("Undo, redo, across queries"),
    ("flow.unsure", "flow.fairly_sure", "flow.sure"): N_("Unsure, fairly sure, sure"),
    ("judge.next_document", "judge.previous_document"): N_("Next, previous document"),
    ("judge.first_document", "judge.last_document"): N_("First, last document"),
    ("judge.previous_query", "judge.next_query"): N_("Previous, next query"),
    ("view.larger", "view.smaller"): N_("Larger, smaller text"),
    ("settle.next", "settle.previous"): N_("Next, previous dispute"),
    ("read.next_mark", "read.previous_mark"): N_("Next, previous highlight"),
}
"""Names of the actions in order, and what they do together."""
