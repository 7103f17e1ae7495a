"""The picture of a document, from import to the file that is shown."""

import shutil

import pytest

from judgetool.core.scale import scale_preset
from judgetool.formats import read_file
from judgetool.session import reading_aids
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import ImportChoices
from judgetool.session.opening import create_project, open_project
from judgetool.session.reading_aids import allow_folder, folders_elsewhere, look_for_image

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def write_shop(folder, *names):
    """A file of documents with a picture each, and the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f'{{"id": "{name}", "title": "t", "image": "img/{name}.png"}}\n' for name in names]
    (folder / "docs.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "img").mkdir(exist_ok=True)
    for name in names:
        (folder / "img" / f"{name}.png").write_bytes(PNG + folder.name.encode())
    return folder / "docs.jsonl"


@pytest.fixture
def project(tmp_path):
    """An empty project in a folder of its own."""
    (tmp_path / "home").mkdir()
    path = tmp_path / "home" / "a.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path, assessor="anna") as session:
        yield session


def import_files(session, *files, **answers):
    choices = ImportChoices(answers=answers)
    return import_readings(session, [read_file(file) for file in files], choices=choices)


def image_of(session, name):
    return look_for_image(session, session.material.find_document(name))[0]


def test_a_picture_is_found(project, tmp_path):
    """The document's picture is the file beside the file that named it."""
    import_files(project, write_shop(tmp_path / "shop", "a"))
    assert image_of(project, "a") == tmp_path / "shop" / "img" / "a.png"


def test_a_picture_beside_a_text_of_a_folder_is_found(project, tmp_path):
    """The folder itself was imported."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("soup")
    (folder / "a.png").write_bytes(PNG)
    import_files(project, folder)
    assert image_of(project, "a.txt") == folder / "a.png"


def test_a_document_without_picture_has_none(project, tmp_path):
    """No picture and no text is None, not a fault."""
    (tmp_path / "d.jsonl").write_text('{"id": "x", "title": "t"}\n')
    import_files(project, tmp_path / "d.jsonl")
    assert image_of(project, "x") is None


def test_a_project_moves_with_its_pictures(project, tmp_path):
    """Pictures inside the project's folder are found after both have moved."""
    import_files(project, write_shop(tmp_path / "home" / "shop", "a"))
    project.close()
    shutil.move(tmp_path / "home", tmp_path / "moved")
    with open_project(tmp_path / "moved" / "a.judge") as moved:
        assert image_of(moved, "a") == tmp_path / "moved" / "shop" / "img" / "a.png"


def test_pictures_beside_the_project_move_with_it(project, tmp_path):
    """The project's own folder may be that of the pictures."""
    import_files(project, write_shop(tmp_path / "home", "a"))
    assert image_of(project, "a") == tmp_path / "home" / "img" / "a.png"


def test_files_of_two_folders_keep_their_own_pictures(project, tmp_path):
    """Pictures of one name in two folders of one import are not mixed up."""
    first, second = write_shop(tmp_path / "one", "a"), write_shop(tmp_path / "two", "b")
    (tmp_path / "one" / "img" / "b.png").write_bytes(PNG + b"wrong")
    import_files(project, first, second)
    assert image_of(project, "b").read_bytes() == PNG + b"two"


def test_pictures_that_moved_are_found_by_importing_again(project, tmp_path):
    """The same documents from another folder are a change: their pictures are there now."""
    import_files(project, write_shop(tmp_path / "old", "a"))
    shutil.move(tmp_path / "old", tmp_path / "new")
    assert image_of(project, "a") is None
    plan = import_files(project, tmp_path / "new" / "docs.jsonl")
    assert plan.files[0].n_changed == 1
    assert image_of(project, "a") == tmp_path / "new" / "img" / "a.png"
    assert plan_import(project, [read_file(tmp_path / "new" / "docs.jsonl")]).is_empty


def test_undo_takes_the_picture_back(project, tmp_path):
    """An import undone leaves the picture of the one before."""
    import_files(project, write_shop(tmp_path / "old", "a"))
    import_files(project, write_shop(tmp_path / "new", "a"), texts="replace")
    assert image_of(project, "a").read_bytes().endswith(b"new")
    project.undo()
    assert image_of(project, "a").read_bytes().endswith(b"old")


