"""Small pictures on cards: of files beside the import, read while nothing else happens."""

import json

import pytest
from PySide6.QtGui import QColor, QImage

from judgetool.core.scale import scale_preset
from judgetool.formats import read_file
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.gui.window_fixtures import opened_window, press

MAGENTA = QColor(255, 0, 255)
WORDS = "A kettle of steel that boils water. "


@pytest.fixture
def shop(tmp_path):
    """A project of three kettles: one with a picture, one whose picture is lost, one without."""
    (tmp_path / "img").mkdir()
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    image.fill(MAGENTA)
    assert image.save(str(tmp_path / "img" / "a.png"))
    images = {"a": "img/a.png", "b": "img/lost.png", "c": ""}
    lines = [
        json.dumps({"id": name, "title": f"Kettle {name}", "text": WORDS * 20, "image": path})
        for name, path in images.items()
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "kettle"}\n', encoding="utf-8")
    ranked = "".join(f"q Q0 {name} {rank} {9 - rank} shop\n" for rank, name in enumerate("abc", 1))
    (tmp_path / "shop.run").write_text(ranked, encoding="utf-8")
    path = tmp_path / "shop.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path, assessor="anna") as session:
        names = ("queries.jsonl", "docs.jsonl", "shop.run")
        import_readings(session, [read_file(tmp_path / name) for name in names])
    return path


def card(window, place):
    """Return the picture of a card as it is painted."""
    table = window.workspace.results.table
    return table.viewport().grab(table.visualRect(table.model().index(place, 0))).toImage()


def shares(image, colour):
    """Return between which shares of a picture's width a colour is seen; nothing for nowhere."""
    middle = image.height() // 2
    seen = [x for x in range(image.width()) if image.pixelColor(x, middle) == colour]
    return (seen[0] / image.width(), seen[-1] / image.width()) if seen else ()


def test_a_card_shows_the_documents_picture_at_its_end(qtbot, shop):
    """It is small and whole, right of the text; other cards have none."""
    with opened_window(qtbot, shop) as window:
        qtbot.waitUntil(lambda: shares(card(window, 0), MAGENTA) != ())
        left, right = shares(card(window, 0), MAGENTA)
        assert left > 0.75
        assert right - left < 0.2
        assert shares(card(window, 2), MAGENTA) == ()


def test_a_card_whose_picture_is_lost_is_laid_out_as_one_without(qtbot, shop):
    """Its text goes on to the end of the card, as that of the card without a picture."""

    def text_end(place):
        image = card(window, place)
        ground = image.pixelColor(image.width() - 3, 10)
        rows = range(image.height() // 2, image.height() - 8)
        return max(
            x for x in range(image.width() - 20) for y in rows if image.pixelColor(x, y) != ground
        )

    with opened_window(qtbot, shop) as window:
        press(qtbot, window, "j")
        press(qtbot, window, "j")
        qtbot.waitUntil(lambda: shares(card(window, 0), MAGENTA) != ())
        press(qtbot, window, "k")
        press(qtbot, window, "k")
        qtbot.waitUntil(lambda: text_end(1) == text_end(2))


def test_pictures_are_shown_in_blind_mode(qtbot, shop):
    """A picture is what is judged; it tells nothing of the run."""
    with opened_window(qtbot, shop) as window:
        press(qtbot, window, "b")
        qtbot.waitUntil(lambda: window.workspace.results.model.is_blind)
        places = range(3)
        qtbot.waitUntil(lambda: any(shares(card(window, at), MAGENTA) for at in places))


def test_the_picture_of_the_page_follows_the_window(qtbot, shop):
    """In a window that has become wider it is larger."""
    with opened_window(qtbot, shop, size=(1024, 700)) as window:
        text = window.workspace.document.text
        qtbot.waitUntil(lambda: text.page.content.picture is not None)
        before = text.page.content.picture.width
        window.resize(1900, 1000)
        qtbot.waitUntil(lambda: text.page.content.picture.width > before)
