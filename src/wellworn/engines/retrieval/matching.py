"""Token-level matching: of every piece of a question the most similar piece of a text.

A sentence vector is one average, in which what a question is about drowns. Compared piece by
piece, with rare words counting most, the same encoder finds .75 of the evidence in conversations
where its sentence vectors find .47. A piece is stored as 16 bytes, the signs of its vector.

Source: Khattab and Zaharia, ColBERT, SIGIR 2020; the signs: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.text.terms import weigh_query_terms
from wellworn.engines.retrieval.weights import LEAST_PIECE_WEIGHT, MOST_PIECES

Pieces = NDArray[np.float32]
Spans = Sequence[tuple[int, int]]

CODE_BYTES: Final = 16
_BITS: Final = 8
_UNIT: Final = np.float32((_BITS * CODE_BYTES) ** -0.5)
#: The eight bits of every byte, as numbers.
_BITS_OF: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
#: A unit vector of 128 numbers sums to at most 11.4, and single precision is exact up to 2 ** 24.
_GRAIN: Final = np.float32(2.0**-20)
#: Codes in a product, and products in a block.
_TILE: Final = 128
_TILES: Final = 8


def pack_pieces(text: str, pieces: Pieces, spans: Spans) -> bytes:
    """Return the codes of a text's pieces, 16 bytes each; signs of punctuation are left out.

    Args:
        text: what was encoded.
        pieces: `(n, 128)` vectors of its pieces.
        spans: the characters of each.
    """
    telling = [any(map(str.isalnum, text[start:end])) for start, end in spans]
    return np.packbits(pieces[np.array(telling, np.bool_)] > 0, axis=1).tobytes()


def weigh_pieces(text: str, spans: Spans, rarity: Mapping[int, float]) -> Pieces:
    """Return what each piece of a question counts: the idf of the word that it is a part of.

    Function words count a little, as they are of few kinds; punctuation hardly at all. The sum is
    one, or nothing if there are no pieces.
    """
    weights = np.zeros(len(spans), np.float32)
    for word in _group_pieces(text, spans):
        word_text = text[spans[word[0]][0] : spans[word[-1]][1]]
        weights[word] = _weigh_word(word_text, rarity)
    total = float(weights.sum())
    return weights / np.float32(total) if total else weights


def select_pieces(pieces: Pieces, weights: Pieces) -> tuple[Pieces, Pieces]:
    """Keep of a long question the 48 pieces that count most; their weights sum to one again."""
    if len(weights) <= MOST_PIECES:
        return pieces, weights
    selected = np.sort(np.argsort(-weights, kind="stable")[:MOST_PIECES])
    return pieces[selected], weights[selected] / weights[selected].sum()


def match_pieces(codes: Sequence[bytes], pieces: Pieces) -> Pieces:
    """Return `(texts, pieces)`: the cosine of each piece's best match in each text; -1 without any.

    The question's side keeps its numbers, the texts' side has only signs.
    """
    matches = np.full((len(codes), len(pieces)), -1.0, np.float32)
    lengths = np.array([len(code) // CODE_BYTES for code in codes], np.intp)
    with_codes = np.flatnonzero(lengths)
    if not len(with_codes) or not len(pieces):
        return matches
    # In whole grains every sum is exact, so equal texts match equally wherever they stand.
    grains = np.ascontiguousarray(np.round(pieces / _GRAIN).T)
    starts = (np.cumsum(lengths) - lengths)[with_codes]
    best = np.maximum.reduceat(_sum_set_bits(b"".join(codes), grains), starts, axis=0)
    # Where a bit is not set the number counts against the match.
    matches[with_codes] = (2 * best - grains.sum(axis=0)) * (_GRAIN * _UNIT)
    return matches


def _sum_set_bits(codes: bytes, numbers: Pieces) -> Pieces:
    """Return `(codes, pieces)`: the sum of the numbers where a code's bits are set.

    Block by block, to stay in the processor's cache; and a block is multiplied in tiles so small
    that no product is shared out among threads, which wait for one another on a busy machine.
    """
    many = len(codes) // CODE_BYTES
    padded = codes + bytes(-len(codes) % (_TILE * CODE_BYTES))
    signs = np.frombuffer(padded, np.uint8).reshape(-1, _TILE * CODE_BYTES)
    sums = np.empty((len(signs), _TILE, numbers.shape[1]), np.float32)
    bits = np.empty((_TILES, *signs.shape[1:], _BITS), np.float32)
    for start in range(0, len(signs), _TILES):
        block = signs[start : start + _TILES]
        # Bytes are in range; to say so is what makes looking them up fast.
        np.take(_BITS_OF, block, axis=0, out=bits[: len(block)], mode="clip")
        tiles = bits[: len(block)].reshape(len(block), _TILE, -1)
        np.matmul(tiles, numbers, out=sums[start : start + _TILES])
    return sums.reshape(-1, numbers.shape[1])[:many]


def _group_pieces(text: str, spans: Spans) -> list[list[int]]:
    """Group the pieces that together make a word: those with no gap and no sign between them."""
    groups: list[list[int]] = []
    for at, (start, end) in enumerate(spans):
        joins = (
            groups and spans[at - 1][1] >= start and _is_inner(text, spans[at - 1], (start, end))
        )
        if joins:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _is_inner(text: str, before: tuple[int, int], here: tuple[int, int]) -> bool:
    return text[before[1] - 1 : before[1]].isalnum() and text[here[0] : here[0] + 1].isalnum()


def _weigh_word(word: str, rarity: Mapping[int, float]) -> float:
    if not any(map(str.isalnum, word)):
        return LEAST_PIECE_WEIGHT / 3
    known = [rarity[term] for term in weigh_query_terms(word) if term in rarity]
    return min(known, default=LEAST_PIECE_WEIGHT)
