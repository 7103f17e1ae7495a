"""Simulated people of a hub, many in one process: connections that wait take no threads.

    python -m tests.benchmarks.hub_people URL FIRST LAST SECONDS

URL has ``{login}`` in the place of the login. When all are connected it prints ``ready``, waits for a
line, and prints in the end what it measured, as JSON.
"""

import asyncio
import json
import os
import random
import sys
import time

import psycopg

from judgetool.core.clock import new_uuid
from judgetool.hub.connection import CHANNEL
from judgetool.hub.reaching import _ON_SERVER
from tests.helpers.postgres import PASSWORD, SCALE

EVERY_S = 2.0
_LOOK_EACH = 5
"""So many judgments lie between two looks at what is new: an open window looks that often."""
_GATHER_S = 0.5
_PUSH = "SELECT * FROM judgetool.push(%s::jsonb, %s, %s)"
_STANDING = (
    "SELECT last_seq, judgetool.uuid_at(last_seq), clock_timestamp(), (SELECT sum(numbackends) "
    "FROM pg_stat_database) FROM judgetool.hub"
)
_MARK = "SELECT judgetool.uuid_at(last_seq), last_seq FROM judgetool.hub"
_LOOKS = (_STANDING, _MARK, _MARK, _MARK)
_PULL = (
    "SELECT seq, uuid, kind, assessor, query, document, at, parents, body, restored_by "
    "FROM judgetool.event WHERE seq > %s ORDER BY seq LIMIT 10000"
)


def make_line(who, query, document):
    """Return a line as a project file sends it, in JSON, and its name."""
    uuid, step, at = new_uuid().hex(), new_uuid().hex(), time.time_ns() // 1_000_000
    body = {
        "origin": "key",
        "step": [step, "judge", "Grade 2 for ‘Cold soup’, ‘soup’", who, at, "{}"],
        "voice": [who, "human"],
        "after": '{"flagged": false, "grade": 2.0, "note": "", "state": "judged"}',
        "after_step": step,
        "spent_ms": 4210,
        "shown": '{"rank": 7, "run": "full-bm25-stem", "view": "list"}',
    }
    line = {"uuid": uuid, "kind": "judgment", "assessor": who, "query": query, "document": document}
    return json.dumps([line | {"at": at, "parents": "", "body": json.dumps(body)}]), uuid


class People:
    """Those of one process, and what they measured, in seconds."""

    def __init__(self, url, seconds):
        self._url, self._seconds = url, seconds
        self.pushes, self.late, self.looks, self.seen = [], [], [], []
        self._pushed = {}

    async def connect(self, login):
        """Return somebody's connection, set as a window's."""
        connection = await psycopg.AsyncConnection.connect(
            self._url.format(login=login), password=PASSWORD, autocommit=True
        )
        await connection.execute(_ON_SERVER)
        return connection

    async def judge(self, who, connection, began):
        """Push a judgment each two seconds, and look what is new now and then."""
        dice = random.Random(who)
        first = began + EVERY_S * dice.random()
        for turn in range(int(self._seconds / EVERY_S)):
            due = first + turn * EVERY_S
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self.late.append(time.monotonic() - due)
            line, uuid = make_line(who, f"query {dice.randrange(5000)}", f"document {turn}")
            sent = time.monotonic()
            reply = await connection.execute(_PUSH, (line, SCALE, None), binary=True)
            _, _, seq = await reply.fetchone()
            done = time.monotonic()
            self.pushes.append(done - sent)
            self._pushed[uuid] = done
            if turn % _LOOK_EACH == 0:
                for look in _LOOKS:
                    await connection.execute(look, binary=True)
                await connection.execute(_PULL, (seq,), binary=True)
                self.looks.append(time.monotonic() - done)

    async def lead(self, connection):
        """Read what others say once the hub tells of it, until nobody pushes any more."""
        await connection.execute(f"LISTEN {CHANNEL}")
        seq = 0
        while True:
            if [told async for told in connection.notifies(timeout=1, stop_after=1)]:
                await asyncio.sleep(_GATHER_S)
            found = await connection.execute(_PULL, (seq,), binary=True)
            for row in await found.fetchall():
                seq = row[0]
                pushed = self._pushed.pop(row[1].hex, None)
                if pushed is not None:
                    self.seen.append(time.monotonic() - pushed)

    async def run(self, logins, lead):
        """Let them judge, and a lead see it, where there is one here."""
        connections = [await self.connect(login) for login in logins]
        watching = asyncio.create_task(self.lead(await self.connect(lead))) if lead else None
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        began = time.monotonic()
        people = zip(logins, connections, strict=True)
        await asyncio.gather(*(self.judge(who, each, began) for who, each in people))
        if watching is not None:
            await asyncio.sleep(2)
            watching.cancel()
        for connection in connections:
            await connection.close()


def main(url, first, last, seconds):
    """Run them, and print what they measured."""
    people = People(url, float(seconds))
    logins = [f"assessor{number}" for number in range(int(first), int(last))]
    asyncio.run(people.run(logins, "" if int(first) else "lea"))
    used = os.times()
    found = {name: getattr(people, name) for name in ("pushes", "late", "looks", "seen")}
    print(json.dumps(found | {"busy": used.user + used.system}))


if __name__ == "__main__":
    main(*sys.argv[1:])
