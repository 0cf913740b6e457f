"""Sealed spaces over HTTP: nothing on the disk, nobody in without a key, exact under load."""

from __future__ import annotations

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, count
from typing import Any

import pytest

from api.sealed_world import (
    IDLE_S,
    Anywhere,
    Place,
    Talk,
    false_key,
    founded,
    is_in,
    records,
    restarted,
    seen,
)
from api.world import accepted, ids, refused, talk
from empty_memory import of_files, over_both
from wellworn.application.bootstrap import DATABASE
from wellworn.application.maintenance import backup
from wellworn.engines.crypto import CryptoSettings, DataKey, RecordBox
from wellworn.engines.storage.sql import RamDatabase
from wellworn.errors import SpaceLocked, Tampered
from wellworn.testing.keys import FakeIssuer

pytestmark = over_both


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def place(anywhere):
    return founded(anywhere())


def conversation(place: Place, talk: Talk) -> str:
    """Say new things in every way there is; return the id of the first of them."""
    name = talk.new(1)
    first = place.know(
        talk.embedded(talk.new()), name, tags=[talk.new(1)], context_metadata=talk.new()
    )
    asked = place.ask(talk.new(), talk.new(1), context=talk.new(), contribute="never")
    talk.ids.append(asked["trace"]["session_id"])
    place.ask(talk.new(), name, contribute="always", tags=[talk.new(1)])
    if first in ids(asked):
        place.feedback(asked["trace"]["session_id"], first, "useful")
    accepted(place.post("ingest", {"content": talk.new(), "metadata": {"domain": talk.new(1)}}))
    record = {"record": "thought", "content": talk.new(), "contributor_id": talk.new(1)}
    place.import_records({**record, "contributor_name": talk.new(1), "tags": [talk.new(1)]})
    place.read("search", q=talk.new())
    body = talk.new(2).replace(" ", "-")
    headers = {"idempotency-key": body}
    place.client.post("/api/v1/memory", headers=headers, json=_talked(talk))
    return first


def _talked(one: Talk) -> dict[str, Any]:
    return talk(one.new(), one.new(1))


@of_files
def test_what_is_looked_for_would_be_found(anywhere):
    place, talk = founded(anywhere(), sealed=False), Talk()
    conversation(place, talk)
    assert f"{DATABASE}-wal" in seen(place.home, talk.windows())


@of_files
def test_no_file_has_eight_bytes_of_what_was_said_at_any_time(anywhere, place, tmp_path, caplog):
    caplog.set_level("DEBUG")
    caplog.set_level("ERROR", "httpx2")  # the caller's side
    talk = Talk()
    first = conversation(place, talk)
    talk.keys(place.key)
    talk.said.append(place.data_key())
    assert (place.home / f"{DATABASE}-wal").stat().st_size
    assert seen(place.home, talk.windows()) == []
    bob = place.shared()
    talk.keys(place.change("/invitations")["token"], bob.key)
    conversation(bob, talk)
    assert seen(place.home, talk.windows()) == []
    place.forget(first, talk.new(1), reason=talk.new())
    assert seen(place.home, talk.windows()) == []
    place.change(f"/members/{bob.member}", "DELETE")
    place.change("/rotate")
    talk.said.append(place.data_key())
    conversation(place, talk)
    place.change("/reseal")
    backup(place.home, tmp_path / "copy")
    assert seen(place.home, talk.windows()) == seen(tmp_path, talk.windows()) == []
    place.close()
    assert seen(place.home, talk.windows()) == []
    place = restarted(anywhere, place)
    conversation(place, talk)
    assert seen(place.home, talk.windows()) == []
    place.change(method="DELETE")
    assert seen(place.home, talk.windows()) == []
    assert not is_in(caplog.text.encode(), talk.windows())


@of_files
def test_no_file_has_eight_bytes_of_what_was_said_before_the_space_was_sealed(anywhere, tmp_path):
    place, talk = founded(anywhere(), sealed=False), Talk()
    first = conversation(place, talk)
    place.forget(first)
    conversation(place, talk)
    assert seen(place.home, talk.windows()) != []
    place.change("/seal")
    assert not is_in((place.home / DATABASE).read_bytes(), talk.windows())
    conversation(place, talk)
    place.app.maintain()  # the index is made anew without what is gone
    assert seen(place.home, talk.windows()) == []
    backup(place.home, tmp_path / "copy")
    assert seen(tmp_path, talk.windows()) == []
    place = restarted(anywhere, place)
    place.read("search", q="anything")
    assert seen(place.home, talk.windows()) == []


