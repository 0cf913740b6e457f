"""The answers stored for retries. They quote thoughts in part: full texts are read again.

An answer may show fifty thoughts of ten thousand characters. Copies of those, for every call,
would fill the disk, and each erasure would read them all for its words.

Source: `docs/adr/0011-idempotency-key.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from wellworn.domain.memory import store
from wellworn.domain.memory.models import Prompt, Reply, ReplySource
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Thoughts
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.text import fingerprint

_REPLY = TypeAdapter(Reply)
_PROMPT = TypeAdapter(Prompt)


class KeptAnswers:
    """Finds and stores the first answer to a prompt that has an idempotency key."""

    def __init__(self, thoughts: Thoughts, clock: Clock) -> None:
        self._thoughts = thoughts
        self._clock = clock

    def find(self, transaction: Transaction, access: Access, prompt: Prompt) -> Reply | None:
        """Return what was answered to the prompt before, if it is stored.

        Raises:
            InvalidInput: its key was used for another request.
        """
        key = prompt.idempotency_key
        stored = store.find_answer(transaction, access, key) if key is not None else None
        if stored is None:
            return None
        request, answer = stored
        if request != _fingerprint(prompt):
            raise InvalidInput("this Idempotency-Key was used for a different request")
        reply = _REPLY.validate_json(answer)
        if not prompt.explain:
            return reply
        sources = tuple(self._add_contents(transaction, access, reply.result.sources))
        return replace(reply, result=replace(reply.result, sources=sources))

    def store(self, transaction: Transaction, access: Access, prompt: Prompt, reply: Reply) -> None:
        """Keep the answer for a day, if the prompt has a key."""
        if prompt.idempotency_key is None:
            return
        sources = tuple(
            replace(source, content=None) if source.is_thought else source
            for source in reply.result.sources
        )
        brief = replace(reply, result=replace(reply.result, sources=sources))
        store.store_answer(
            transaction,
            access,
            prompt.idempotency_key,
            fingerprint=_fingerprint(prompt),
            answer=_REPLY.dump_json(brief).decode(),
            now=self._clock.now(),
        )

    def _add_contents(
        self, transaction: Transaction, access: Access, sources: Sequence[ReplySource]
    ) -> Iterator[ReplySource]:
        ids = [source.thought_id for source in sources if source.is_thought]
        read = self._thoughts.sessions.read_contents
        spaces = [space for space in (access.shared, access) if space is not None]
        contents = {
            name: content
            for space in spaces
            for name, content in read(transaction, space, ids).items()
        }
        for source in sources:
            is_thought = source.is_thought
            yield replace(source, content=contents.get(source.thought_id)) if is_thought else source


def _fingerprint(prompt: Prompt) -> str:
    return fingerprint(_PROMPT.dump_json(prompt).decode())
