"""Making a hub, adding members, bringing it up to date."""

import shlex

import pytest

from judgetool.errors import HubRefusal, HubRefusedError, HubTooNewError
from judgetool.hub.connection import HUB_SCHEMA, open_hub, stranger
from judgetool.hub.making import _SCHEMA_DIR, add_member, close_member, create_hub, upgrade_hub
from judgetool.hub.reaching import parse_address
from tests.helpers.postgres import PASSWORD, PROJECT, SCALE, judgment
from tests.helpers.program import must

FACTS = {"project": PROJECT, "title": "Recipes", "scale_hash": SCALE}


@pytest.fixture
def empty(postgres, hub_template):
    """An empty database's name; the logins are there."""
    name = postgres.make_database()
    yield name
    postgres.drop_database(name)


def test_a_hub_is_made_once(postgres, empty):
    """Who makes it leads, under the name in the project; a second one is refused and changes nothing."""
    address = parse_address(postgres.url(empty))[0]
    with create_hub(address, PASSWORD, **FACTS, name="Ada") as hub:
        assert hub.me[:3] == ("Ada", "lead", "admin")
        assert hub.standing().schema == HUB_SCHEMA
    with pytest.raises(HubRefusedError, match=r"‘Recipes’ in .* already"):
        create_hub(address, PASSWORD, **FACTS)
    with open_hub(address, PASSWORD) as hub:
        assert hub.me.name == "Ada"


def test_whoever_may_not_make_one_is_told(postgres, empty):
    """The login needs a right of the database; nothing is left of the attempt."""
    address = parse_address(postgres.url(empty, "anna"))[0]
    with pytest.raises(HubRefusedError, match="permission denied for database") as refused:
        create_hub(address, PASSWORD, **FACTS)
    assert refused.value.why is HubRefusal.RIGHT
    with pytest.raises(HubRefusedError, match=r"There is no hub in .* judgetool hub create"):
        open_hub(address, PASSWORD)


def test_a_login_is_made_where_it_is_lacking(team):
    """With a password that is told once; with it the member comes in, also where others may not connect."""
    with team.psql("admin") as connection:
        connection.execute(f"REVOKE CONNECT ON DATABASE {team.database} FROM PUBLIC")
    with team.open("admin") as hub:
        added = add_member(hub, "Dora D.", "assessor", login=f"dora {team.database}")
    address = team.address(f"dora%20{team.database}")
    assert len(added.password) >= 16
    assert added.for_administrator == ""
    with open_hub(address, added.password) as hub:
        assert hub.me[:2] == ("Dora D.", "assessor")
        assert hub.push([judgment("Dora D.")], scale_hash=SCALE).n_new == 1
    with team.psql("admin") as connection:
        connection.execute(
            f'DROP OWNED BY "dora {team.database}"; DROP ROLE "dora {team.database}"'
        )


def test_what_an_administrator_has_to_do_is_said(team):
    """A lead who may make no logins is given the SQL; the member is not added before."""
    with team.open("lea") as hub:
        added = add_member(hub, "emil", "reader")
        assert added[:2] == ("", 'CREATE ROLE "emil" LOGIN;\n\\password "emil"')
        assert "emil" not in [member.name for member in hub.members()]
        assert add_member(hub, "Vera", "reader", login="vera") == ("", "", ())
    with team.open("vera") as hub:
        assert hub.me.name == "Vera"


def test_roles_change_but_a_lead_stays(team):
    """Another role and login hold at once; the last lead cannot be lost, nor a login taken."""
    with team.open("lea") as lead, team.open("anna") as anna:
        add_member(lead, "anna", "reader")
        with pytest.raises(HubRefusedError, match="anna has the role reader"):
            anna.push([judgment("anna")], scale_hash=SCALE)
        with pytest.raises(HubRefusedError, match="ben is another member’s"):
            add_member(lead, "anna", "reader", login="ben")
        add_member(lead, "admin", "reader")
        with pytest.raises(HubRefusedError, match="needs a lead"):
            add_member(lead, "lea", "assessor")
        with pytest.raises(HubRefusedError, match="may not do this"):
            add_member(anna, "anna", "lead")
        add_member(lead, "anna", "assessor", login="vera")
        with pytest.raises(HubRefusedError, match="no member of this hub"):
            anna.push([judgment("anna")], scale_hash=SCALE)


def test_who_is_added_by_mistake_is_told(team):
    """A name that another member has but for its case, and a login that no role holds back."""
    with team.open("lea") as lead:
        [said] = add_member(lead, "Anna", "assessor", login="vera").remarks
        assert said.startswith("anna is in the hub as well")
        [said] = add_member(lead, "admin", "reader").remarks
        assert "admin is a superuser" in said


def test_a_name_that_is_too_long_for_a_login_needs_another(team):
    """PostgreSQL would cut it, and nobody could come in: refused before anything is made."""
    name = "Bartholomew Maximilian Featherstonehaugh-Cholmondeley the Younger"
    with team.open("admin") as hub:
        with pytest.raises(HubRefusedError, match=r"takes 63 bytes, this has 65.* --login"):
            add_member(hub, name, "assessor")
        assert name not in [each.name for each in hub.members()]
        roles = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'Barth%'"
        assert hub.connection.execute(roles).fetchone() == (0,)
        assert add_member(hub, name, "assessor", login="vera").password == ""


def test_commands_that_are_advised_can_be_pasted(team):
    """A login with a blank, and an address of several settings, are one word each."""
    said = str(stranger(parse_address("service=recipes")[0], "dora d"))
    words = shlex.split(said[said.index("judgetool hub add") :])
    assert words[3:] == ["service=recipes user=LEAD", "NAME", "--login", "dora d"]


