"""The figure of highways, on notes and questions that were written before its rule."""

from __future__ import annotations

import pytest
from benchmarks.remembering import NOTES, measure_highways

pytestmark = pytest.mark.slow


def test_few_notes_become_highways_by_other_questions_and_one_needed_by_five_agents_does():
    figures = measure_highways(NOTES)
    assert figures["highways: before a question"] == 0
    assert 0 < figures["highways: after forty questions"] <= 0.2
    assert figures["highways: one need in five wordings"] == 1
