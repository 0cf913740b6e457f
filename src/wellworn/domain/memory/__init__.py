"""Memory: the one conversation, which retrieves first and then may contribute."""

from wellworn.domain.memory.answering import SearchOutcome
from wellworn.domain.memory.capture_judge import Excerpt, Statement
from wellworn.domain.memory.capture_picking import ModelPicker
from wellworn.domain.memory.capturing import CaptureOutcome
from wellworn.domain.memory.describing import describe_standing
from wellworn.domain.memory.digest import Digest, DigestSection
from wellworn.domain.memory.direct_answers import OUTLINE, TIMELINE
from wellworn.domain.memory.limits import NO_LIMITS, Limit, LimitKind, Limits, LimitState
from wellworn.domain.memory.models import Contribute, Prompt, Reply, Retrieval
from wellworn.domain.memory.searching import PromptSearch
from wellworn.domain.memory.service import Memory
from wellworn.domain.memory.wording import (
    CAVEATS,
    FIRST_OF_PROJECT,
    MORE_SAID,
    reply_to_talk,
    tell_limits,
    tell_missed,
)