def test_a_link_that_leads_out_is_not_shown(project, tmp_path):
    """A picture that was replaced by a link to elsewhere after the import is refused."""
    import_files(project, write_shop(tmp_path / "shop", "a"))
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "shop" / "img" / "a.png").unlink()
    (tmp_path / "shop" / "img" / "a.png").symlink_to(tmp_path / "secret.png")
    assert image_of(project, "a") is None


@pytest.mark.parametrize("content", [b"", b"<svg/>", b"#!/bin/sh", PNG + b"x" * 200])
def test_what_is_no_picture_or_too_large_is_not_shown(project, tmp_path, content, monkeypatch):
    """First bytes and size decide, not the name."""
    monkeypatch.setattr(reading_aids, "MAX_IMAGE_BYTES", 100)
    import_files(project, write_shop(tmp_path / "shop", "a"))
    assert image_of(project, "a") is not None
    (tmp_path / "shop" / "img" / "a.png").write_bytes(content)
    assert image_of(project, "a") is None


@pytest.mark.parametrize("folder", ["../shop", "", "img/../../shop", "nowhere"])
def test_a_project_cannot_send_us_out_of_its_folder(project, tmp_path, folder):
    """A relative folder that leads upwards, as only a foreign project can have, finds nothing."""
    write_shop(tmp_path / "shop", "a")
    import_files(project, tmp_path / "shop" / "docs.jsonl")
    project.write(
        lambda connection: connection.execute(
            "UPDATE steps SET detail = json_object('image_folder', ?)", (folder,)
        )
    )
    assert image_of(project, "a") is None


def test_a_picture_stays_where_a_later_text_is_filled_in(project, tmp_path):
    """A file without pictures, or with pictures elsewhere, leaves the picture that is here."""
    import_files(project, write_shop(tmp_path / "old", "a"))
    (tmp_path / "d.jsonl").write_text('{"id": "a", "title": "t", "text": "long"}\n')
    import_files(project, tmp_path / "d.jsonl")
    (tmp_path / "d.jsonl").write_text('{"id": "a", "title": "t", "url": "x:y"}\n')
    import_files(project, tmp_path / "d.jsonl", write_shop(tmp_path / "new", "b"))
    assert image_of(project, "a").read_bytes().endswith(b"old")
    assert image_of(project, "b").read_bytes().endswith(b"new")


def test_another_folder_of_pictures_is_a_conflict(project, tmp_path):
    """A picture that is there is not replaced by one of the same name elsewhere unasked."""
    import_files(project, write_shop(tmp_path / "old", "a"))
    plan = import_files(project, write_shop(tmp_path / "new", "a"))
    assert [each.field for each in plan.files[0].text_conflicts] == ["image"]
    assert image_of(project, "a").read_bytes().endswith(b"old")


def name_folder(project, folder):
    """The project as somebody else made it, who names this folder."""
    project.write(
        lambda connection: connection.execute(
            "UPDATE steps SET detail = json_object('image_folder', ?)", (str(folder),)
        )
    )


def test_a_received_project_shows_no_folder_of_ours_unasked(project, tmp_path):
    """A folder that the project names is looked into only once the person allows it."""
    import_files(project, write_shop(tmp_path / "shop", "a"))
    other = write_shop(tmp_path / "private", "a").parent
    name_folder(project, other)
    assert image_of(project, "a") is None
    assert folders_elsewhere(project) == [str(other)]
    allow_folder(project.uuid, str(other))
    assert image_of(project, "a") == other / "img" / "a.png"
    assert folders_elsewhere(project) == []


@pytest.mark.parametrize(
    "folder", ["//server/share", "\\\\server\\share", "file:///etc", "http://x.example"]
)
def test_other_computers_are_never_asked(project, tmp_path, folder):
    """Shares and addresses cannot even be allowed."""
    import_files(project, write_shop(tmp_path / "shop", "a"))
    name_folder(project, folder)
    allow_folder(project.uuid, folder)
    assert image_of(project, "a") is None
    assert folders_elsewhere(project) == []
