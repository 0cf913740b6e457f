"""Exports: lines that can be checked without the database, and of which none can be changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.audit.world import KEY, Pen, Trail, verifies
from wellworn.domain.audit import Fault, TrailReport, Trust, verify_export
from wellworn.domain.audit import service as module

TRUST = Trust((Pen().public,), verifies)


def checked(lines, **parts):
    report = verify_export(lines, trust=TRUST, **parts)
    return report.first_bad_seq, report.reason


@pytest.fixture
def exported(trail):
    trail.write(3)
    trail.audit.checkpoint("ks")
    trail.write(2)
    trail.audit.checkpoint("ks")
    trail.write(1)
    return list(trail.audit.export("ks"))


def test_an_export_can_be_checked_with_the_chains_key_and_without(exported):
    assert len(exported) == 1 + 6 + 2
    assert verify_export(exported, trust=TRUST, chain_key=KEY) == TrailReport("ks", 6, 2)
    ended = [f"{line}\n" for line in exported]
    assert verify_export(ended, trust=TRUST) == TrailReport("ks", 6, 2, keyed=False)


def test_every_line_is_json(exported):
    lines = [json.loads(line) for line in exported]
    assert lines[0] == {"audit": "ks", "format": 1}
    assert [line["seq"] for line in lines if "seq" in line] == [1, 2, 3, 4, 5, 6]
    assert lines[1]["entry"]["targets"] == ["t-0"]


def test_an_export_comes_out_the_same_and_only_grows(trail, exported, monkeypatch):
    monkeypatch.setattr(module, "_PAGE", 2)
    assert list(trail.audit.export("ks")) == exported
    trail.audit.checkpoint("ks")
    trail.write(3)
    later = list(trail.audit.export("ks"))
    assert len(later) == len(exported) + 4
    assert later[: len(exported)] == exported
    assert verify_export(later, trust=TRUST, chain_key=KEY) == TrailReport("ks", 9, 3)


def test_an_empty_trail_exports_its_name(trail):
    assert verify_export(trail.audit.export("ks"), trust=TRUST, chain_key=KEY) == TrailReport(
        "ks", 0, 0
    )


def test_a_cut_export_is_seen_by_a_kept_checkpoint_only(trail, exported):
    kept = trail.audit.checkpoint("ks")
    assert verify_export(exported[:-1], trust=TRUST, chain_key=KEY).ok
    assert checked(exported[:-1], external=[kept]) == (6, Fault.TRUNCATED)
    assert checked(exported, external=[kept]) == (None, None)


def test_a_checkpoint_from_an_old_export_convicts_the_present_chain(trail, exported):
    trail.harm("DELETE FROM audit_entries WHERE seq > 4")
    trail.harm("DELETE FROM audit_checkpoints WHERE seq > 4")
    now = list(trail.audit.export("ks"))
    assert checked(now, chain_key=KEY) == (None, None)
    trail.write(2)
    now = list(trail.audit.export("ks"))
    kept = [line for line in exported if line not in now and "checkpoint" in line]
    assert checked([*now, *kept], chain_key=KEY) == (5, Fault.REWRITTEN)


def test_a_damaged_entry_is_exported_as_it_is_and_seen(trail, exported):
    trail.harm("UPDATE audit_entries SET entry = x'7b7dff' WHERE seq = 2")
    assert checked(trail.audit.export("ks"), chain_key=KEY) == (2, Fault.UNREADABLE)
    trail.harm("UPDATE audit_entries SET entry = x'7b7d' WHERE seq = 2")
    assert checked(trail.audit.export("ks"), chain_key=KEY) == (2, Fault.CHANGED)


@pytest.mark.parametrize(
    ("lines", "bad"),
    [
        ([], (1, Fault.UNREADABLE)),
        (["["], (1, Fault.UNREADABLE)),
        (["[" * 100_000], (1, Fault.UNREADABLE)),
        (['{"audit":7,"format":1}'], (1, Fault.UNREADABLE)),
        (['{"audit":"ks","format":2}'], (1, Fault.UNREADABLE)),
        (['{"audit":"ks","format":1}', "{}"], (1, Fault.UNREADABLE)),
        (['{"audit":"ks","format":1}', '{"entry":{},"hash":"00","seq":2}'], (1, Fault.GAP)),
        (['{"audit":"ks","format":1}', '{"entry":{},"hash":"0","seq":1}'], (1, Fault.UNREADABLE)),
        (['{"audit":"ks","format":1}', '{"entry":{},"hash":"","seq":1.0}'], (1, Fault.UNREADABLE)),
    ],
)
def test_lines_that_no_export_writes_are_a_fault_and_no_crash(lines, bad):
    assert checked(lines, chain_key=KEY) == bad


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    trail = Trail(tmp_path_factory.mktemp("export") / "memory.db")
    trail.write(3)
    trail.audit.checkpoint("ks")
    yield list(trail.audit.export("ks"))
    trail.database.close()


@given(st.integers(0, 99), st.integers(0, 9999), st.integers(1, 127))
def test_no_change_of_a_single_character_of_an_export_goes_unseen(frozen, line, place, flip):
    lines = list(frozen)
    old = lines[line % len(lines)]
    at = place % len(old)
    lines[line % len(lines)] = old[:at] + chr(ord(old[at]) ^ flip) + old[at + 1 :]
    assert not verify_export(lines, trust=TRUST, chain_key=KEY).ok


@given(st.permutations(range(1, 5)))
def test_another_order_of_lines_is_seen(frozen, order):
    lines = [frozen[0], *(frozen[place] for place in order)]
    entries = [place for place in order if place < 4]
    assert verify_export(lines, trust=TRUST, chain_key=KEY).ok is (entries == [1, 2, 3])
