"""``judgetool ask-model``: programs that answer, and programs that do all else."""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.gui.models.result_model import find_marks
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from tests.helpers.builders import Parts, make_project
from tests.helpers.program import call, must

ANSWER = """
import json, os, sys, threading
forever = threading.Event().wait
for line in sys.stdin:
    asked = json.loads(line)
    name = asked["document"]["id"]
    grade = int(name[1:]) % 4
    said = {"id": asked["id"], "grade": grade, "note": "as " + name}
"""
SEND = """
    print(json.dumps(said), flush=True)
"""


@pytest.fixture
def project(tmp_path):
    """Two queries, a run with six documents, the first three of which are long."""
    documents = [Document(f"d{n}", f"Soup {n}", "", "hot " * 50_000 * (n < 3)) for n in range(6)]
    queries = [Query("1", "soup", "Which is hot?"), Query("2", "bread")]
    ranked = [each.id for each in documents]
    parts = Parts(queries, documents, {"a": {"1": ranked, "2": ranked[:4]}})
    with make_project(tmp_path, parts) as session:
        return session.path


@pytest.fixture
def ask(tmp_path, project):
    """Write a program and have it asked; return what the command answered."""

    def do(body, *options, whole=None):
        path = tmp_path / "program.py"
        path.write_text(ANSWER + body + SEND if whole is None else whole, encoding="utf-8")
        program = shlex.join([sys.executable, "-S", str(path)])
        return call("ask-model", project, "--assessor", "m", "--command", program, *options)

    return do


def said_by(project, name="m"):
    """What an assessor says, by query and document: grade or state, and note."""
    with open_project(project, read_only=True) as session:
        material = session.material
        return {
            (material.queries[query].id, material.document_id(document)): (
                str(opinion.judgment.state)
                if opinion.judgment.grade is None
                else opinion.judgment.grade,
                opinion.judgment.note,
            )
            for query, document, opinion, _ in session.iter_judgments()
            if opinion.assessor == name
        }


def report(outcome):
    """The JSON report of a run that ended well."""
    assert outcome.code == 0, outcome
    return outcome.json


def test_every_document_gets_the_grade_that_the_program_gives(ask, project):
    """Grade and note stand under the model's name."""
    outcome = ask("")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "m: 10 documents graded of 10; 0 were there before.\n"
    said = said_by(project)
    assert len(said) == 10
    assert said["1", "d5"] == (1.0, "as d5")


def test_a_request_holds_what_a_person_would_read(ask, tmp_path):
    """Query, document, guidelines and levels; nothing of other assessors."""
    ask(f"    open({str(tmp_path / 'asked')!r}, 'a').write(line)", "--queries", "1")
    first = json.loads((tmp_path / "asked").read_text().splitlines()[4])
    assert list(first) == ["id", "query", "document", "guidelines", "levels"]
    assert first["query"]["description"] == "Which is hot?"
    assert first["document"] == {"id": "d4", "title": "Soup 4", "url": "", "body": "", "fields": {}}
    assert [level["grade"] for level in first["levels"]] == [0, 1, 2, 3]


def test_queries_and_depth_say_what_is_asked(ask, project):
    """The first two documents of one query."""
    ask("", "--queries", "2", "--depth", "2")
    assert list(said_by(project)) == [("2", "d0"), ("2", "d1")]


def test_a_second_run_asks_for_what_is_left(ask, project, tmp_path):
    """What the model has said is not asked for again, nor said anew."""
    ask("", "--queries", "1")
    log = f"    open({str(tmp_path / 'asked')!r}, 'a').write(line)"
    found = report(ask(log, "--format", "json"))
    assert (found["there"], found["graded"]) == (6, 4)
    assert len((tmp_path / "asked").read_text().splitlines()) == 4
    assert ask("", whole="raise SystemExit(9)").code == 0, "nothing is left, nothing is started"
    assert len(said_by(project)) == 10


def test_null_is_cannot_judge(ask, project):
    """The program may say so; no grade is made of it."""
    found = report(ask("    if name == 'd2': said['grade'] = None", "--format", "json"))
    assert (found["graded"], found["cannot_judge"], found["failed"]) == (8, 2, 0)
    assert said_by(project)["1", "d2"] == ("cannot_judge", "as d2")


