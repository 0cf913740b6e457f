"""Figures of remembering: highways among real notes, and what is counted of chats."""

from __future__ import annotations

import pytest
from benchmarks.chats import measure_chats
from benchmarks.remembering import NOTES, measure_highways

from unit.benchmarks import published

pytestmark = pytest.mark.slow


def test_few_notes_become_highways_by_other_questions_and_one_needed_by_five_agents_does():
    figures = measure_highways(NOTES)
    assert figures["highways: before a question"] == 0
    assert 0 < figures["highways: after forty questions"] <= 0.2
    assert figures["highways: one need in five wordings"] == 1


def test_of_chats_only_what_their_users_said_is_told_and_each_kind_is_counted(tmp_path):
    published.beam(tmp_path)
    assert measure_chats(tmp_path) == {
        "chats: abstention, nothing close": 1,
        "chats: abstention, results": 0,
        "chats: knowledge_update, outdated above": 0,
        "chats: knowledge_update, update first": 1,
        "chats: knowledge_update, update in five": 1,
    }
