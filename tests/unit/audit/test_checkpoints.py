"""Checkpoints: what makes a cut end visible, and when they are made."""

from __future__ import annotations

import dataclasses
import logging

import pytest

from unit.audit.world import KEY, Pen
from wellworn.domain.audit import Fault, TrailReport
from wellworn.errors import Tampered


def verdict(trail, space="ks", external=()):
    report = trail.audit.verify(space, external=external)
    return report.first_bad_seq, report.reason


def test_a_checkpoint_holds_while_the_trail_grows(trail):
    trail.write(3)
    made = trail.audit.checkpoint("ks")
    assert (made.space, made.seq, made.head) == ("ks", *trail.audit.head("ks"))
    trail.write(2)
    assert trail.audit.verify("ks") == TrailReport("ks", 5, 1)
    assert trail.audit.verify("ks", external=[made]) == TrailReport("ks", 5, 2)


def test_nothing_is_signed_twice_and_an_empty_trail_not_at_all(trail):
    assert trail.audit.checkpoint("ks") is None
    trail.write(1)
    first = trail.audit.checkpoint("ks")
    trail.clock.advance(hours=2)
    assert trail.audit.checkpoint("ks") == first
    assert trail.audit.verify("ks").checkpoints == 1


def test_a_cut_end_is_seen_by_a_checkpoint_only(trail):
    trail.write(5)
    trail.harm("DELETE FROM audit_entries WHERE seq > 3")
    assert trail.audit.verify("ks").ok
    trail.write(2)
    trail.audit.checkpoint("ks")
    trail.harm("DELETE FROM audit_entries WHERE seq > 3")
    assert verdict(trail) == (4, Fault.TRUNCATED)


def test_a_cut_end_is_seen_by_a_kept_checkpoint_when_those_here_were_cut_too(trail):
    trail.write(5)
    kept = trail.audit.checkpoint("ks")
    trail.harm("DELETE FROM audit_entries WHERE seq > 3")
    trail.harm("DELETE FROM audit_checkpoints")
    assert trail.audit.verify("ks").ok
    assert verdict(trail, external=[kept]) == (4, Fault.TRUNCATED)
    trail.write(5)
    assert trail.audit.verify("ks").ok
    assert verdict(trail, external=[kept]) == (5, Fault.REWRITTEN)


def test_a_deleted_trail_is_seen_by_its_checkpoint(trail):
    trail.write(5)
    trail.audit.checkpoint("ks")
    trail.harm("DELETE FROM audit_entries")
    assert trail.audit.spaces() == ["ks"]
    assert verdict(trail) == (1, Fault.TRUNCATED)


def test_kept_checkpoints_of_other_spaces_are_passed_over(trail):
    trail.write(5, "other")
    kept = trail.audit.checkpoint("other")
    trail.write(1)
    assert trail.audit.verify("ks", external=[kept]) == TrailReport("ks", 1, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 2},
        {"head": bytes(32)},
        {"made_at": 1.0},
        {"signature": bytes(64)},
        {"signature": b""},
        {"key": bytes(32)},
    ],
)
def test_a_checkpoint_that_was_changed_counts_for_nothing(trail, change):
    trail.write(3)
    kept = dataclasses.replace(trail.audit.checkpoint("ks"), **change)
    assert verdict(trail, external=[kept])[1] is Fault.UNSIGNED


@pytest.mark.parametrize("column", ["seq", "head", "made_at", "signature", "key_fingerprint"])
@pytest.mark.parametrize("value", ["text", 7, b"\xff"])
def test_a_damaged_checkpoint_is_a_fault_and_no_crash(trail, column, value):
    trail.write(3)
    trail.audit.checkpoint("ks")
    trail.harm(f"UPDATE audit_checkpoints SET {column} = :value", value=value)
    assert verdict(trail)[1] is Fault.UNSIGNED


def test_a_checkpoint_of_a_key_nobody_trusts_is_a_fault(trail):
    trail.write(3)
    trail.opened(signer=Pen(9)).checkpoint("ks")
    assert verdict(trail) == (3, Fault.UNSIGNED)


def test_checkpoints_of_a_replaced_key_still_hold(trail):
    trail.write(3)
    trail.audit.checkpoint("ks")
    trail.write(3)
    trail.audit = trail.opened(signer=Pen(9), older_keys=[Pen().public])
    trail.audit.checkpoint("ks")
    assert trail.audit.verify("ks") == TrailReport("ks", 6, 2)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE audit_entries SET entry = x'00' WHERE seq = 5",
        "DELETE FROM audit_entries WHERE seq > 2",
        "DELETE FROM audit_entries WHERE seq = 3",
        "UPDATE audit_entries SET hash = x'00' WHERE seq = 3",
        "UPDATE audit_checkpoints SET signature = x'00'",
    ],
)
def test_nothing_is_signed_that_does_not_follow_from_the_last_checkpoint(trail, harm):
    trail.write(3)
    trail.audit.checkpoint("ks")
    trail.write(3)
    trail.harm(harm)
    with pytest.raises(Tampered):
        trail.audit.checkpoint("ks")


def test_one_is_due_after_a_thousand_entries(trail):
    trail.write(1)
    assert [one.seq for one in trail.audit.checkpoint_if_due()] == [1]
    trail.write(999)
    assert trail.audit.checkpoint_if_due() == []
    trail.write(1)
    assert [one.seq for one in trail.audit.checkpoint_if_due()] == [1001]
    assert trail.audit.verify("ks") == TrailReport("ks", 1001, 2)


@pytest.mark.parametrize("seconds", [3600, -1])
def test_one_is_due_after_an_hour_and_when_the_clock_goes_back(trail, seconds):
    trail.write(1)
    trail.audit.checkpoint_if_due()
    trail.write(1)
    trail.clock.advance(3599)
    assert trail.audit.checkpoint_if_due() == []
    trail.clock.advance(seconds - 3599)
    assert [one.seq for one in trail.audit.checkpoint_if_due()] == [2]


def test_none_is_due_when_nothing_is_new(trail):
    trail.write(1)
    trail.audit.checkpoint_if_due()
    trail.clock.advance(hours=100)
    assert trail.audit.checkpoint_if_due() == []


def test_a_trail_that_does_not_hold_is_told_and_stops_no_other(trail, caplog):
    trail.write(2, "ks-a")
    trail.write(2, "ks-b")
    trail.harm("UPDATE audit_entries SET entry = x'00' WHERE space_id = 'ks-a' AND seq = 1")
    assert [one.space for one in trail.audit.checkpoint_if_due()] == ["ks-b"]
    assert "the audit trail of ks-a is not valid" in caplog.text


def test_the_log_keeps_checkpoints(trail, caplog):
    caplog.set_level(logging.INFO, "wellworn.domain.audit")
    trail.write(3)
    made = trail.audit.checkpoint("ks")
    trail.audit.checkpoint("ks")
    (line,) = caplog.messages
    assert line.startswith(f"audit checkpoint ks 3 {made.head.hex()} {made.signature.hex()} ")
    assert KEY.hex() not in caplog.text
