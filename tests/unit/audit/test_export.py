"""Exports: lines of JSON that stay as they were."""

from __future__ import annotations

import json

import pytest

from wellworn.domain.audit import service as module


@pytest.fixture
def exported(trail):
    trail.write(3)
    trail.audit.checkpoint("ks")
    trail.write(2)
    trail.audit.checkpoint("ks")
    trail.write(1)
    return list(trail.audit.export("ks"))


def test_every_line_is_json(exported):
    lines = [json.loads(line) for line in exported]
    assert lines[0] == {"audit": "ks", "format": 1}
    assert [line["seq"] for line in lines if "seq" in line] == [1, 2, 3, 4, 5, 6]
    assert lines[1]["entry"]["targets"] == ["t-0"]
    assert [line["checkpoint"] for line in lines if "checkpoint" in line] == [3, 5]


def test_an_export_comes_out_the_same_and_only_grows(trail, exported, monkeypatch):
    monkeypatch.setattr(module, "_PAGE", 2)
    assert list(trail.audit.export("ks")) == exported
    trail.audit.checkpoint("ks")
    trail.write(3)
    later = list(trail.audit.export("ks"))
    assert len(later) == len(exported) + 4
    assert later[: len(exported)] == exported


def test_an_empty_trail_exports_its_name(trail):
    assert [json.loads(line) for line in trail.audit.export("ks")] == [{"audit": "ks", "format": 1}]


def test_a_damaged_entry_is_exported_as_it_is(trail, exported):
    trail.harm("UPDATE audit_entries SET entry = x'7b7dff' WHERE seq = 2")
    damaged = [line for line in trail.audit.export("ks") if line not in exported]
    assert [line.partition(',"hash"')[0] for line in damaged] == ['{"entry":{}\ufffd']