TROUBLES = {
    "no number": ("grade", "said['grade'] = '2'"),
    "not on the scale": ("grade", "said['grade'] = 7"),
    "not finite": ("grade", "said['grade'] = float('nan')"),
    "a truth": ("grade", "said['grade'] = True"),
    "no grade": ("grade", "del said['grade']"),
    "another id": ("id", "said['id'] = 'q'"),
    "no id": ("id", "del said['id']"),
    "no JSON": ("json", "said = None; print('Relevant: 2', flush=True); continue"),
    "no object": ("json", "said = 3"),
    "nothing": ("json", "print(flush=True); continue"),
    "no UTF-8": ("json", "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush(); continue"),
    "exit": ("end", "sys.exit(3)"),
    "well ended": ("end", "sys.exit(0)"),
    "half a line": ("json", "print('{', end='', flush=True); sys.exit(0)"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_an_answer_that_cannot_be_used_is_cannot_judge_and_counted(ask, project, name):
    """Of one document, in every try: it is never a grade, and the others have theirs."""
    trouble, doing = TROUBLES[name]
    body = f"    if (asked['query']['id'], name) == ('1', 'd3'): {doing}"
    found = report(ask(body, "--retries", "1", "--format", "json"))
    assert (found["graded"], found["failed"], found["left"]) == (9, 1, 0)
    assert found["in_vain"] == {**dict.fromkeys(found["in_vain"], 0), trouble: 2}
    state, note = said_by(project)["1", "d3"]
    assert state == "cannot_judge"
    assert note.startswith("No answer that can be used: ")


def test_an_answer_that_is_late_is_tried_again(ask, project, tmp_path):
    """The program is ended, started anew, and asked for the same document."""
    mark = tmp_path / "slept"
    body = f"""
    if name == 'd3' and not os.path.exists({str(mark)!r}):
        open({str(mark)!r}, 'w').close()
        forever()"""
    found = report(ask(body, "--timeout", "3", "--format", "json"))
    assert (found["graded"], found["in_vain"]["time"]) == (10, 1)
    assert said_by(project)["1", "d3"] == (3.0, "as d3")


def test_a_program_that_ends_after_each_answer_is_started_anew(ask, project):
    """One that answers a single line will do."""
    body = "    print(json.dumps(said)); sys.exit(0)"
    found = report(ask(body, "--retries", "0", "--format", "json"))
    assert found["graded"] == 10


HOSTILE = {
    "endless line": "import sys\nwhile True: sys.stdout.write('x' * 65536)",
    "endless lines": "while True: print('{}')",
    "reads nothing": "import threading\nthreading.Event().wait()",
    "closes its input": "import os, threading\nos.close(0)\nthreading.Event().wait()",
    "closes its output": "import os, threading\nos.close(1)\nthreading.Event().wait()",
    "endless errors": "import sys\nwhile True: sys.stderr.write('x' * 65536)",
    "dies": "import sys\nsys.exit('No key: set API_KEY.')",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_program_that_never_answers_leaves_nothing_written(ask, project, name):
    """A sentence says what it did; nobody waits for it longer than the tries take."""
    outcome = ask("", "--timeout", "0.4", "--retries", "0", whole=HOSTILE[name])
    assert (outcome.code, outcome.out) == (1, "")
    assert "gave no answer that can be used for 5 documents in a row, at last: " in outcome.err
    assert outcome.err.endswith("\nNothing was written.\n")
    assert "Traceback" not in outcome.err
    assert said_by(project) == {}


def test_last_words_are_whole_lines_each_once(ask):
    """Of what it says at each of its five starts, the lines that fit, none cut in front."""
    said = "could not open the file of the model " * 5
    body = f"import sys\nsys.exit('\\n'.join([{said + '!'!r}] * 9))"
    words = ask("", "--retries", "0", whole=body).err.split("on standard error: ")[1]
    assert words.splitlines() == [said + "!", "Nothing was written."]


def test_of_many_last_words_the_last_whole_lines_are_told(ask):
    """As many as a sentence has room for: none is cut, and nothing of what stood far before."""
    code = (
        "import sys\n"
        "sys.stderr.write(''.join(f'line {n:03} ' + 'x' * 90 + chr(10) for n in range(300)))\n"
        "sys.exit(1)"
    )
    said = ask("", "--retries", "0", whole=code).err
    found = [line for line in said.splitlines() if "line 2" in line]
    assert [line[line.rindex("line") :][:8] for line in found] == [
        f"line {n}" for n in range(295, 300)
    ]
    assert {len(line[line.rindex("line") :]) for line in found} == {99}


def test_its_last_words_are_told(ask):
    """What it wrote on standard error says what is the matter."""
    outcome = ask("", "--retries", "0", whole=HOSTILE["dies"])
    assert "Its last words on standard error: No key: set API_KEY." in outcome.err


def test_a_program_that_fails_later_stops_the_run_and_can_go_on(ask, project):
    """What was answered is saved; what came in vain is asked for again, once it works."""
    body = "    if asked['query']['id'] == '2' or name in ('d5',): sys.exit(1)"
    outcome = ask(body, "--retries", "0", "--format", "json")
    assert outcome.code == 1
    assert (outcome.json["graded"], outcome.json["failed"], outcome.json["left"]) == (5, 0, 5)
    assert "What was answered before is saved. Run the same command again to go on." in outcome.err
    assert report(ask("", "--format", "json"))["graded"] == 5
    assert len(said_by(project)) == 10


def test_a_program_that_there_is_not(project):
    """It is named, with what was expected."""
    outcome = call("ask-model", project, "--assessor", "m", "--command", "no-such-program -x")
    assert outcome.code == 1
    assert outcome.err.startswith("no-such-program cannot be started: there is no such file.")


@pytest.mark.parametrize("words", ["", "  "])
def test_no_program_is_wrong_usage(project, words):
    """An empty command is none."""
    assert call("ask-model", project, "--assessor", "m", "--command", words).code == 2


def test_a_person_is_no_model(ask, project):
    """Grades of a program do not come to stand under a person's name."""
    must("judge", project, "--assessor", "m", stdin="1\td0\t3\n")
    outcome = ask("")
    assert outcome.code == 1
    assert outcome.err.startswith("m is an assessor of small.judge already, and no model.")
    assert len(said_by(project)) == 1


def test_a_query_that_there_is_not(ask):
    """Nothing is started for it."""
    outcome = ask("", "--queries", "7")
    assert (outcome.code, outcome.err) == (1, "There is no query ‘7’ in small.judge.\n")


def test_one_undo_takes_back_a_run(ask, project):
    """Two runs are two steps; redo brings one back."""
    ask("", "--queries", "1")
    ask("", "--queries", "2")
    with open_project(project, assessor="anna") as session:
        session.undo()
        assert session.undo_step.title == "Grades by m"
    assert {query for query, _ in said_by(project)} == {"1"}
    with open_project(project, assessor="anna") as session:
        session.redo()
    assert len(said_by(project)) == 10


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX")
def test_a_run_that_is_killed_keeps_what_was_answered(ask, project, tmp_path):
    """Killed while the sixth document is with the program: five stay, another run has the rest."""
    mark = tmp_path / "asked"
    os.mkfifo(mark)
    path = tmp_path / "slow.py"
    wait = f"""
    if name == 'd5':
        with open({str(mark)!r}, 'w') as told: told.write(str(os.getpid()))
        forever()"""
    path.write_text(ANSWER + wait + SEND, encoding="utf-8")
    program = shlex.join([sys.executable, str(path)])
    words = ["ask-model", str(project), "--assessor", "m", "--command", program]
    with subprocess.Popen([sys.executable, "-m", "judgetool", *words]) as running:
        # Read once the program has written to it: then it has been asked for the sixth.
        number = int(mark.read_text())
        running.send_signal(signal.SIGKILL)
    # Nobody else ends a program that waits for ever.
    os.kill(number, signal.SIGKILL)
    assert set(said_by(project)) == {("1", f"d{n}") for n in range(5)}
    found = report(ask("", "--format", "json"))
    assert (found["there"], found["graded"]) == (5, 5)


def test_nothing_of_a_model_is_shown_to_who_judges(ask, project):
    """No value, no progress, no mark of a grade or a note; with its own one's own stands there."""
    ask("")
    with open_project(project, assessor="anna") as session:
        assert find_marks(session, 0) == {}
        assert session.board.total_progress().judged == 0
        document = session.material.find_document("d1")
        session.execute(Say.grade(0, document, 0))
        (mark,) = find_marks(session, 0).values()
        assert (mark.grade, mark.has_note) == (0, False)


def test_a_program_has_the_threads_that_it_would_have_elsewhere(project, tmp_path):
    """What judgetool does without for its own start is not handed on."""
    body = '    said["note"] = str([name for name in os.environ if "THREADS" in name])\n'
    program = tmp_path / "program.py"
    program.write_text(ANSWER + body + SEND, encoding="utf-8")
    asked = ["ask-model", str(project), "--assessor", "m"]
    asked += ["--command", shlex.join([sys.executable, "-S", str(program)])]
    free = {name: text for name, text in os.environ.items() if "THREADS" not in name}
    subprocess.run([sys.executable, "-m", "judgetool", *asked], check=True, env=free)
    assert {note for _, note in said_by(project).values()} == {"[]"}
