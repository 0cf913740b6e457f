"""What a draft must be before it is stored, whichever interface it came through."""

from __future__ import annotations

import pytest

from wellworn.domain.thoughts import ThoughtDraft
from wellworn.errors import InvalidInput


def test_the_context_of_a_thought_has_at_most_2000_characters():
    kept = ThoughtDraft("a thought", "ann", "Ann", context_metadata="x" * 2_000)
    assert kept.validate() == kept
    with pytest.raises(InvalidInput, match="context_metadata must be at most 2000 characters"):
        ThoughtDraft("a thought", "ann", "Ann", context_metadata="x" * 2_001).validate()
