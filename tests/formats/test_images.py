"""Pictures beside the file that names them."""

import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.system import find_inside, find_relative
from judgetool.formats import read_file, read_text
from judgetool.session.reading_aids import is_image

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def shop(tmp_path):
    """A folder with two pictures, beside a folder with a secret one."""
    folder = tmp_path / "shop"
    (folder / "img").mkdir(parents=True)
    for place in (folder / "img" / "soup.png", folder / "pão.jpg", tmp_path / "secret.png"):
        place.write_bytes(PNG)
    return folder


def read(shop, *images, name="image"):
    lines = (json.dumps({"id": f"d{n}", "title": "t", name: i}) for n, i in enumerate(images))
    (shop / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return read_file(shop / "docs.jsonl")


@pytest.mark.parametrize("column", ["image", "image_url", "IMG", "picture", "thumbnail", "photo"])
def test_pictures_in_the_folder_are_found(shop, column):
    """A column by any usual name holds the picture's path, which is looked up."""
    reading = read(shop, "img/soup.png", "pão.jpg", "", name=column)
    assert [document.image for document in reading.documents] == ["img/soup.png", "pão.jpg", ""]
    assert reading.columns[-1].role == "image"
    assert reading.notes == ["2 images are there, in the file’s folder."]


def test_missing_pictures_are_named(shop):
    """What is not there is counted, the first ones by name, and kept for when it comes."""
    reading = read(shop, "img/soup.png", *(f"img/{number}.png" for number in range(5)))
    assert reading.documents[5].image == "img/4.png"
    (note,) = reading.notes
    assert note == (
        "5 of 6 images are missing from the file’s folder (img/0.png, img/1.png, img/2.png, …); "
        "they are shown once they are there."
    )


@pytest.mark.parametrize(
    "path", ["../secret.png", "img/../../secret.png", "/etc/logo.png", "..\\secret.png", "\\\\x\\y"]
)
def test_what_leads_out_of_the_folder_stays_text(shop, path):
    """Upward, absolute and network paths are no pictures: they stay a field as they stand."""
    reading = read(shop, path)
    assert (reading.documents[0].image, reading.documents[0].fields) == ("", {"image": path})
    assert "outside of the file’s folder (" in reading.notes[0]


@pytest.mark.parametrize(
    "address", ["https://x.example/a.png", "file:///etc/a.png", "data:image/png;base64,AA", "C:a"]
)
def test_addresses_stay_text(shop, address):
    """An address is never fetched: it stays a field."""
    reading = read(shop, address)
    assert (reading.documents[0].image, reading.documents[0].fields) == ("", {"image": address})
    assert reading.notes == ["1 image is an address, kept as text only: judgetool fetches nothing."]


def test_links_out_of_the_folder_are_not_followed(shop):
    """A link to a picture elsewhere counts as outside; so does one to a folder elsewhere."""
    (shop / "link.png").symlink_to(shop.parent / "secret.png")
    (shop / "up").symlink_to(shop.parent)
    reading = read(shop, "link.png", "up/secret.png")
    assert {document.image for document in reading.documents} == {""}
    assert "2 images stand outside" in reading.notes[0]
    assert find_inside(shop, "up/secret.png") is None
    assert find_inside(shop, "../secret.png") is None


def test_links_within_the_folder_are_followed(shop):
    """A link that stays inside is as good as the file."""
    (shop / "same.png").symlink_to("img/soup.png")
    assert read(shop, "same.png").documents[0].image == "same.png"


def test_other_words_in_such_a_column_are_fields(shop):
    """A column 'photo' may also say yes or no: that is no picture."""
    reading = read(shop, "yes", '{"src": "x"}', "img", name="photo")
    assert [document.fields["photo"] for document in reading.documents[:2]] == [
        "yes",
        '{"src": "x"}',
    ]
    assert reading.notes == []


def test_a_text_without_folder_keeps_its_paths_as_text():
    """What comes through a pipe has no folder to look in, and it is said."""
    reading = read_text('{"id": "a", "title": "x", "image": "a.png"}\n')
    assert reading.documents[0].fields == {"image": "a.png"}
    assert "cannot be looked for" in reading.notes[0]


def test_results_have_pictures_too(shop):
    """A table of results with texts and pictures gives documents with both."""
    (shop / "r.csv").write_text("query,rank,doc_id,title,image\nq,1,a,Soup,img/soup.png\n")
    assert read_file(shop / "r.csv").documents[0].image == "img/soup.png"


def test_a_folder_of_texts_has_pictures_of_the_same_names(shop):
    """Of a folder of text files, a picture of the same name is its text's."""
    (shop / "pão.txt").write_text("bread", encoding="utf-8")
    (shop / "other.txt").write_text("x", encoding="utf-8")
    reading = read_file(shop)
    assert {document.id: document.image for document in reading.documents} == {
        "pão.txt": "pão.jpg",
        "other.txt": "",
    }
    assert "1 image in it: 1 of them beside a text of the same name." in reading.notes


@given(st.text(st.sampled_from("ab./\\:~ %\0é"), max_size=12))
def test_a_relative_path_never_leads_up(text):
    """Whatever is written, what comes out has no .. and no root, and is a path of itself."""
    found = find_relative(text)
    if found is not None:
        assert not PurePosixPath(found).is_absolute()
        assert ".." not in PurePosixPath(found).parts
        assert "\0" not in found
        assert find_relative(found) in (found, None) or found.strip() != found


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (PNG, True),
        (b"\xff\xd8\xff\xe0", True),
        (b"<svg xmlns", False),
        (b"", False),
        (b"MZ", False),
    ],
)
def test_pictures_are_told_by_their_first_bytes(head, is_one):
    """A program or a text is no picture, whatever its name."""
    assert is_image(head) is is_one
