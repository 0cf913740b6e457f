"""A thought before it is stored: what it may contain, and when it goes into quarantine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wellworn.domain.inspection import Inspector
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import ThoughtKind, ThoughtType
from wellworn.domain.thoughts.tags import clean_tags, reject_sentences
from wellworn.engines.safety import redact
from wellworn.errors import InvalidInput, MissingSources
from wellworn.kit.text import is_storable

LONGEST_CONTENT = 10_000
LONGEST_CONTEXT = 2_000


@dataclass(frozen=True, slots=True)
class ThoughtDraft:
    """A thought before it is stored.

    Attributes:
        thought_id: given by imports; None means a new one.
        replaces: ids of thoughts that are not true any more.
        corrects: ids of thoughts that it is inferred to correct; those that are gone do not count.
        session: name of the conversation a turn belongs to.
        position: place in that conversation, from 0.
        created_at: epoch seconds; None means now.
        expires_at: from when on it is history, in epoch seconds; None for no end.
    """

    content: str
    contributor_id: str
    contributor_name: str
    thought_type: ThoughtType = ThoughtType.ORIGINAL
    source_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    context_metadata: str | None = None
    kind: ThoughtKind = ThoughtKind.THOUGHT
    session: str | None = None
    position: int | None = None
    created_at: float | None = None
    thought_id: str | None = None
    replaces: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    expires_at: float | None = None

    def is_quarantined(self, access: Access, inspector: Inspector) -> bool:
        """Tell whether the thought goes into quarantine, as it reads like a command to its readers.

        Thoughts without credentials and those of admins of the space never do.
        """
        if not access.is_inspected:
            return False
        text = "\n".join(filter(None, (self.content, self.context_metadata)))
        return inspector.is_order(text, self.contributor_id, self.contributor_name, *self.tags)

    def validate_new(self) -> ThoughtDraft:
        """Return the draft as `validate` does; what is imported may have tags that are no words.

        Raises:
            InvalidInput: as in `validate`, or a tag is a sentence.
            MissingSources: as in `validate`.
        """
        reject_sentences(self.tags)
        return self.validate()

    def validate(self) -> ThoughtDraft:
        """Return the draft without secrets, with its tags cleaned.

        Raises:
            InvalidInput: a field is empty, too long, or not storable.
            MissingSources: a refinement or consolidation names no source.
        """
        return self._redact().validate_redacted()

    def validate_redacted(self) -> ThoughtDraft:
        """Return a draft that is without secrets, with its tags cleaned.

        Raises:
            InvalidInput, MissingSources: as in `validate`.
        """
        self.check()
        return replace(self, tags=tuple(clean_tags(self.tags))) if self.tags else self

    def check(self) -> None:
        """Check the fields as they are.

        Raises:
            InvalidInput, MissingSources: as in `validate`.
        """
        if not self.content.strip():
            message = "content is required and must be a non-empty string"
            raise InvalidInput(message)
        if len(self.content) > LONGEST_CONTENT:
            message = f"content must be at most {LONGEST_CONTENT} characters"
            raise InvalidInput(message)
        if len(self.context_metadata or "") > LONGEST_CONTEXT:
            message = f"context_metadata must be at most {LONGEST_CONTEXT} characters"
            raise InvalidInput(message)
        texts = (
            self.content,
            self.contributor_id,
            self.contributor_name,
            self.context_metadata,
            *self.tags,
        )
        if not all(is_storable(text) for text in texts if text):
            message = "text must not contain NUL or unpaired surrogate characters"
            raise InvalidInput(message)
        if self.thought_type is not ThoughtType.ORIGINAL and not self.source_ids:
            message = f"source_ids must not be empty for thought_type {self.thought_type}"
            raise MissingSources(message)

    @property
    def names_others(self) -> bool:
        """Whether it says what other thoughts it builds on, replaces or corrects."""
        return bool(self.source_ids or self.replaces or self.corrects)

    def _redact(self) -> ThoughtDraft:
        context = self.context_metadata
        return replace(
            self,
            content=redact(self.content).text,
            contributor_id=redact(self.contributor_id).text,
            contributor_name=redact(self.contributor_name).text,
            context_metadata=context and redact(context).text,
            tags=tuple(redact(tag).text for tag in self.tags),
        )
