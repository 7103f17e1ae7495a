"""The help window: our own pages and nothing else."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument

from judgetool.errors import ResourceMissingError
from judgetool.gui.help_window import HelpWindow, find_picture, help_pages, page_title, page_titles
from tests.gui.window_fixtures import listening

IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def window(qtbot):
    made = HelpWindow()
    qtbot.addWidget(made)
    return made


def follow(window, address):
    window.page.anchorClicked.emit(QUrl(address))


@pytest.mark.parametrize("name", list(help_pages()))
def test_every_page_is_shown(window, name):
    """Each page that ships can be opened and has text."""
    window.open_page(name)
    assert window.isVisible()
    assert len(window.page.toPlainText()) > 50


def test_the_list_names_the_pages_by_their_headings(window):
    """The list at the left has the headings, in order."""
    titles = [window.list.item(row).text() for row in range(window.list.count())]
    expected = [page_title(path.read_text("utf-8"), name) for name, path in help_pages().items()]
    assert titles == expected


def test_arrow_keys_open_pages(qtbot, window):
    """Down in the list shows the next page."""
    names = list(help_pages())
    window.open_page(names[0])
    before = window.page.toPlainText()
    window.list.setFocus()
    qtbot.keyClick(window.list, Qt.Key.Key_Down)
    assert window.page.toPlainText() != before


def test_what_is_searched_is_found_on_every_page(qtbot, window):
    """The list keeps the pages that have it, and Enter goes through them in turn."""
    window.open_page("keys")
    qtbot.keyClicks(window.search, "Quepid")
    rows = [window.list.item(row) for row in range(window.list.count())]
    # What is painted of a row is its value.
    kept = [row.data(Qt.ItemDataRole.UserRole) for row in rows if not row.isHidden()]
    assert {"File formats", "What has changed"} <= set(kept)
    assert "Keys" not in kept
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.page.textCursor().selectedText() == "Quepid"


def test_a_page_that_there_is_not(window):
    """An unknown page is refused with the pages that there are."""
    with pytest.raises(ResourceMissingError, match="formats"):
        window.open_page("nonsense")


def test_links_between_pages_are_followed(window):
    """A relative link to a page opens it."""
    first, second = list(help_pages())[:2]
    window.open_page(first)
    follow(window, f"{second}.md")
    assert window.list.currentRow() == 1


def test_the_page_that_a_link_leads_to_is_said_after_its_text_has_come(qtbot, window):
    """In the flood of another text a reader drops what is announced."""
    first, second = list(help_pages())[:2]
    window.open_page(first)
    with listening() as texts:
        follow(window, f"{second}.md")
        assert texts == []
        qtbot.waitUntil(lambda: texts == [page_titles()[second]])


@pytest.mark.parametrize(
    "address", ["https://example.org/x", "file:///etc/passwd", "data:text/html,x"]
)
def test_other_links_only_show_their_address(window, address):
    """Links out of the help are not followed; their address is shown."""
    first = next(iter(help_pages()))
    window.open_page(first)
    before = window.page.toPlainText()
    follow(window, address)
    assert window.page.toPlainText() == before
    assert window.address.text == address
    assert window.address.y() >= window.page.geometry().bottom()


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "/etc/x.png", "../../secret.png", "https://example.org/x.png", "x.svg"],
)
def test_nothing_of_the_machine_is_loaded(window, tmp_path, address):
    """Whatever a page names, only our own pictures are loaded; else one empty pixel."""
    assert find_picture(QUrl(address)) is None
    image = window.page.loadResource(IMAGE, QUrl(address))
    assert isinstance(image, QImage)
    assert (image.width(), image.height()) == (1, 1)
    assert bytes(window.page.loadResource(3, QUrl(address)).data()) == b" "


def test_search_finds_in_the_page(qtbot, window):
    """Typing in the search field selects the first place; Enter goes on to the next."""
    window.open_page("measures")
    window._focus_search()
    qtbot.keyClicks(window.search, "precision")
    first = window.page.textCursor().selectionStart()
    assert window.page.textCursor().selectedText().lower() == "precision"
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.page.textCursor().selectionStart() > first


def test_search_says_when_there_is_nothing(qtbot, window):
    """A text that does not occur is said not to."""
    window.open_page("measures")
    qtbot.keyClicks(window.search, "zzzzqq")
    assert window.found.text() == "in no page"


def test_escape_first_clears_the_search_then_closes(qtbot, window):
    """Esc empties the search field; pressed again it closes the window."""
    window.open_page("measures")
    window.search.setText("x")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.search.text() == ""
    assert window.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
