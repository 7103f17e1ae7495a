"""Reaching a hub: addresses, safety on the way, passwords, and what is said where it fails."""

import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from re import findall, sub

import keyring
import pytest
from keyring.backend import KeyringBackend

import judgetool.hub
from judgetool.errors import HubOfflineError, HubRefusal, HubRefusedError, UsageError
from judgetool.hub.connection import open_hub
from judgetool.hub.reaching import (
    HUB_SENTENCES,
    find_password,
    has_keyring,
    keep_password,
    parse_address,
    take_address,
    talking,
)
from tests.helpers.postgres import (
    PASSWORD,
    SCALE,
    Server,
    find_programs,
    judgment,
    make_template,
)
from tests.helpers.program import call


class MemoryKeyring(KeyringBackend):
    """Keeps passwords for a test."""

    priority = 1

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def ring():
    """A keyring of the test's own."""
    before = keyring.get_keyring()
    found = MemoryKeyring()
    keyring.set_keyring(found)
    yield found
    keyring.set_keyring(before)


@pytest.fixture
def no_ring():
    """No keyring, as on a machine without a desktop."""
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://anna@127.0.0.1:5433/recipes",
        "postgresql://anna@[::1]/recipes",
        "postgresql://anna%40x@localhost/recipes?application_name=a%20b",
        "postgresql:///recipes?host=%2Fvar%2Frun%2Fpostgresql",
        "host=localhost,127.0.0.1 dbname='my hub' user=anna",
        "service=recipes user=anna",
    ],
)
def test_an_address_is_the_same_however_it_is_written(text):
    """What is shown of an address leads to the same place again, and looks the same then."""
    address, password = parse_address(text)
    again, _ = parse_address(address.text)
    assert password is None
    assert (again.text, again.settings) == (address.text, address.settings)


@pytest.mark.parametrize("text", ["", "hub", "postgresql://anna:pw@[::1/x", "http://x", "service"])
def test_what_is_no_address_is_said_without_repeating_it(text):
    """It may hold a password."""
    with pytest.raises(UsageError, match="expected postgresql://LOGIN@HOST/DATABASE") as refused:
        parse_address(text)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize("mode", ["disable", "prefer", "require", "verify-ca"])
@pytest.mark.parametrize("host", ["hub.example.org", "192.0.2.1", "localhost,hub.example.org"])
def test_off_this_machine_less_than_verify_full_is_refused(host, mode, monkeypatch):
    """In the address, in the environment and in a service file."""
    with pytest.raises(HubRefusedError, match=f"sslmode={mode}") as refused:
        parse_address(f"host={host} sslmode={mode}")
    assert refused.value.why is HubRefusal.SECURITY
    monkeypatch.setenv("PGSSLMODE", mode)
    with pytest.raises(HubRefusedError, match=f"sslmode={mode}"):
        parse_address(f"postgresql://anna@{host}/recipes")


