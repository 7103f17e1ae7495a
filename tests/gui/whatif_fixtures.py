"""The what-if view of the real window, with a pointer and keys."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from judgetool.core.judgments import Document, Query
from judgetool.gui.actions import Mode
from tests.helpers.builders import Parts

ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def soup_parts(*, n_documents=8, n_queries=3):
    """Return two runs of opposite orders; the last documents are the relevant ones, two unjudged."""
    queries = [Query(f"q{n}", f"soup number {n}", f"Need of query {n}.") for n in range(n_queries)]
    documents = [
        Document(
            f"d{n}",
            f"Soup recipe {n}",
            f"https://recipes.example/{n}",
            f"A quick soup, the {n}th. It is eaten hot.",
            {"course": "starter" if n % 2 else "main"},
        )
        for n in range(n_documents + 1)
    ]
    ids = [document.id for document in documents[:n_documents]]
    runs = {
        "alpha": {query.id: ids for query in queries},
        "beta": {query.id: [f"d{n_documents}", *reversed(ids)] for query in queries},
    }
    grades = {n_documents - 1: 3.0, n_documents - 2: 2.0, 0: 0.0, 1: 1.0, n_documents - 3: 1.0}
    judgments = [
        (query.id, f"d{place}", "anna", grade)
        for query in queries
        for place, grade in grades.items()
    ]
    return Parts(queries, documents, runs, judgments)


def whatif_page(window):
    """Show the what-if view and return its page."""
    window.views.show(Mode.WHATIF)
    return window.views.page(Mode.WHATIF)


def order_of(page):
    """Return the external ids of the order as it stands."""
    material = page.ranking.session.material
    return [material.document_id(document) for document in page.ranking.orders.order]


def shown_order(page):
    """Return the external ids of the order as the board shows it, a card in the hand included."""
    material = page.ranking.session.material
    return [material.document_id(document) for document in page.orders.cards.order]


def make_current(page, document_id):
    """Make a document current."""
    page.orders.set_current(page.ranking.session.material.find_document(document_id))


def lift(page, row):
    """Take a card up with the pointer and move it a little."""
    at = page.orders.delegate.card_rect(row).center()
    QTest.mousePress(page.orders.viewport(), LEFT, NONE, at)
    QTest.mouseMove(page.orders.viewport(), at + QPoint(0, 14))


def carry(page, row):
    """Move the pointer, which holds a card, to the middle of a row."""
    QTest.mouseMove(page.orders.viewport(), page.orders.delegate.card_rect(row).center())


def drop(page, row):
    """Let go of the card over a row."""
    carry(page, row)
    QTest.mouseRelease(
        page.orders.viewport(), LEFT, NONE, page.orders.delegate.card_rect(row).center()
    )


def press(qtbot, page, key, modifier=NONE):
    """Press a key on the board."""
    qtbot.keyClick(page.orders, key, modifier)


def shown_values(page):
    """Return (old, new) of each measure as the side panel shows them."""
    return {row.name: (row.old, row.new) for row in page.values.values.rows}
