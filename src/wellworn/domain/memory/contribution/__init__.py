"""The contribution rule: which prompts are stored as thoughts, and why the others are not. Pure."""

from wellworn.domain.memory.contribution.rule import (
    Contribution,
    ContributionReason,
    asks_to_erase,
    is_contribution,
    is_follow_up,
    is_question,
    judge_contribution,
)

__all__ = [
    "Contribution",
    "ContributionReason",
    "asks_to_erase",
    "is_contribution",
    "is_follow_up",
    "is_question",
    "judge_contribution",
]
