"""Keeps what a user answered to the one question that a name was resolved to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wellworn.domain.audit import Action
from wellworn.domain.knowledge import NameVerdict, ResolutionOutcome, StoredConflict
from wellworn.domain.spaces import Access, Role
from wellworn.errors import InvalidInput

if TYPE_CHECKING:
    from wellworn.application.calls import App

_BOTH = "both"
_REASON = "the user's answer"


def settle_question(app: App, access: Access, term: str, answer: str) -> None:
    """Keep a user's answer to the question that a term was resolved to.

    It is a value in dispute or `both`, the citation of what is meant, or another name of it.

    Raises:
        Forbidden: the caller may not decide that; settling a dispute and joining names are for
            admins, as over HTTP.
        InvalidInput: it is none of these.
    """
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        discovery = call.services.discovery
        dispute = _find_dispute(discovery.conflicts(call.access, with_closed=False), term, answer)
        is_name = (
            dispute is None
            and "/" not in answer
            and discovery.resolve(call.access, answer, context="", agent_id="", learn=False).outcome
            is ResolutionOutcome.RESOLVED
        )
    if dispute is not None:
        number = str(dispute.id)
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN, targets=[number]) as call:
            call.services.discovery.decide(call.access, dispute.id, answer, reason=_REASON)
    elif is_name:
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
            names = call.services.discovery.names
            ruling = names.rule(call.access, term, answer, NameVerdict.ONE, reason=_REASON)
            call.touch([str(ruling.id)])
    elif "/" in answer:
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR) as call:
            call.services.discovery.learn(call.access, term, answer)
    else:
        message = "answer must be a value in dispute, both, a candidate's citation or a known name"
        raise InvalidInput(message)


def _find_dispute(
    conflicts: Iterable[StoredConflict], term: str, answer: str
) -> StoredConflict | None:
    """Return the open conflict about a thing that a term names, and that an answer settles."""
    asked = f" {term.casefold()} "
    return next(
        (
            conflict
            for conflict in conflicts
            if conflict.state == "open" and f" {conflict.term.casefold()} " in asked
            if answer == _BOTH or answer in {claim.value for claim in conflict.claims}
        ),
        None,
    )
