"""The audit trail over HTTP: what is in it, what never is, and that nobody changes it unseen."""

from __future__ import annotations

import json
import logging

import pytest

from api.walls import founded, send, served, unlimited
from api.world import NOBODY, accepted, refused, talk
from empty_memory import look_into
from wellworn.kit.clock import to_iso
from wellworn.testing.embedder import HashEmbedder

CANARIES = ("xylophage", "quagswamp", "zyzzyva", "brouhahaha", "flibbert")


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return founded(world, "audited", sealed=request.param == "sealed")


def changed(world, *statements):
    """Write to the database as somebody who has the file."""
    with look_into(world.home) as connection:
        for statement, *values in statements:
            connection.execute(statement, values)


def lived(owner):
    """Let a few calls pass and return the verdict on their trail, which is good."""
    owner.know("The lamp burns whale oil.")
    for _ in range(6):
        owner.ask("What does the lamp burn?")
    return accepted(owner.get("audit/verify"))


def entry_of(owner, seq):
    [(entry,)] = owner.world.rows(
        "SELECT entry FROM audit_entries WHERE space_id = ? AND seq = ?", owner.space, seq
    )
    return entry


# --------------------------------------------------------------------------------- tampering


def edit(owner):
    content = json.loads(entry_of(owner, 3))
    forged = json.dumps({**content, "outcome": "FORBIDDEN"}).encode()
    one = "UPDATE audit_entries SET entry = ? WHERE space_id = ? AND seq = 3"
    changed(owner.world, (one, forged, owner.space))


def delete(owner):
    changed(
        owner.world,
        ("DELETE FROM audit_entries WHERE space_id = ? AND seq = 3", owner.space),
    )


def delete_and_close_the_gap(owner):
    delete(owner)
    for seq in range(4, 9):
        move = "UPDATE audit_entries SET seq = seq - 1 WHERE space_id = ? AND seq = ?"
        changed(owner.world, (move, owner.space, seq))


def swap(owner):
    move = "UPDATE audit_entries SET seq = ? WHERE space_id = ? AND seq = ?"
    for after, before in ((-1, 3), (3, 4), (4, -1)):
        changed(owner.world, (move, after, owner.space, before))


def insert(owner):
    entry = entry_of(owner, 3)
    last = owner.world.rows("SELECT max(seq) FROM audit_entries WHERE space_id = ?", owner.space)
    add = "INSERT INTO audit_entries (space_id, seq, entry, hash) VALUES (?, ?, ?, ?)"
    changed(owner.world, (add, owner.space, last[0][0] + 1, entry, b"\x00" * 32))


def bring_from_another_space(owner):
    other = founded(owner.world)
    lived(other)
    [(entry, digest)] = owner.world.rows(
        "SELECT entry, hash FROM audit_entries WHERE space_id = ? AND seq = 3", other.space
    )
    put = "UPDATE audit_entries SET entry = ?, hash = ? WHERE space_id = ? AND seq = 3"
    changed(owner.world, (put, entry, digest, owner.space))


@pytest.mark.parametrize(
    "tamper",
    [edit, delete, delete_and_close_the_gap, swap, insert, bring_from_another_space],
)
def test_a_trail_that_was_changed_does_not_verify(owner, tamper):
    assert lived(owner)["ok"]
    tamper(owner)
    verdict = accepted(owner.get("audit/verify"))
    assert not verdict["ok"]
    assert verdict["reason"]
    assert verdict["first_bad_seq"] >= 3


def test_an_end_that_was_cut_off_is_seen_against_a_checkpoint(owner):
    lived(owner)
    checkpoint = owner.world.app.guard.audit.checkpoint(owner.space)
    assert accepted(owner.get("audit/verify"))["checkpoints"] == 1
    cut = "DELETE FROM audit_entries WHERE space_id = ? AND seq > ?"
    changed(owner.world, (cut, owner.space, checkpoint.seq - 2))
    verdict = accepted(owner.get("audit/verify"))
    assert (verdict["ok"], verdict["reason"]) == (False, "truncated")


def test_a_forged_checkpoint_is_seen(owner):
    lived(owner)
    owner.world.app.guard.audit.checkpoint(owner.space)
    forge = "UPDATE audit_checkpoints SET seq = seq - 1 WHERE space_id = ?"
    changed(owner.world, (forge, owner.space))
    assert not accepted(owner.get("audit/verify"))["ok"]


