"""The sentences memory says, apart from the rules that decide which of them to say.

Agents read them and tests quote them, so the fixed ones are word for word those of the
specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wellworn.domain.memory.contribution import ContributionReason, Talk, find_talk
from wellworn.domain.memory.limits import Limit, LimitKind, Limits, LimitState
from wellworn.domain.outline import Node, OutlineAnswer
from wellworn.kit.clock import format_day, to_iso

QUOTED_THOUGHTS = 3
_DAY_S = 86_400
NAMED_AREAS = 10
"""The most areas the counter-question lists; the answer's `clusters` always has all."""
LABEL_WORDS = 6
LABEL_CHARACTERS = 60

WELCOME = "Welcome! I haven't seen you before. Ask me anything or share what you're learning."
FIRST_OF_PROJECT = (
    "This is the first thought of this project. It is found in the project only; recall reads "
    "what is shared by all projects as well."
)
NOTHING_KNOWN = (
    "Nothing is known about this yet. Share what you learn about it, and others will find it here."
)
FOUND = "Based on collective knowledge, here is what others have found:"
TALK: Mapping[Talk, str] = {
    Talk.AMUSEMENT: "I only know what was told to me, so I make nothing up. "
    'Ask "what is new?" for the latest.',
    Talk.ABILITY: 'I keep what you state ("The test database is on db-2") and answer what you ask '
    '("Where is the test database?"), with who said it, when, and whether it still holds. '
    '"Catch me up" lists the latest.',
    Talk.IDENTITY: "I am wellworn, a memory that agents share: a program, not a person. "
    "I keep what you tell me and find it again, with who said it and when.",
    Talk.WELLBEING: "All is well here, thank you. Ask me something, or tell me what you learn.",
    Talk.THANKS: "You are welcome. Mark what helped as useful, and others find it sooner.",
    Talk.FAREWELL: "Goodbye! What was told to me will be here when you return.",
    Talk.GREETING: "Hello! Ask me something, or tell me what you learn.",
    Talk.REMARK: "All right. Nothing was asked or stated, so nothing was looked up or stored.",
}
"""Answers to prompts that only talk."""


def reply_to_talk(prompt: str) -> str:
    """Return the answer to a prompt that only talks; empty for any other."""
    talk = find_talk(prompt)
    return TALK[talk] if talk is not None else ""


UNCLEAR = (
    "It is not clear what this refers to: it names nothing, and nothing was answered before it in "
    "this session. Name the thing, or send the `session_id` of the answer that you mean."
)
OBJECTED = (
    "What is it instead? Say it as in “no, it is …”, and that replaces what was shown; or mark "
    "what was shown as wrong, by feedback."
)
NOTHING_NEAR = "Nothing known is close to this."
NEAREST = f"{NOTHING_NEAR} The nearest thoughts are:"
STORED = "Your thought is stored."
STORED_BESIDE = (
    f"{STORED} If it replaces one of these, send it again with `replaces` and the "
    "id of that thought."
)
SAID_AGAIN = "This is known already; that it was said again is noted."
NO_TRAIL = "The disk is full: this call left no trail, and its session is not known later."
NOT_STORED: Mapping[ContributionReason, str] = {
    ContributionReason.QUESTION: "it asks",
    ContributionReason.FOLLOW_UP: "it refers to an answer and adds nothing to it",
    ContributionReason.ORDER: "it asks for something to be done once",
    ContributionReason.SMALL_TALK: "it only talks",
    ContributionReason.LOG: "it reads like a log",
    ContributionReason.LITTLE: "by itself it says too little",
}
"""Why a prompt was not stored by the contribution rule."""
NOT_ERASED = "Nothing was erased. A thought is erased by its id, which each result has."
FIRST_TO_SAY = (
    "Nothing was known about this until now. Your thought is stored and others will find it."
)

HELD_BACK = (
    "Your thought is stored. It reads like an order to whoever finds it, so it is held back until "
    "an admin of the space releases it."
)


