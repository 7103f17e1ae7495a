"""Names written from right to left, in sentences with numbers: each number stays beside its name."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextDocument

from judgetool.core.judgments import Query
from judgetool.gui.dialogs.queue import AskDialog, HandOverDialog
from judgetool.gui.painting import draw_text
from judgetool.gui.theme import Role
from judgetool.gui.widgets.labels import Text
from judgetool.session.opening import open_project
from judgetool.session.team.asking import Asking, AskWishes
from tests.helpers.builders import Parts, make_project

RUN = {f"q{q}": [f"q{q}d{d}" for d in range(6)] for q in range(4)}
PARTS = Parts(queries=[Query(name, f"soup {name}") for name in RUN], runs={"run": RUN})
SALMA = "سلمى"
SENTENCES = (
    f"anna 26 · 26 🍊 {SALMA} · several 32",
    f"anna 26 · {SALMA} 26 · both 12",
    f"Ask {SALMA}: 24 documents",
    f"18 documents; 12 of them {SALMA} 3 is asked",
)


@pytest.fixture
def session(tmp_path):
    with make_project(tmp_path, PARTS, assessor="lead") as session:
        path = session.path
    with open_project(path, assessor="lead") as session:
        yield session


def seen(text):
    """The characters of a text from left to right as they are painted; what is from the right once each."""
    document = QTextDocument(text)
    document.documentLayout().documentSize()
    line = document.firstBlock().layout().lineAt(0)
    units = text.encode("utf-16-le")
    places = []
    for at in range(len(units) // 2):
        sign = units[2 * at : 2 * at + 2].decode("utf-16-le", "ignore")
        if sign.strip() and sign.isalnum() and sign.isascii():
            places.append((line.glyphRuns(at, 1)[0].boundingRect().left(), sign))
        elif sign == SALMA[0]:
            places.append((line.glyphRuns(at, 1)[0].boundingRect().left(), "L"))
    return "".join(sign for _, sign in sorted(places))


def order(text):
    """The same as it is written: every name stands where it was put."""
    kept = text.replace(SALMA, "L")
    return "".join(sign for sign in kept if sign.isascii() and sign.isalnum())


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_seen_in_the_order_of_its_words(qapp, sentence):
    """Numbers and names of a label do not change places."""
    assert seen(Text(sentence).text()) == order(sentence)


class Painted:
    """Stands for a painter, and keeps what is written."""

    def __init__(self):
        self.text = ""

    def drawText(self, _rect, _flags, text):  # noqa: N802 - Qt's name
        self.text = text

    def __getattr__(self, _name):
        return lambda *_values: None


@pytest.mark.parametrize("sentence", SENTENCES)
def test_so_is_a_painted_line(qapp, sentence):
    """Rows and the status line are painted: the same holds there."""
    painted = Painted()
    draw_text(painted, QRectF(0, 0, 9999, 20), sentence, role=Role.UI, colour="black")
    assert seen(painted.text) == order(sentence)


def test_a_text_of_others_runs_as_it_is_written(qapp):
    """A question from right to left is not taken apart."""
    question = f"{SALMA} 5 soup {SALMA}"
    assert Text(question).text() == question


def test_whom_asking_names_keeps_their_number(qtbot, session):
    """Also where such a name comes first, and in the list of whom something is taken from."""
    dialog = AskDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.names.setText(f"{SALMA}, ben")
    dialog.share.setValue(50)
    qtbot.waitUntil(lambda: dialog.plan is not None)
    said = dialog.plan.describe()
    assert seen(dialog.preview.text()) == order(said)
    asking = Asking(session)
    session.execute(asking.command(asking.plan(AskWishes((SALMA,)))))
    over = HandOverDialog(session)
    qtbot.addWidget(over)
    assert seen(over.giver.currentText()).startswith("L2")