def test_a_checkpoint_comes_by_itself_within_the_hour(owner):
    lived(owner)
    owner.world.clock.advance(hours=1.1)
    owner.world.app.maintain()
    assert accepted(owner.get("audit/verify"))["checkpoints"] == 1


# --------------------------------------------------------------------------- what is written


def acts(caller, **wanted):
    """Return action and outcome of the caller's entries, in order."""
    return [
        (entry["action"], entry["outcome"])
        for entry in caller.trail()
        if all(entry[name] == value for name, value in wanted.items())
    ]


READS = {
    "health": "space.read",
    "search?q=lamp": "thought.found",
    "highways": "thought.listed",
    "contributors/zoe": "thought.listed",
    "export": "export.made",
    "audit": "audit.read",
    "audit/verify": "audit.read",
    "audit/export": "audit.exported",
    "spaces/{space}": "space.read",
    "spaces/{space}/members": "space.read",
}


@pytest.mark.parametrize("path", READS)
def test_reads_are_written_down(owner, path):
    owner.know("The lamp burns whale oil.")
    child = owner.child()
    assert child.get(path.format(space=owner.space)).status_code == 200
    assert acts(owner, credential=child.kid) == [(READS[path], "ok")]


def test_an_entry_says_who_what_and_which(owner):
    said = owner.know("The lamp burns whale oil.")
    accepted(owner.get(f"thoughts/{said}"))
    entry = owner.trail()[-1]
    assert entry["principal"] == owner.member_id
    assert entry["credential"] == owner.kid
    assert (entry["action"], entry["targets"]) == ("thought.read", [said])
    assert (entry["outcome"], entry["at"]) == ("ok", to_iso(owner.world.clock.now()))
    numbers = [one["request_id"] for one in owner.trail() if one["credential"]]
    assert len(set(numbers)) == len(numbers)


REFUSED = [
    ("POST", "ingest", lambda _: {"content": "x"}, "practice.stored"),
    ("GET", "audit", None, "audit.read"),
    ("GET", "audit/export", None, "audit.exported"),
    ("POST", "maintenance/decay", None, "space.changed"),
    ("PUT", "spaces/{space}", lambda _: {"unconfirmed_hours": 1}, "space.changed"),
    ("DELETE", "spaces/{space}", None, "space.deleted"),
    ("POST", "spaces/{space}/invitations", lambda _: {}, "member.invited"),
    ("DELETE", "spaces/{space}/members/{member}", None, "member.revoked"),
    ("POST", "spaces/{space}/rotate", None, "space.rotated"),
    ("POST", "spaces/{space}/unseal", None, "space.unsealed"),
    ("POST", "spaces/{space}/reseal", None, "space.resealed"),
    (
        "POST",
        "spaces/{space}/rollback",
        lambda owner: {"owner": owner.member_id, "since": "2020-01-01"},
        "rollback.made",
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "action"), REFUSED)
def test_refused_calls_are_written_down(owner, method, path, body, action):
    reader = owner.guest("reader")
    path = path.format(space=owner.space, member=owner.member_id)
    refused(reader.send(method, path, body and body(owner)), 403, "FORBIDDEN")
    done = acts(owner, credential=reader.kid)
    assert [one for one in done if one != ("space.opened", "ok")] == [(action, "FORBIDDEN")]


def test_what_was_stored_is_named_before_what_was_found(owner):
    first = owner.ask("The lamp of the tower burns whale oil, as its keeper says.")
    second = owner.ask("The lamp of the tower is trimmed every night, as its keeper says.")
    stored = [answer["trace"]["thought_id"] for answer in (first, second)]
    assert owner.trail()[-1]["targets"] == [stored[1], stored[0]]


def test_a_call_that_failed_is_written_down_with_its_code(owner):
    refused(owner.get(f"thoughts/{NOBODY}"), 404, "THOUGHT_NOT_FOUND")
    assert acts(owner)[-1] == ("thought.read", "THOUGHT_NOT_FOUND")


def test_a_download_that_was_broken_off_is_written_down(owner):
    owner.know("The lamp burns whale oil.")
    records = owner.world.app.export(owner.world.app.authenticator.enter(owner.key, owner.space))
    next(records)
    records.close()
    assert acts(owner)[-1] == ("export.made", "ok")