def test_no_file_has_eight_bytes_of_an_open_space_that_was_deleted(anywhere):
    place, talk = founded(anywhere(), sealed=False), Talk()
    conversation(place, talk)
    place.change(method="DELETE")
    place.app.maintain()
    assert seen(place.home, talk.windows()) == []


# ---------------------------------------------------------------- locks


def test_only_a_key_opens_a_sealed_space(place):
    stranger = founded(place, "elsewhere")
    world = place.client.client
    url = "/api/v1/highways"
    assert world.get(url).status_code == 200
    refused(world.get(url, headers={"wellworn-space": place.space}), 401, "UNAUTHENTICATED")
    for key in ("ww_nothing", false_key(place.key), place.key.replace("ww_", "wi_")):
        false = replace(place.client, key=key)
        refused(false.get(url), 401, "UNAUTHENTICATED")
    refused(replace(stranger.client, space=place.space).get(url), 404, "SPACE_NOT_FOUND")
    refused(replace(stranger.client, space="ks-nothing").get(url), 404, "SPACE_NOT_FOUND")


def test_after_a_restart_a_space_is_locked_until_a_member_calls(anywhere, place):
    lamp = place.know("The lamp burns whale oil.")
    place = restarted(anywhere, place)
    assert not place.is_open
    accepted(place.client.client.get("/api/v1/highways"))
    bearer = replace(place.client, key=false_key(place.key))
    assert bearer.get("/api/v1/highways").status_code == 401
    assert not place.is_open
    assert place.record(lamp)["content"] == "The lamp burns whale oil."
    assert place.is_open


def test_an_unused_space_is_closed_and_dropped_from_memory(place):
    place.know("The lamp burns whale oil.")
    room = place.app.guard.pool._open[place.space].services
    assert isinstance(room.database, RamDatabase)
    place.clock.advance(IDLE_S - 1)
    place.app.maintain()
    assert place.is_open
    place.clock.advance(1)
    place.app.maintain()
    assert not place.is_open
    assert room.database.is_closed
    assert len(ids(place.ask("lamp"))) == 1
    assert place.is_open


def test_a_signed_token_opens_no_sealed_space(anywhere):
    issuer = FakeIssuer()
    world = anywhere(crypto=CryptoSettings(tokens=issuer.settings()))
    sealed, opened = founded(world), founded(world, sealed=False)
    now = world.clock.now()
    for place, status in ((opened, 200), (sealed, 423)):
        token = issuer.token(place.member, now=now, scope="admin")
        bearer = replace(place.client, key=token)
        for url in ("highways", "export", "search?q=lamp"):
            assert bearer.get(f"/api/v1/{url}").status_code == status
    refused(bearer.post("/api/v1/memory", json=talk("lamp")), 423, "SPACE_LOCKED")
    refused(bearer.post(f"/api/v1/spaces/{sealed.space}/rotate"), 423, "SPACE_LOCKED")
    assert not sealed.is_open


def opened_by(key: bytes, place: Place, epoch: int) -> int:
    """Return how many of the records on disk a data key opens."""
    box, opened = RecordBox(DataKey(key), place.space, epoch), 0
    for kind, number, _, revision, blob in records(place):
        try:
            box.open(kind, number, revision=revision, blob=blob)
        except (Tampered, SpaceLocked):
            continue
        opened += 1
    return opened


def test_a_revoked_member_is_out_and_the_kept_data_key_opens_nothing(place):
    bob = place.shared("bob")
    lamp = bob.know("The lamp burns whale oil.")
    kept = bob.data_key()
    assert opened_by(kept, place, 1) == len(records(place)) > 2
    place.change(f"/members/{bob.member}", "DELETE")
    refused(bob.client.get("/api/v1/highways"), 404, "SPACE_NOT_FOUND")
    place.know("The boat comes on Monday.")
    assert place.record(lamp)["content"] == "The lamp burns whale oil."
    assert [opened_by(kept, place, epoch) for epoch in (1, 2)] == [0, 0]
    assert {row[2] for row in records(place)} == {2}
    assert opened_by(place.data_key(), place, 2) == len(records(place))


