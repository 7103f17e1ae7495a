"""The programs on the page of models: each run as it stands there, against a stand-in for the model."""

import json
import re
import shlex
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.docs.pages import HELP
from tests.helpers.program import must

PROGRAMS = re.findall(
    r"^```python\n(import .*?)^```$",
    (HELP / "models.md").read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)
LLAMA = """
class Llama:
    def __init__(self, path, **settings):
        assert path == "model.gguf"
    def create_chat_completion(self, messages, **settings):
        said = "1" if "lentil" in messages[0]["content"].lower() else "I would say 2."
        return {"choices": [{"message": {"content": said}}]}
"""


class Endpoint(BaseHTTPRequestHandler):
    """Answers 2 where lentils are named, else with a sentence."""

    def do_POST(self):
        """Answer one call."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_fine = (
            self.path == "/v1/chat/completions" and self.headers["Authorization"] == "Bearer k"
        )
        is_met = "lentil" in asked["messages"][0]["content"].lower()
        answer = {"choices": [{"message": {"content": " 2" if is_met else "I would say 2."}}]}
        self.send_response(200 if is_fine else 401)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_words):
        """Say nothing."""


@pytest.fixture
def endpoint(monkeypatch):
    """An endpoint on this machine, where the program looks for it."""
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("API_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("API_KEY", "k")
        yield
        server.shutdown()
        thread.join()


@pytest.fixture
def project(tmp_path):
    """Two documents of one query; one is of lentils."""
    path = tmp_path / "p.judge"
    documents = '{"id": "a", "title": "Lentil soup"}\n{"id": "b", "title": "Bread"}\n'
    must("new", path, "--scale", "0-3")
    (tmp_path / "d.jsonl").write_text(documents)
    (tmp_path / "q.tsv").write_text("1\thot soup\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2.0 r\n1 Q0 b 2 1.0 r\n")
    files = {"--queries": "q.tsv", "--documents": "d.jsonl", "--run": "r.run"}
    must(
        "import",
        path,
        *(word for option, name in files.items() for word in (option, tmp_path / name)),
    )
    return path


@pytest.mark.parametrize("place", range(2), ids=["endpoint", "local"])
def test_a_program_of_the_page_gives_grades(place, project, tmp_path, endpoint, monkeypatch):
    """A number is the grade; a sentence is 'cannot judge', with what was said as its note."""
    assert len(PROGRAMS) == 2
    assert all(len(program.splitlines()) <= 12 for program in PROGRAMS)
    path = tmp_path / "ask.py"
    path.write_text(PROGRAMS[place], encoding="utf-8")
    (tmp_path / "llama_cpp.py").write_text(LLAMA, encoding="utf-8")
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    program = shlex.join([sys.executable, str(path)])
    found = must("ask-model", project, "--assessor", "m", "--command", program, "--format", "json")
    assert (found.json["graded"], found.json["cannot_judge"], found.json["failed"]) == (1, 1, 0)
    rows = must("show", project, "--judgments").rows[1:]
    assert rows == [["1", "a", "m", str(2 - place), "judged"], ["1", "b", "m", "", "cannot_judge"]]