HIGHWAYS = "What several agents keep coming back to:"
NO_HIGHWAYS = "There are no highways yet. They form where several agents recall the same thoughts."
SAID_LAST = "What was said, newest first:"
CHANGED_LAST = "What replaced something, newest first:"
NOTHING_THEN = "Nothing was said in that time."
SAID_NEAR = f"{NOTHING_THEN} What was said near it, newest first:"
NOT_OF_THEN = "Nothing of that time is close to this."
OTHER_TIMES = f"{NOT_OF_THEN} From other times:"
NOT_BY_THEM = "Nothing that they said is close to this."
OTHERS = f"{NOT_BY_THEM} From others:"
CAVEATS = (NOTHING_NEAR, NOTHING_THEN, NOT_OF_THEN, NOT_BY_THEM)
"""Beginnings of an answer that shows something else than what was asked for."""
MORE_SAID = "There is more; a higher `limit` shows it."
NOTHING_SAID = "Nothing was said in that time, or by them."
SEVERAL = "More than one thing may be meant. Name one of these by its id:"
NOTHING_BELOW = "Nothing is below it."


class ReplyQuote(NamedTuple):
    """A thought's words, and who said them when."""

    content: str
    contributor: str


@dataclass(frozen=True, slots=True)
class TagArea:
    """A tag and how many of the thoughts found carry it."""

    tag: str
    count: int


def write_response(
    quotes: Sequence[ReplyQuote],
    *,
    contributed: bool = False,
    held: bool = False,
    near: bool = True,
    known: bool = False,
    unstored: ContributionReason | None = None,
    closing: str = "",
    erases: bool = False,
) -> str:
    """Return the answer: the first three thoughts in full, each with its contributor.

    Args:
        quotes: best first; may be empty.
        contributed: whether the prompt was stored, and asks nothing.
        held: whether it is held back.
        near: whether any of them has to do with the prompt.
        known: whether anything was found, though too far to be shown.
        unstored: why the prompt was not stored, where that is to be told.
        closing: what is said of a prompt of which something was stored.
        erases: whether the prompt asks for something to be erased.
    """
    if held and not (quotes and near):
        return HELD_BACK
    if contributed and not (quotes and near):
        return FIRST_TO_SAY
    answer = NOTHING_NEAR if known else NOTHING_KNOWN
    if quotes:
        quoted = "\n\n".join(
            f"{quote.content.strip()} (from {quote.contributor})"
            for quote in quotes[:QUOTED_THOUGHTS]
        )
        answer = f"{FOUND if near else NEAREST}\n\n{quoted}"
    if held:
        return f"{answer}\n\n{HELD_BACK}"
    if contributed or closing:
        return f"{answer}\n\n{closing or STORED}"
    if erases:
        return f"{answer}\n\n{NOT_ERASED}"
    return f"{answer}\n\n{_tell_unstored(unstored)}" if unstored else answer


def _tell_unstored(reason: ContributionReason) -> str:
    keep = "To keep it, send it with `contribute: always`."
    return f"Your prompt was not stored, because {NOT_STORED[reason]}. {keep}"


def mark_limits(response: str, limits: Limits) -> str:
    """Return an answer that says which limits of the question it does not keep, and why."""
    if response.startswith(FOUND):
        heading = {NOT_BY_THEM: OTHERS, NOT_OF_THEN: OTHER_TIMES}.get(tell_missed(limits), FOUND)
        response = heading + response.removeprefix(FOUND)
    return "\n\n".join(filter(None, [tell_limits(limits.limits), response]))


def tell_missed(limits: Limits) -> str:
    """Say that nothing that is shown is within the limits; empty where something is."""
    if limits.has_missed(LimitKind.PERSON):
        return NOT_BY_THEM
    if not limits.has_missed(LimitKind.TIME):
        return ""
    return NOTHING_THEN if limits.is_general else NOT_OF_THEN


def tell_limits(limits: Iterable[Limit]) -> str:
    """Say which limits were not understood, and how what may mean more than it is read as was."""
    return " ".join(filter(None, map(_tell_limit, limits)))


def _tell_limit(limit: Limit) -> str:
    words = f"“{limit.words}”"
    if limit.state is LimitState.NOBODY:
        return f"Nobody called {words} has said anything here."
    if limit.state is LimitState.UNKNOWN:
        return f"{words} was not understood as a limit, so it leaves nothing out."
    if limit.since is None or limit.until is None:
        return ""
    if limit.is_of_today:
        return f"{words} is read as of today, {format_day(limit.since)}, in UTC."
    # "More than 30 days ago" is not told from "30 days ago".
    if limit.is_counted:
        return f"{words} is read as {_format_period(limit.since, limit.until)}, in UTC."
    return ""


