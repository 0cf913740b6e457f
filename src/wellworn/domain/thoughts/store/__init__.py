"""The only SQL of thoughts. Every function runs inside a transaction that its caller owns.

`rows` thoughts · `ledger` trails, accesses, uses and feedback · `sessions` sessions and the query
log · `highways` highways · `records` a thought with its trace and provenance · `archive` export and
import · `rollback` an owner's contributions undone.
"""

from wellworn.domain.thoughts.models import COURTESY, FindableThoughts
from wellworn.domain.thoughts.store.archive import Archive, Holder
from wellworn.domain.thoughts.store.catalogue import (
    Catalogue,
    GroupKind,
    TagCount,
    ThoughtExcerpt,
    ThoughtGroup,
)
from wellworn.domain.thoughts.store.consistency import count_inconsistencies, recount
from wellworn.domain.thoughts.store.curation import (
    list_changing,
    list_disputed,
    list_learned,
    list_unanswered,
)
from wellworn.domain.thoughts.store.exports import EXPORTERS, ExportScope
from wellworn.domain.thoughts.store.rows import Speaker
from wellworn.domain.thoughts.store.sayings import content_key, is_of_speaker, own_content_key
from wellworn.domain.thoughts.store.sessions import LastCall
from wellworn.domain.thoughts.store.timeline import ask_contributors