def test_every_trail_is_its_own_space_s(world):
    one, other = founded(world), founded(world)
    lived(one)
    lived(one)
    assert acts(other) == [("space.created", "ok")]
    assert one.member_id not in json.dumps(other.trail())


def test_what_tells_of_a_deleted_space_stays(owner):
    lived(owner)
    accepted(owner.send("DELETE", f"spaces/{owner.space}"))
    entries = owner.world.app.guard.audit.entries(owner.space)
    assert entries[-1].entry.action == "space.deleted"
    assert owner.world.app.guard.audit.verify(owner.space).ok


# ------------------------------------------------------------------------- what is not written


def canary_calls(owner):
    """Say canaries in every place that takes text; return the answers."""
    a, b, c, d, e = CANARIES
    said = owner.know(f"The {a} eats wood.", f"{b}-agent", tags=[c], context_metadata=d)
    yield owner.post("memory", talk(f"what of the {a}?", f"{b}-agent", context=f"{d} {e}"))
    yield owner.post("ingest", {"content": a, "metadata": {"domain": b, "source": c}})
    yield owner.post("query", {"query": f"{a}?", "domain": b})
    yield owner.get("search", params={"q": a, "filter_tags": c})
    yield owner.get(f"contributors/{b}-agent")
    yield owner.get(f"contributors/{e}")
    yield owner.get(f"thoughts/{said}")
    yield owner.tool("remember", content=f"The {a} sings.", tags=[c], agent_name=b)
    yield owner.tool("recall", query=f"{d} {e}")
    yield owner.tool("fetch", id=a)
    yield owner.tool(a, query=b)
    yield owner.tool("recall", path=f"/mcp/{a}", query=b)
    yield owner.post("memory", {"prompt": a, e: b})
    yield owner.post("memory", {**talk(a), "limit": b})
    yield owner.post("memory", talk(a), headers={"wellworn-space": b})
    yield owner.post("memory", talk(a), headers={"idempotency-key": f"{c} {d}"})
    yield owner.send("POST", "import", lines=f'{{"record": "{a}"}}\n{b}\n'.encode())
    yield owner.send("POST", "memory", lines=a.encode())
    yield owner.get(f"nowhere/{a}", params={b: c})
    yield owner.send("DELETE", f"thoughts/{said}", {"agent_id": b, "reason": f"{d} {e}"})
    yield send(owner.world, "GET", "spaces", headers={"x-api-key": f"ww_{a}_{b}"})
    yield send(owner.world, "POST", "invitations/accept", {"token": f"wi_{a}", "name": b})


def test_no_entry_has_a_word_of_what_was_said(owner):
    for _ in canary_calls(owner):
        pass
    rows = owner.world.rows("SELECT entry FROM audit_entries")
    told = [owner.get("audit").text, owner.get("audit/export").text, *map(str, rows)]
    for canary in CANARIES:
        assert not [text for text in told if canary in text]
    assert accepted(owner.get("audit/verify"))["ok"]


def test_no_log_has_a_word_of_what_was_said(owner, caplog):
    for logger in ("", "wellworn", "uvicorn", "mcp"):
        caplog.set_level(logging.DEBUG, logger)
    for _ in canary_calls(owner):
        pass
    # The client's own log is the test's, not the server's.
    for one in caplog.records:
        if one.name.startswith(("httpx", "httpcore")):
            continue
        text = logging.Formatter("%(name)s %(message)s").format(one)
        assert not [canary for canary in CANARIES if canary in text], one.name
        assert owner.key.split("_")[2] not in text


@pytest.mark.parametrize("broken", ["knowledge_documents", "thoughts", "query_log"])
def test_not_even_the_log_of_a_failure_has(opened, caplog, broken):
    world = opened(HashEmbedder(), unlimited(), raise_server_exceptions=False)
    owner = founded(world)
    changed(world, (f"ALTER TABLE {broken} RENAME TO gone",))
    caplog.set_level(logging.DEBUG, "wellworn")
    codes = set()
    for body in ({"content": CANARIES[0]}, talk(f"The {CANARIES[1]} was found to eat wood.")):
        path = "ingest" if "content" in body else "memory"
        reply = owner.post(path, body)
        codes.add(reply.status_code)
        assert not [canary for canary in CANARIES if canary in reply.text]
    assert 500 in codes
    assert caplog.text
    assert not [canary for canary in CANARIES if canary in caplog.text]
