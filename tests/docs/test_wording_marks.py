"""What is shown is marked for translation, and the catalogues hold what is marked."""

import ast
import re

import pytest

from tests.docs.pages import ROOT

pytest.importorskip("babel")

from tests.messages import TEMPLATE, catalogues, extracted, read

MARKS = {"_", "N_", "NN_", "ngettext", "number_of", "note_number", "pgettext"}
AT_ONCE = MARKS - {"N_", "NN_"}
# What shows a text that it is given, by any of its arguments.
SHOWS = {
    *("setText", "setToolTip", "setAccessibleName", "setAccessibleDescription", "setPlaceholderText"),
    *("setWindowTitle", "setSpecialValueText", "QLabel", "QPushButton", "QCheckBox", "QAction", "QMenu"),
    *("Text", "ElidedLabel", "TextPart", "push_button", "framed_icon_button", "tool_button", "switch"),
    *("show_message", "_say", "show_remark", "show_lack", "show_problem", "show_note", "add_head"),
    *("add_text", "add_field", "add_switch", "set_title", "Choice", "RadioOption", "FileKind"),
    *("make_chooser", "menu_button", "action_button", "announce", "field_label", "labelled"),
}  # fmt: skip
# Shown as they are in every language.
NAMES = {"judgetool", "Markdown", "PDF", "Esc", "Enter", "Title"}


def modules():
    """Yield the modules whose words are shown in the chosen language, and their trees."""
    for path in sorted((ROOT / "judgetool" / "gui").rglob("*.py")):
        if path.name != "report_pdf.py":
            yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def name_of(call):
    """Return the name of what is called."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def bare(node):
    """Yield the texts that an argument shows without their being marked."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = re.sub(r"\{[^{}]*\}|<[^<>]*>", "", node.value)
        if (
            re.search(r"[A-Za-z]{2}.* .*[A-Za-z]{2}|^&?[A-Z][a-z]{2}", words)
            and node.value not in NAMES
        ):
            yield node
    elif isinstance(node, ast.JoinedStr):
        said = " ".join(part.value for part in node.values if isinstance(part, ast.Constant))
        if re.search(r"(^|[\s(])[A-Za-z]{3,}", said):
            yield node
    elif isinstance(node, ast.IfExp):
        yield from (*bare(node.body), *bare(node.orelse))
    elif isinstance(node, ast.BoolOp):
        yield from (found for value in node.values for found in bare(value))


def test_no_bare_string_is_shown():
    """Whatever reaches a widget or the status line passes through the wording."""
    found = [
        f"{path}:{text.lineno}: {ast.unparse(text)[:60]}"
        for path, tree in modules()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and name_of(call) in SHOWS
        for argument in (*call.args[:3], *(word.value for word in call.keywords))
        for text in bare(argument)
    ]
    assert found == []


def test_the_window_has_the_signs_of_the_language_between_thousands():
    """One place puts English ones between them and changes them; no other writes a comma there."""
    found = [
        f"{path}:{text.lineno}"
        for path, tree in modules()
        if path.name != "painting.py"
        for text in ast.walk(tree)
        if isinstance(text, ast.FormattedValue)
        and isinstance(text.format_spec, ast.JoinedStr)
        and "," in ast.unparse(text.format_spec)
    ]
    assert found == []


def test_nothing_is_translated_before_the_language_is_known():
    """At module level texts are marked; they are translated where they are shown."""
    found = []
    for path in sorted((ROOT / "judgetool").rglob("*.py")):
        waiting = [*ast.parse(path.read_text(encoding="utf-8")).body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                waiting += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            elif not isinstance(node, ast.Lambda):
                if isinstance(node, ast.Call) and name_of(node) in AT_ONCE:
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
                waiting += ast.iter_child_nodes(node)
    assert found == []


def test_marked_texts_are_found_by_the_extraction():
    """A text stands in its mark as it is: put together there, nothing would find it."""
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted((ROOT / "judgetool").rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and name_of(call) in MARKS
        for argument in call.args
        if not isinstance(argument, ast.Constant)
        and any(
            isinstance(part, ast.JoinedStr)
            or (isinstance(part, ast.Constant) and re.search("[a-z] [a-z]", str(part.value)))
            for part in ast.walk(argument)
        )
    ]
    assert found == []


def test_catalogues_hold_what_is_marked():
    """None lacks a sentence, none has one that is gone: ``python tests/messages.py`` sees to it."""
    marked = {(message.context, message.id) for message in extracted() if message.id}
    for path in (TEMPLATE, *catalogues()):
        there = {(message.context, message.id) for message in read(path) if message.id}
        assert there == marked, path


def test_translations_fill_in_what_the_sentence_does():
    """A translation has the fields of its sentence, and no other; a form may leave out the number."""
    for path in catalogues():
        for message in read(path):
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            said = message.string if isinstance(message.string, tuple) else (message.string,)
            of_forms = [set(re.findall(r"\{(\w*)(?:!r)?\}", text)) for text in ids]
            fields, in_all = set.union(*of_forms), set.intersection(*of_forms)
            for text in filter(None, said if message.id else ()):
                there = set(re.findall(r"\{(\w*)(?:!r)?\}", text))
                assert there <= fields, (path, text)
                assert there >= in_all - {"n"}, (path, text)


def test_what_is_not_saved_is_said_alike():
    """The status line knows by its beginning a sentence that says so itself."""
    for path in catalogues():
        said = {message.id: message.string for message in read(path)}
        begins = said["Not saved: {reason}."].partition("{reason}")[0]
        others = {
            text: there for text, there in said.items() if str(text).startswith("Not saved: ")
        }
        assert [text for text, there in others.items() if not there.startswith(begins)] == []


def texts_of(message):
    """Return a message's own texts and what stands for them."""
    ids, said = (
        text if isinstance(text, tuple) else (text,) for text in (message.id, message.string)
    )
    return list(ids), [text for text in said if text]


def test_names_stand_in_the_quotes_of_the_language():
    """None stands as Python writes it or between straight quotes; but click's own, in English."""
    found = []
    for path in (TEMPLATE, *catalogues()):
        for message in read(path):
            ids, said = texts_of(message)
            is_of_click = any(place == "judgetool/cli/command.py" for place, _ in message.locations)
            shown = said if is_of_click else ids + said
            found += [text for text in shown if re.search(r"!r\}|'\{\w+\}'", text)]
    assert found == []


def test_apostrophes_are_curved():
    """Of all that the window shows; the help of commands has straight ones, for every terminal."""
    found = [
        text
        for message in read(TEMPLATE)
        for text in texts_of(message)[0]
        # Quotes of what is typed are straight.
        if re.search(r"(?<=[\w}])'(?=[a-z]\b)|(?<=s)'(?=\s)", re.sub(r"(?<!\w)'[^']*'", "", text))
    ]
    assert found == []
