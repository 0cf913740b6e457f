"""Truth over time: what replaces what, what is true at a moment, and how that orders results. Pure.

Nothing is deleted and everything is dated: a thought is true from when it was said until another
replaces it, somebody calls it outdated or wrong, or the end that it was given comes. All of it is
derived from links, signals and ends, so that a replacement that is erased, withdrawn or rolled back
gives back exactly what it replaced.
"""

from wellworn.domain.thoughts.truth.corroboration import (
    NO_DISPUTE,
    Author,
    Confirmation,
    Corroboration,
    FoundDispute,
    Restatement,
)
from wellworn.domain.thoughts.truth.ends import (
    GivenEnd,
    list_due,
    parse_end,
    require_after,
    select_ends,
)
from wellworn.domain.thoughts.truth.models import (
    ANY_TIME,
    LEAST_CONFIDENCE,
    Alike,
    LinkedThought,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Standing,
    TimeScope,
)
from wellworn.domain.thoughts.truth.ordering import (
    Dated,
    apply_truth,
    find_stood_for,
)
from wellworn.domain.thoughts.truth.periods import find_time
from wellworn.domain.thoughts.truth.scopes import (
    list_unread_times,
    parse_scope,
    read_scope,
    tells_of,
)
from wellworn.domain.thoughts.truth.standings import Standings
