from __future__ import annotations

import json

import pytest

from wellworn.client.models import Verdict
from wellworn.interfaces.cli import audit

HOLDS = Verdict(ok=True, entries=2, checkpoints=0, first_bad_seq=None, reason=None)


def export(*outcomes):
    entries = [
        {"seq": seq, "entry": {"outcome": outcome}, "hash": f"{seq:064x}"}
        for seq, outcome in enumerate(outcomes, 1)
    ]
    return [json.dumps(line) for line in ({"audit": "ks", "format": 1}, *entries)]


def test_an_export_that_grew_agrees_with_the_one_that_was_kept():
    kept = audit.read_hashes(export("ok"))
    assert audit.compare(HOLDS, export("ok", "ok"), kept).ok


def test_words_that_differ_under_the_same_hash_are_told():
    kept = audit.read_hashes(export("ok", "no"))
    verdict = audit.compare(HOLDS, export("ok", "ok"), kept)
    assert (verdict.ok, verdict.first_bad_seq, verdict.reason) == (False, 2, "rewritten")


def test_what_was_kept_and_is_there_no_more_is_told():
    kept = audit.read_hashes(export("ok", "ok"))
    verdict = audit.compare(HOLDS, export("ok"), kept)
    assert (verdict.first_bad_seq, verdict.reason) == (2, "truncated")


@pytest.mark.parametrize("head", ["2".zfill(64), "3".zfill(64)])
def test_a_checkpoint_of_the_log_must_name_the_hash_that_is_there(head):
    kept = audit.read_hashes([f"12:00 INFO audit checkpoint ks 2 {head} more"])
    assert audit.compare(HOLDS, export("ok", "ok"), kept).ok is head.endswith("2")
