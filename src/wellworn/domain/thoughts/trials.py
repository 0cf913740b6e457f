"""Tells what a trial of weights says so far, from what was used of its picks.

Source: `docs/concepts.md`, "Weights on trial".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.policies import KeptPolicy
from wellworn.domain.thoughts.store.trials import TriedQuestion, load_questions
from wellworn.engines.retrieval import Team
from wellworn.engines.retrieval.interleaving import (
    LEAST_DECIDED,
    OrderValue,
    Preference,
    compare_teams,
    estimate_value,
)
from wellworn.engines.storage.sql import Transaction

_BY_IN_USE: Final = frozenset({Team.IN_USE, Team.BOTH})
_BY_TRIED: Final = frozenset({Team.TRIED, Team.BOTH})


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial says so far.

    Attributes:
        version: of the weights on trial.
        since: when it began, in epoch seconds.
        questions: how many were answered in it, of the newest 5,000.
        preference: whose picks were used, session by session, each day of one by itself.
        in_use: how often what the weights in use put first is used; None if that cannot be said.
        tried: the same of the weights on trial.
        needed: how many sessions one side must have won before a lead is told.
    """

    version: int
    since: float
    questions: int
    preference: Preference
    in_use: OrderValue | None
    tried: OrderValue | None
    needed: int = LEAST_DECIDED


def judge_trial(transaction: Transaction, access: Access, policy: KeptPolicy) -> Trial:
    """Return what the trial of a version says so far."""
    since = policy.tried_at or 0.0
    asked = load_questions(transaction, access, policy.version, since=since)
    leads: dict[tuple[str, int], float] = {}
    users: dict[tuple[str, int], str] = {}
    for question in asked:
        if question.lead is not None:
            users[question.session] = question.user
            leads[question.session] = leads.get(question.session, 0.0) + question.lead
    return Trial(
        policy.version,
        since,
        len(asked),
        compare_teams((users[session], lead) for session, lead in leads.items()),
        _estimate(asked, _BY_IN_USE),
        _estimate(asked, _BY_TRIED),
    )


def _estimate(asked: Sequence[TriedQuestion], teams: Collection[Team]) -> OrderValue | None:
    numbers: dict[tuple[str, int], int] = {}
    return estimate_value(
        np.array([question.first in teams for question in asked], np.bool_),
        np.array([question.propensity for question in asked], np.float64),
        np.array([question.is_used for question in asked], np.float64),
        np.array(
            [numbers.setdefault(question.session, len(numbers)) for question in asked], np.int64
        ),
    )
