"""Packs what an agent should have before it goes on, most useful first, in a budget of tokens.

For a prompt it is what is close to it, and nothing where nothing is; without one it is what matters
of the memory now. Everything is quoted with whose it is and when it was said, in one fence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from wellworn.application.calls.guard import CallContext, CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Answer, ResolutionOutcome
from wellworn.domain.memory import Digest, DigestSection, describe_standing
from wellworn.domain.sources import Snippet
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import FoundThought, Highway
from wellworn.engines.retrieval.text import hash_words
from wellworn.engines.safety import SHOWN_FROM, Quote, fence_quotes, new_nonce
from wellworn.errors import InvalidInput
from wellworn.kit.clock import format_day
from wellworn.kit.folding import fold_forms
from wellworn.kit.passages import pick_passage
from wellworn.kit.project_ids import is_project_id, read_project_name
from wellworn.kit.text import CHARACTERS_A_TOKEN, fingerprint, show_name

_LONGEST_QUOTE: Final = 480
"""Characters of one thing: enough for a note, and ten of them fit into a usual budget."""
_MOST_VALUES: Final = 3
_MOST_PASSAGES: Final = 3
_MOST_HIGHWAYS: Final = 5
_MOST_NEWEST: Final = 8
_MOST_SHARED: Final = 4
_MOST_SOURCES: Final = 5
_SHORT_ID: Final = 8
_LONGEST_ID: Final = 24
_NONCE_LENGTH: Final = 16


class ContextCalls(Protocol):
    """The calls that it is put together of, each let in and written down as itself."""

    @property
    def guard(self) -> CallGuard: ...

    def digest(self, access: Access, since: float | None = None) -> Digest: ...

    def resolve(self, access: Access, term: str, *, learn: bool = True) -> Answer: ...


@dataclass(frozen=True, slots=True)
class ContextOrder:
    """An order for context.

    Attributes:
        prompt: what the agent was told; None for what matters now.
        leave_out: ids of what it was shown already.
    """

    agent_id: str
    prompt: str | None = None
    budget_tokens: int = 600
    leave_out: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One thing that may be packed; `thought` is what is counted as shown with it."""

    kind: str
    id: str
    citation: str
    text: str
    thought: FoundThought | None = field(default=None, repr=False)

    @property
    def quote(self) -> Quote:
        return Quote(self.text, self.citation)


_NOTHING: Final = ContextItem("thought", "", "", "")


@dataclass(frozen=True, slots=True)
class PackedContext:
    """Packed context; `text` is empty where there is nothing. `tokens` are estimated."""

    text: str
    items: tuple[ContextItem, ...]
    tokens: int
    left_out: int
    session_id: str | None


def pack_context(calls: ContextCalls, access: Access, order: ContextOrder) -> PackedContext:
    """Return what is worth an agent's tokens; of a prompt's thoughts it counts what is shown."""
    found = list(
        _gather_now(calls, access)
        if order.prompt is None
        else _gather_close(calls, access, order, order.prompt)
    )
    known = frozenset(order.leave_out)
    fresh: dict[str, ContextItem] = {}
    for item in found:
        if item.id not in known:
            fresh.setdefault(item.id, item)
    head = _name_memory(access)
    packed = pack(head, _drop_repeated(fresh.values()), order.budget_tokens)
    session_id = None
    thoughts = [item.thought for item in packed if item.thought is not None]
    if thoughts and order.prompt is not None:
        with calls.guard.call(access, Action.MEMORY_RECALLED) as call:
            overhearing = call.services.memory.overhearing
            session_id = overhearing.count(call.access, thoughts, agent_id=order.agent_id)
            call.touch(each.thought_id for each in thoughts)
    text = _write(head, packed)
    return PackedContext(
        text, tuple(packed), _count_tokens(text), len(fresh) - len(packed), session_id
    )


def pack(head: str, items: Sequence[ContextItem], budget_tokens: int) -> list[ContextItem]:
    """Return as many items as the budget holds, in their order; pure.

    One that is too long for what is left gives way to shorter ones behind it.
    """
    left = budget_tokens * CHARACTERS_A_TOKEN - len(_write(head, [_NOTHING]))
    packed: list[ContextItem] = []
    for item in items:
        # Its number, its brackets, two line ends and the indentation of its lines.
        cost = len(item.citation) + len(item.text) + 2 * item.text.count("\n") + 9
        if cost <= left:
            packed.append(item)
            left -= cost
    return packed


def _write(head: str, items: Sequence[ContextItem]) -> str:
    if not items:
        return ""
    quotes = fence_quotes([item.quote for item in items], new_nonce()[:_NONCE_LENGTH])
    return f"{head}\n{quotes}"


def _count_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _name_memory(access: Access) -> str:
    space = access.space
    of = f"the project {read_project_name(space)}" if is_project_id(space) else space
    return f"{SHOWN_FROM} of {of}:"


