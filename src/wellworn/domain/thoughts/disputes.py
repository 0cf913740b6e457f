"""Judges what members say against each other, when a question shows it; nothing of it is stored.

Words alone cannot tell a change from two things of a kind, so no two thoughts are compared when
they are stored. Who answers one question differently disputes what the other says; who answers it
alike confirms it.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.results import DescribedStanding, describe_standing
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.domain.thoughts.truth import (
    Author,
    Confirmation,
    FoundDispute,
    ReplacementLink,
    ReplacementOrigin,
)
from wellworn.engines.storage.sql import Transaction

_REASON: Final = "it answers the same question differently"


class RivalPair(NamedTuple):
    """The seqs of two thoughts of different members that answer one question.

    Attributes:
        is_alike: whether both answer with the same words.
        confidence: of the answer that is less likely one, 0 to 1.
    """

    one: int
    other: int
    is_alike: bool
    confidence: float


def judge_pairs(
    transaction: Transaction, access: Access, pairs: Sequence[RivalPair], *, at: float
) -> Mapping[int, DescribedStanding]:
    """Return what is known of thoughts that answer one question, each with the others beside it."""
    seqs = sorted({seq for pair in pairs for seq in pair[:2]})
    summaries = rows.load_summaries(transaction, access, seqs)
    heard = {each.seq: each.heard_at for each in rows.load_indexable(transaction, [*summaries])}
    links: list[ReplacementLink] = []
    confirmations: list[Confirmation] = []
    for pair in pairs:
        if not {*pair[:2]} <= heard.keys():
            continue
        # Who was heard first nobody can move back.
        older, newer = sorted(pair[:2], key=lambda seq: (heard[seq], seq))
        if pair.is_alike:
            confirmations += [
                Confirmation(seq, summaries[by].owner or "", heard[newer])
                for seq, by in ((older, newer), (newer, older))
            ]
        else:
            links.append(
                ReplacementLink(
                    newer,
                    older,
                    ReplacementOrigin.CONTRADICTS,
                    _REASON,
                    round(pair.confidence, 3),
                    heard[newer],
                )
            )
    authors = {seq: Author(each.owner, each.by_admin) for seq, each in summaries.items()}
    found = FoundDispute(links, confirmations, authors)
    standings = load_standings(transaction, [*summaries], at=at, found=found)
    ends = {end for seq in summaries for end in standings.find(seq).ends}
    linked = rows.load_summaries(transaction, access, sorted(ends - summaries.keys()))
    return {seq: describe_standing(standings.find(seq), summaries | linked) for seq in summaries}
