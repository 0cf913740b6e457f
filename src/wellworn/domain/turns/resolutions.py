"""What the resolver answered in one turn: each term is resolved once, whoever wants to know it."""

from __future__ import annotations

from typing import Final

from wellworn.domain.knowledge import Answer, Discovery
from wellworn.domain.spaces import Access

LONGEST_TERM: Final = 200


class Resolutions:
    """Resolves terms in the context of a turn's question, and remembers the answers."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}

    def resolve(
        self, discovery: Discovery, access: Access, term: str, *, context: str, agent_id: str
    ) -> Answer:
        """Return what a term stands for, as documents were when it was resolved first.

        Passages are not read for it: the turn reads all that it gathers.
        """
        term = term[:LONGEST_TERM]
        if term not in self._answers:
            self._answers[term] = discovery.resolve(
                access, term, context=context, agent_id=agent_id, learn=False, reads=False
            )
        return self._answers[term]