def _drop_repeated(items: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the items without those in the same words and signs as one before them.

    What contradicts stays, and is marked.
    """
    kept: list[ContextItem] = []
    told: set[str] = set()
    for item in items:
        words = " ".join(fold_forms(item.text).casefold().split()).rstrip(".")
        if words not in told or (item.thought is not None and item.thought.contested):
            kept.append(item)
        told.add(words)
    return kept


# ---------------------------------------------------------------- what is close to a prompt


def _gather_close(
    calls: ContextCalls, access: Access, order: ContextOrder, prompt: str
) -> Iterator[ContextItem]:
    with calls.guard.call(access, Action.DOCUMENT_FOUND) as call:
        has_sources = bool(call.services.sources.list_sources(call.access))
        passages = _find_passages(call, prompt) if has_sources else []
    if has_sources:
        yield from _resolve(calls, access, prompt)
    with calls.guard.call(access, Action.THOUGHT_FOUND) as call:
        thoughts = call.services.memory.overhearing.find(
            call.access, prompt, agent_id=order.agent_id, left_out=frozenset(order.leave_out)
        )
        call.touch(each.thought_id for each in thoughts)
    yield from (_quote(each, prompt) for each in thoughts)
    yield from (_quote_passage(each, prompt) for each in passages)


def _find_passages(call: CallContext, prompt: str) -> list[Snippet]:
    found = call.services.discovery.search(call.access, prompt, limit=_MOST_PASSAGES)
    found = [each for each in found if not (each.is_weak or each.is_past)]
    call.touch(str(each.document_id) for each in found)
    return found


def _resolve(calls: ContextCalls, access: Access, prompt: str) -> Iterator[ContextItem]:
    """Yield the values of what a short prompt asks for; a long one is no question for a value."""
    with suppress(InvalidInput):
        answer = calls.resolve(access, prompt, learn=False)
        if answer.outcome is ResolutionOutcome.RESOLVED:
            for value in answer.values[:_MOST_VALUES]:
                named = value.attribute or value.fact_type
                cited = f"value of {value.evidence.citation}"
                text = f"{value.term}, {named}: {value.value}"
                yield ContextItem("value", _number(text, cited), cited, text)


def _number(*parts: str) -> str:
    """Return an id for what has none, which tells nothing of it: hooks keep ids on the disk."""
    return fingerprint(*parts)[:_LONGEST_ID]


def _quote_passage(passage: Snippet, prompt: str) -> ContextItem:
    text = pick_passage(passage.text, prompt, _LONGEST_QUOTE, split=hash_words)
    day = format_day(passage.fetched_at if passage.dated_at is None else passage.dated_at)
    place = f"document:{passage.document_id}:{passage.start}"
    return ContextItem("passage", place, f"{passage.citation}, {day}", text)


def _quote(thought: FoundThought, prompt: str, kind: str = "thought") -> ContextItem:
    by = show_name(thought.contributor_name) + (" in the shared space" if thought.space else "")
    standing = describe_standing(thought)
    short = thought.thought_id[:_SHORT_ID]
    cited = f"{short} by {by}, {format_day(thought.created_at)}{standing}"
    text = pick_passage(thought.content, prompt, _LONGEST_QUOTE, split=hash_words)
    return ContextItem(kind, thought.thought_id, cited, text, thought)


# ---------------------------------------------------------------- what matters now


def _quote_highways(call: CallContext, highways: Sequence[Highway]) -> Iterator[ContextItem]:
    """Yield what is worn in and still true, in full or as its first words."""
    for each in highways:
        record = call.services.thoughts.get_record(call.access, each.thought_id)
        if record.outdated_at is None:
            used = f"{each.access_count} times by {each.unique_users} agents"
            text = pick_passage(record.content, "", _LONGEST_QUOTE, split=hash_words)
            cited = f"{each.thought_id[:_SHORT_ID]}, used {used}"
            yield ContextItem("highway", each.thought_id, cited, text)


def _gather_now(calls: ContextCalls, access: Access) -> Iterator[ContextItem]:
    """Yield what changed, what is worn in, what is new, in dispute and open. Leaves no trail."""
    digest = calls.digest(access)
    with calls.guard.call(access, Action.THOUGHT_LISTED) as call:
        thoughts = call.services.thoughts
        highways = thoughts.list_highways(call.access, limit=_MOST_HIGHWAYS)
        worn_in = [*_quote_highways(call, highways)]
        newest = thoughts.selector.list_newest(call.access, limit=2 * _MOST_NEWEST)
        shared = []
        if call.access.shared is not None:
            all_share = call.access.shared
            shared = thoughts.selector.list_newest(all_share, limit=2 * _MOST_SHARED)
            shared = [replace(each, space=all_share.space) for each in shared]
        call.touch(each.thought_id for each in (*highways, *newest, *shared))
    told = {
        section: [line for line in digest.lines if line.section is section]
        for section in DigestSection
    }
    for line in told[DigestSection.CHANGED]:
        number = _number(*line.thought_ids, line.text)
        yield ContextItem("change", number, "changed in the last days", line.text)
    yield from worn_in
    seen = {each.thought_id for each in highways}
    current = [each for each in newest if each.outdated_at is None and each.thought_id not in seen]
    yield from (_quote(each, "") for each in current[:_MOST_NEWEST])
    for line in told[DigestSection.DISPUTED]:
        yield ContextItem("dispute", _number(*sorted(line.thought_ids)), "in dispute", line.text)
    for line in told[DigestSection.UNANSWERED]:
        yield ContextItem("question", _number(line.text), "asked, and nobody knew", line.text)
    current = [each for each in shared if each.outdated_at is None]
    yield from (_quote(each, "", "shared") for each in current[:_MOST_SHARED])
    with calls.guard.call(access, Action.DOCUMENT_FOUND) as call:
        sources = call.services.sources.list_sources(call.access)
    if sources:
        names = ", ".join(show_name(each.name) for each in sources[:_MOST_SOURCES])
        more = f" and {len(sources) - _MOST_SOURCES} more" if len(sources) > _MOST_SOURCES else ""
        yield ContextItem("sources", "sources", "documents to search", f"{names}{more}")