def test_a_rotated_key_opens_nothing_and_the_invitation_from_before_is_over(place):
    place.know("The lamp burns whale oil.")
    kept, token = place.data_key(), place.change("/invitations")["token"]
    assert place.change("/rotate")["epoch"] == 2
    assert opened_by(kept, place, 1) == 0
    joining = place.client.client.post("/api/v1/invitations/accept", json={"token": token})
    refused(joining, 404, "CREDENTIAL_NOT_FOUND")
    assert place.rows("SELECT count(*) FROM space_grants WHERE wrapped IS NOT NULL") == [(1,)]


def test_a_deleted_space_leaves_no_record_and_no_key(place):
    place.know("The lamp burns whale oil.")
    place.change(method="DELETE")
    refused(place.client.get("/api/v1/highways"), 404, "SPACE_NOT_FOUND")
    for table in ("sealed_records", "space_grants", "space_epochs", "space_memberships"):
        assert place.rows(f"SELECT count(*) FROM {table}") == [(0,)]


def test_each_member_does_what_the_role_allows(place):
    reader, writer = place.shared(role="reader"), place.shared(role="contributor")
    lamp = place.know("The lamp burns whale oil.")
    assert ids(reader.ask("lamp")) == [lamp]
    body = talk("I say that the lamp burns whale oil.", contribute="always")
    refused(reader.post("memory", body), 403, "FORBIDDEN")
    writer.know("The boat comes on Monday.")
    url = f"/api/v1/spaces/{place.space}"
    for member in (reader, writer):
        refused(member.client.post(f"{url}/rotate"), 403, "FORBIDDEN")
        refused(member.client.post(f"{url}/invitations", json={}), 403, "FORBIDDEN")
        refused(member.client.request("DELETE", url), 403, "FORBIDDEN")
    erase = {"json": {"agent_id": "x"}}
    refused(writer.client.request("DELETE", f"/api/v1/thoughts/{lamp}", **erase), 403, "FORBIDDEN")


# ---------------------------------------------------------------- many at once


CALLERS = 8
CALLS = 30


def disturbing(place: Place, over: threading.Event) -> list[str]:
    """Rotate, close and open others until it is over; return what was refused."""
    others = [founded(place, f"other-{number}") for number in range(3)]
    failures: list[str] = []
    for step in count():
        if over.is_set():
            return failures
        if step % 3 == 0:
            answer = place.client.post(f"/api/v1/spaces/{place.space}/rotate")
            failures += [] if answer.status_code == 200 else [answer.text]
        elif step % 3 == 1:
            place.clock.advance(IDLE_S)
            place.app.maintain()
        else:
            others[step % len(others)].know(f"Another thing, {step}.")
    return failures


def called(place: Place, number: int) -> tuple[int, Any]:
    body = talk("roles stay apart case", f"agent-{number % CALLERS}", limit=3, contribute="never")
    if number % 5 == 0:
        prompt = f"Insight {number}: somebody has to watch the gate at night."
        body |= {"prompt": prompt, "contribute": "always"}
    answer = place.post("memory", body)
    return answer.status_code, answer.json()


def test_rotating_closing_and_opening_others_fails_no_call_and_miscounts_nothing(place):
    shown = [place.know(f"Roles stay apart, case {name}.") for name in ("a", "b", "c")]
    members = place, place.shared("bob")
    over = threading.Event()
    with ThreadPoolExecutor(CALLERS + 1) as pool:
        disturbed = pool.submit(disturbing, place, over)
        numbers = range(CALLERS * CALLS)
        try:
            answers = list(pool.map(lambda number: called(members[number % 2], number), numbers))
        finally:
            over.set()
    assert disturbed.result() == []
    assert Counter(status for status, _ in answers) == {200: CALLERS * CALLS}
    counted(place, [reply for _, reply in answers], shown)


def counted(place: Place, replies: list[Any], shown: list[str]) -> None:
    """Compare every number that is kept with the answers that were given."""
    accesses = Counter(one for reply in replies for one in ids(reply))
    pairs = Counter(frozenset(two) for reply in replies for two in combinations(ids(reply), 2))
    said = {reply["trace"]["thought_id"] for reply in replies} - {None}
    records = [json.loads(line) for line in place.export().splitlines()]
    kinds = Counter(one["record"] for one in records)
    assert kinds["query"] == len(replies)
    assert {one["id"] for one in records if one["record"] == "thought"} == said | set(shown)
    for thought in said | set(shown):
        kept = place.record(thought)
        assert kept["access_count"] == accesses[thought]
        for companion in kept["co_retrieved_with"]:
            assert companion["count"] == pairs[frozenset({thought, companion["thought_id"]})]