def test_off_this_machine_the_server_has_to_show_who_it_is(tmp_path, monkeypatch):
    """Also where a service file or the environment alone says that it is elsewhere."""
    for text in ("postgresql://anna@hub.example.org/recipes", "host=10.0.0.1 dbname=x"):
        assert parse_address(text)[0].settings["sslmode"] == "verify-full"
    assert "sslmode" not in parse_address("postgresql://anna@127.0.0.9/recipes")[0].settings
    assert "sslmode" not in parse_address("dbname=recipes")[0].settings
    (tmp_path / "services").write_text(
        "# ours\n[far]\nhost=hub.example.org\n[bad]\nhost=x.org\nsslmode=prefer\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert parse_address("service=far")[0].settings["sslmode"] == "verify-full"
    with pytest.raises(HubRefusedError, match="sslmode=prefer"):
        parse_address("service=bad")
    monkeypatch.setenv("PGHOST", "hub.example.org")
    assert parse_address("dbname=recipes")[0].settings["sslmode"] == "verify-full"


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A server with a certificate on an address of this machine that others reach, and the certificate."""
    told = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False)
    if not told.stdout.split() or not shutil.which("openssl") or not find_programs():
        pytest.skip("this machine has no PostgreSQL, no address but its own, or no openssl")
    address, folder = told.stdout.split()[0], tmp_path_factory.mktemp("far")
    for name in ("ours", "other"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=hub", "-addext",
             f"subjectAltName=IP:{address}", "-keyout", f"{name}.key", "-out", f"{name}.crt"],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
    server = Server(certificate=folder / "ours", listen_addresses=f"127.0.0.1,{address}")
    yield f"postgresql://anna@{address}:{server.port}/{make_template(server)}", folder
    server.stop()


def test_a_server_that_does_not_show_who_it_is_is_not_talked_to(far):
    """Its certificate has to be of an authority that is trusted; nothing need be asked for it."""
    url, folder = far
    for roots in ("", f"?sslrootcert={folder}/other.crt"):
        with pytest.raises(HubRefusedError, match="not reached safely") as refused:
            open_hub(parse_address(url + roots)[0], PASSWORD)
        assert refused.value.why is HubRefusal.SECURITY
    with open_hub(parse_address(f"{url}?sslrootcert={folder}/ours.crt")[0], PASSWORD) as hub:
        assert hub.me.name == "anna"
        assert hub.connection.pgconn.ssl_in_use


def test_a_password_goes_from_the_address_into_the_keyring(ring, team):
    """It is said, the address does without it, and the hub is opened with the keyring's."""
    login = f"postgresql://anna:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{team.server.port}/{team.database}"
    address, said = take_address(login)
    assert "keyring" in said
    assert PASSWORD not in repr(address) + said + str(address.settings)
    assert find_password(address) == PASSWORD
    with open_hub(address) as hub:
        assert hub.me.name == "anna"
    assert take_address(address.text) == (address, "")
    told = call("hub", "add", login, "ben")
    assert (told.code, told.err.splitlines()[0]) == (1, said)


def test_without_a_keyring_an_address_with_a_password_is_refused(no_ring):
    """The sentence gives the address without it."""
    assert not has_keyring()
    with pytest.raises(UsageError, match="postgresql://anna@localhost/recipes") as refused:
        take_address("postgresql://anna:secret@localhost/recipes")
    assert "secret" not in str(refused.value)
    address, _ = parse_address("postgresql://anna@localhost/recipes")
    assert find_password(address) is None
    assert not keep_password(address, "secret")


def test_a_keyring_that_nobody_opens_is_as_none(ring, monkeypatch):
    """Whoever does not unlock it is asked for the password."""

    def refuse(*_words):
        raise keyring.errors.KeyringLocked

    monkeypatch.setattr(ring, "get_password", refuse)
    monkeypatch.setattr(ring, "set_password", refuse)
    address, _ = parse_address("postgresql://anna@localhost/recipes")
    assert find_password(address) is None
    with pytest.raises(UsageError, match="has no keyring that would take it"):
        take_address("postgresql://anna:secret@localhost/recipes")


def test_a_service_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    """Nobody could tell what it says of how safe the way is."""
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    (tmp_path / "services").write_bytes(b"[recipes]\nhost=\xff\n")
    with pytest.raises(HubRefusedError, match="services cannot be read"):
        parse_address("service=recipes")


def test_without_a_keyring_libpq_finds_the_password(no_ring, team, tmp_path, monkeypatch):
    """In the file that PGPASSFILE names, or in a service file; else the hub asks for one."""
    with pytest.raises(HubRefusedError, match="asks for a password") as refused:
        open_hub(team.address("anna"))
    assert refused.value.why is HubRefusal.PASSWORD
    (tmp_path / "passwords").write_text(f"127.0.0.1:*:*:anna:{PASSWORD}\n")
    (tmp_path / "passwords").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    with open_hub(team.address("anna")) as hub:
        assert hub.me.name == "anna"
    monkeypatch.delenv("PGPASSFILE")
    settings = {
        "host": "127.0.0.1",
        "port": team.server.port,
        "dbname": team.database,
        "user": "ben",
    }
    lines = [f"{name}={value}" for name, value in {**settings, "password": PASSWORD}.items()]
    (tmp_path / "services").write_text("\n".join(["[recipes]", *lines, ""]))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    with open_hub(parse_address("service=recipes")[0]) as hub:
        assert hub.me.name == "ben"


def test_why_somebody_does_not_come_in(team, no_ring, monkeypatch):
    """A wrong password, a stranger, a database that there is not: each in a sentence of its own."""
    for login, password, why, words in (
        ("anna", "wrong", HubRefusal.PASSWORD, "does not accept this password"),
        ("vera", PASSWORD, HubRefusal.STRANGER, "judgetool hub add"),
    ):
        with pytest.raises(HubRefusedError, match=words) as refused:
            open_hub(team.address(login), password)
        assert refused.value.why is why
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(HubRefusedError, match="does not accept this login"):
        open_hub(team.address("anna"))
    nowhere = parse_address(team.server.url("nowhere", "anna"))[0]
    with pytest.raises(HubRefusedError, match='database "nowhere" does not exist') as refused:
        open_hub(nowhere, PASSWORD)
    assert refused.value.why is HubRefusal.STATE


def test_a_server_that_is_not_there_is_offline():
    """Whoever listens on no port is not reached, and that may change."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(HubOfflineError, match=r"is not reached: Connection refused\.$"):
        open_hub(parse_address(f"postgresql://anna@127.0.0.1:{port}/x")[0], "x")


def test_a_server_that_asks_for_the_password_itself_is_not_given_it():
    """Somebody who only looks like our server learns nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = []

        def pretend():
            line, _ = server.accept()
            with line:
                # Refuses to encrypt, then asks for the password as it is.
                while int.from_bytes((said := line.recv(4096))[4:8]) in (80877103, 80877104):
                    line.sendall(b"N")
                line.sendall(b"R\0\0\0\x08\0\0\0\x03")
                seen.append(line.recv(4096))
                assert said

        thread = threading.Thread(target=pretend)
        thread.start()
        address = parse_address(f"postgresql://anna@127.0.0.1:{server.getsockname()[1]}/x")[0]
        with pytest.raises(HubRefusedError, match="not reached safely") as refused:
            open_hub(address, "secret")
        thread.join()
    assert refused.value.why is HubRefusal.SECURITY
    assert seen == [b""]


def test_a_connection_that_is_cut_is_offline(team):
    """Once the server ends it, each method says so; nothing hangs."""
    with team.open("anna") as hub, team.psql("admin") as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'anna'"
        )
        for _ in range(2):
            with pytest.raises(HubOfflineError, match="does not answer"):
                hub.push([judgment("anna")], scale_hash=SCALE)


def test_an_answer_that_never_comes_is_not_waited_for(team):
    """A network that swallows everything: after its time the connection is given up."""
    with team.open("anna") as hub:
        began = time.monotonic()
        with pytest.raises(HubOfflineError), talking(hub.connection, hub.address, 0.2):
            hub.connection.execute("SELECT pg_sleep(60)")
        assert time.monotonic() - began < 50


def test_each_refusal_of_the_hubs_functions_has_its_sentence():
    """Those that stand in the schema are those that are translated."""
    folder = Path(judgetool.hub.__file__).parent / "schema"
    functions = "".join(path.read_text() for path in sorted(folder.glob("*.sql")))
    said = {
        each.replace("''", "’") for each in findall(r"RAISE EXCEPTION '((?:[^']|'')+)'", functions)
    }
    assert said == {sub(r"\{\w+\}", "%", each) for each in HUB_SENTENCES}


def test_what_the_hub_refuses_is_said_in_ones_language(team, speaks):
    """Though its own functions know English alone."""
    speaks("de")
    with team.open("anna") as hub, pytest.raises(HubRefusedError) as refused:
        hub.release(["q1"])
    assert "anna hat in diesem Hub die Rolle assessor und darf das nicht." in str(refused.value)
