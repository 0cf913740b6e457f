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
    LONGEST_REMARK,
    Contribution,
    ContributionReason,
    is_contribution,
    is_follow_up,
    is_question,
    judge_contribution,
)
