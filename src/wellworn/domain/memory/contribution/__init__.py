"""The contribution rule: which prompts are stored as thoughts, and why the others are not. Pure."""

from wellworn.domain.memory.contribution.beside import DividedPrompt, divide
from wellworn.domain.memory.contribution.courtesy import Talk, find_talk, is_courtesy
from wellworn.domain.memory.contribution.erasing import asks_to_erase
from wellworn.domain.memory.contribution.questions import (
    AUXILIARIES,
    QUESTION_WORDS,
    find_kind,
    remove_asking,
)
from wellworn.domain.memory.contribution.rule import (
    Contribution,
    ContributionReason,
    is_contribution,
    is_follow_up,
    is_question,
    judge_contribution,
)

__all__ = [
    "AUXILIARIES",
    "QUESTION_WORDS",
    "Contribution",
    "ContributionReason",
    "DividedPrompt",
    "Talk",
    "asks_to_erase",
    "divide",
    "find_kind",
    "find_talk",
    "is_contribution",
    "is_courtesy",
    "is_follow_up",
    "is_question",
    "judge_contribution",
    "remove_asking",
]
