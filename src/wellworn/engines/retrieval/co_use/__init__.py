"""Thoughts used together in one session, and whether that predicts what is used next."""

from __future__ import annotations

from wellworn.engines.retrieval.co_use.bridges import FoundBridge, find_bridges
from wellworn.engines.retrieval.co_use.events import (
    CoUse,
    Session,
    Step,
    iterate_co_uses,
    score_co_uses,
    weigh_chance,
    weigh_pairs,
)
from wellworn.engines.retrieval.co_use.gate import (
    CLOSED,
    LEAST_SESSIONS,
    MOST_SEEDS,
    GateResult,
    evaluate_gate,
)