def _format_period(since: float, until: float) -> str:
    """Return a period by its days, or by its minutes where it does not begin with a day."""
    if since % _DAY_S or until % _DAY_S:
        first, last = (to_iso(at)[:16].replace("T", " ") for at in (since, until))
    else:
        first, last = format_day(since), format_day(until - _DAY_S)
    return first if first == last else f"{first} to {last}"


def tell_stored_part(statement: str) -> str:
    """Say what of a prompt was stored that also asks something."""
    return f'What you stated is stored, without the question: "{statement}"'


def tell_links(links: str, thought_id: str, *, is_probable: bool) -> str:
    """Say what a stored prompt was linked to without a word on it, and how that is undone.

    Args:
        links: what it replaces or contradicts, each with its id in brackets.
        thought_id: of the stored prompt.
        is_probable: whether one of the links is more than perhaps right.
    """
    confirmed = "" if is_probable else "If it is right, send it again with `replaces` and that id. "
    return (
        f"{STORED} By its words it {links}. {confirmed}If it is wrong, take it back: "
        f"`DELETE /api/v1/thoughts/{thought_id}/replaces/` and the id in brackets, "
        f"or `wellworn thought unreplace {thought_id}` and that id."
    )


def ask_for_area(total_found: int, areas: Sequence[TagArea]) -> str:
    """Return the counter-question; areas come largest first, at most ten are named."""
    named = ", ".join(f"{area.tag} ({area.count})" for area in areas[:NAMED_AREAS])
    rest = ", ..." if len(areas) > NAMED_AREAS else "."
    return (
        f"I found {total_found} thoughts across {len(areas)} areas: {named}{rest} "
        "Which area interests you?"
    )


def format_highway(content: str, tags: Sequence[str], *, accesses: int, agents: int) -> str:
    """Return a highway's line, e.g. `role-separation (12 accesses, 4 agents)`.

    The plural stays for one as well: callers parse the line.
    """
    return f"{format_label(content, tags)} ({accesses} accesses, {agents} agents)"


def format_highways(lines: Sequence[str]) -> str:
    """Return what is trending, a line each."""
    return "\n".join([HIGHWAYS, *(f"- {line}" for line in lines)]) if lines else NO_HIGHWAYS


def format_timeline(
    lines: Sequence[str],
    tags: Sequence[str],
    heading: str = SAID_LAST,
    *,
    has_more: bool = False,
) -> str:
    """Return what was said, a line each, and the topics it was tagged with."""
    if not lines:
        return NOTHING_SAID
    # The name of a topic is a list itself.
    between = "; " if any("," in tag for tag in tags) else ", "
    topics = [f"Topics: {between.join(tags)}."] if tags else []
    more = [MORE_SAID] if has_more else []
    return "\n".join([heading, *(f"- {line}" for line in lines), *topics, *more])


def format_outline(outlined: OutlineAnswer) -> str:
    """Return an outline as an indented list, or what a name may mean."""
    if outlined.node is None:
        return "\n".join([SEVERAL, *(_format_node(node, 0) for node in outlined.candidates)])
    lines = [_format_node(node, 0) for node in outlined.node.children]
    return "\n".join([f"Outline of {_format_name(outlined.node)}:", *(lines or [NOTHING_BELOW])])


def _format_node(node: Node, depth: int) -> str:
    line = f"{'  ' * depth}- {_format_name(node)}"
    line += f": {node.opening}" if node.opening else ""
    rest = f"{'  ' * (depth + 1)}- …" if node.children and node.next_offset is not None else ""
    return "\n".join(
        [line, *(_format_node(child, depth + 1) for child in node.children), *[rest][: bool(rest)]]
    )


def _format_name(node: Node) -> str:
    title = " ".join(node.title.split())
    return f"{title} [{node.id}]" if title != node.id else title


def format_label(content: str, tags: Sequence[str]) -> str:
    """Return a thought's first tag, or else its first words, at most 60 characters of them."""
    if tags:
        return tags[0]
    words = content.split()
    start = " ".join(words[:LABEL_WORDS])
    if len(start) > LABEL_CHARACTERS:
        return start[: LABEL_CHARACTERS - 1].rstrip() + "…"
    return start + "…" if len(words) > LABEL_WORDS else start
