"""The embedder port, held by the shipped model and by its double."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.embedding import Embedder, EmbeddingSettings, MiniLM
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.embedder_contract import (
    EMBEDDER_CONTRACT,
    PIECES_CONTRACT,
    SYMMETRIC_CONTRACT,
    assert_covering,
)

EMBEDDERS = [MiniLM(EmbeddingSettings()), HashEmbedder()]

every_embedder = pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda each: each.name)

# Letters, marks, spaces, scripts without spaces, and control characters, long enough to be cut.
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["lichen ", "North.", " wall?\n", "漢字", "한국어", "🦉", "e\u0301", "--", "\x00"]
        ),
        st.text(max_size=12),
    ),
    max_size=40,
).map(lambda parts: "".join(parts) * 30)


@every_embedder
@pytest.mark.parametrize(
    "check",
    [*EMBEDDER_CONTRACT, *SYMMETRIC_CONTRACT, *PIECES_CONTRACT],
    ids=lambda check: check.__name__,
)
def test_the_contract_is_kept(check: Callable[[Embedder], None], embedder: Embedder):
    check(embedder)


@every_embedder
@given(text=TEXTS)
@settings(max_examples=60, deadline=None)
def test_windows_cover_any_text(embedder: Embedder, text: str):
    assert_covering(text, embedder)