def test_who_is_let_in_no_more(team):
    """They are a stranger there, what they took is anybody's, what they judged stays; and they can come again."""
    with team.open("lea") as lead, team.open("anna") as anna, team.open("ben") as ben:
        lead.ask([("1", "r1")])
        anna.claim(1, 72)
        anna.push([judgment("anna")], scale_hash=SCALE)
        close_member(lead, "anna")
        with pytest.raises(HubRefusedError, match="no member of this hub"):
            anna.push([judgment("anna")], scale_hash=SCALE)
        assert anna.connection.execute("SELECT count(*) FROM judgetool.event").fetchone() == (0,)
        with pytest.raises(
            HubRefusedError, match="A lead adds it: judgetool hub add postgresql://LEAD@"
        ):
            team.open("anna")
        assert len(ben.claim(1, 72)) == len(lead.pull(0).rows) == 1
        assert [each.name for each in lead.members() if each.is_closed] == ["anna"]
        for name, words in (("nobody", "called nobody"), ("admin", ""), ("lea", "needs a lead")):
            if words:
                with pytest.raises(HubRefusedError, match=words):
                    close_member(lead, name)
            else:
                close_member(lead, name)
        with pytest.raises(HubRefusedError, match="may not do this"):
            close_member(ben, "lea")
        add_member(lead, "anna", "assessor")
    with team.open("anna") as anna:
        assert anna.me.role == "assessor"


def test_an_older_hub_is_upgraded_with_all_that_is_in_it(postgres, empty, monkeypatch):
    """Until a lead upgrades it, it says how; what was in it is there afterwards."""
    address = parse_address(postgres.url(empty))[0]
    with postgres.connect(empty) as connection:
        connection.execute((_SCHEMA_DIR / "0001.sql").read_text())
        connection.execute(
            "INSERT INTO judgetool.hub(schema, project, title, scale_hash, last_seq) VALUES(1, %s, 'R', %s, 1)",
            (PROJECT, SCALE),
        )
        connection.execute(
            "INSERT INTO judgetool.member(name, role, login) VALUES('admin', 'lead', 'admin')"
        )
        connection.execute(
            "INSERT INTO judgetool.event(seq, at, uuid, kind, assessor, query, document, parents, body) "
            "VALUES(1, 1, gen_random_uuid(), 'judgment', 'ben', '1', 'r1', '', '{}')"
        )
    with pytest.raises(HubRefusedError, match="judgetool hub upgrade postgresql://admin@"):
        open_hub(address, PASSWORD)
    url, wanted = postgres.url(empty), f"from schema 1 to {HUB_SCHEMA}."
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert must("hub", "upgrade", url).out == f"The hub {url} was brought {wanted}\n"
    assert upgrade_hub(address, PASSWORD) == (HUB_SCHEMA, HUB_SCHEMA)
    with open_hub(address, PASSWORD) as hub:
        assert [event.assessor for _, event in hub.pull(0).rows] == ["ben"]
        assert hub.ask([("1", "r1")]) == 1


def test_a_newer_hub_is_left_alone(team):
    """Nobody comes in with an older judgetool, and none upgrades it back."""
    with team.psql("admin") as connection:
        connection.execute("UPDATE judgetool.hub SET schema = 99")
    with pytest.raises(HubTooNewError, match="Update judgetool; until then you judge without it"):
        team.open("anna")
    with pytest.raises(HubTooNewError, match="schema 99"):
        upgrade_hub(team.address("admin"), PASSWORD)


def test_only_who_made_it_upgrades(team):
    """Others are refused, in a sentence."""
    with pytest.raises(
        HubRefusedError, match=r"that made the hub upgrades it: .* postgresql://admin@"
    ):
        upgrade_hub(team.address("lea"), PASSWORD)


def test_passwords_reach_no_log_of_the_server(team, postgres):
    """What is sent for a new login is what SCRAM keeps of its password."""
    with team.psql("admin") as watcher, team.open("admin") as hub:
        hub.connection.execute("SET log_statement = 'all'")
        added = add_member(hub, "frida", "assessor", login=f"frida_{team.database}")
        kept = watcher.execute(
            "SELECT rolpassword FROM pg_authid WHERE rolname = %s", (f"frida_{team.database}",)
        ).fetchone()[0]
        assert kept.startswith("SCRAM-SHA-256$")
        assert added.password not in postgres.log.read_text()
    team.server.drop_login(f"frida_{team.database}", team.database)


def test_the_owner_of_the_database_needs_no_other_right(postgres, empty):
    """As the page for administrators says: who owns it makes the hub, and lets in who has a login."""
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {empty} OWNER TO vera")
        connection.execute(f"REVOKE CONNECT ON DATABASE {empty} FROM PUBLIC")
    with create_hub(parse_address(postgres.url(empty, "vera"))[0], PASSWORD, **FACTS) as hub:
        assert add_member(hub, "anna", "assessor") == ("", "", ())
        with open_hub(parse_address(postgres.url(empty, "anna"))[0], PASSWORD) as anna:
            assert anna.push([judgment("anna"), judgment("anna")], scale_hash=SCALE).n_new == 2
            hub.ask([("1", "r1")])
            assert len(anna.claim(1, 1)) == 1
        assert [event.assessor for _, event in hub.pull(0).rows] == ["anna", "anna"]
    with pytest.raises(HubRefusedError, match="permission denied"):
        open_hub(parse_address(postgres.url(empty, "ben"))[0], PASSWORD)
