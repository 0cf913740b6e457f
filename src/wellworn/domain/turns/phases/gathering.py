"""Phase 2: what is known already, found first (retrieval), then read as far as it fits (synthesis).

Links of what is found are followed to a depth of two, within a budget of tokens.

Source: the specification of document IO, sections 6.4, 8.4 and 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from wellworn.domain.memory import Limits, reply_to_talk
from wellworn.domain.turns.citing import (
    format_block,
    format_caveat,
    format_label,
    number_evidence,
)
from wellworn.domain.turns.compression import fit_section
from wellworn.domain.turns.context_document import FILE, MOST_WORDS, format_heading
from wellworn.domain.turns.limits import hold_evidence
from wellworn.domain.turns.links import format_dual_link
from wellworn.domain.turns.listings import read_listings
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    GatheredContext,
    Phase,
    Sufficiency,
)
from wellworn.domain.turns.page_evidence import OF_PAGES, drop_superseded
from wellworn.domain.turns.profile import FACTS, PREFERENCES
from wellworn.domain.turns.quoting import cut_text, rate_by
from wellworn.domain.turns.sections import (
    format_age,
    format_field,
    format_quote,
    format_share,
    format_table,
    format_words,
    join_blocks,
    strip_quote_marks,
)
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.domain.turns.webpages import find_site
from wellworn.domain.turns.wording import find_url, list_content_words, split_goals, wants_fresh
from wellworn.kit.text import CHARACTERS_A_TOKEN, shorten

_STOP_THRESHOLD: Final = 0.8
_MOST_EVIDENCE: Final = 12
_LONGEST_QUOTE: Final = 600
_LONGEST_SUMMARY: Final = 160
_MOST_RESULTS: Final = 5
_PROFILE: Final = {
    EvidenceKind.PREFERENCE: ("Preference", PREFERENCES),
    EvidenceKind.FACT: ("Fact", FACTS),
}
"""The user's profile: the name of each kind of line, and the file that holds all of it."""
_TITLES: Final = {
    EvidenceKind.PREFERENCE: "Session Preferences",
    EvidenceKind.FACT: "Facts",
    EvidenceKind.TURN: "Relevant Prior Turns",
    EvidenceKind.RESEARCH: "Cached Research Intelligence",
    EvidenceKind.PAGE: "Cached Pages",
    EvidenceKind.THOUGHT: "Thoughts",
    EvidenceKind.KNOWLEDGE: "Knowledge",
}


def run(run: TurnRun) -> GatheredContext:
    analysis = run.brief().analysis
    asked = "" if reply_to_talk(run.turn.query) else analysis.resolved_query
    queries = dict.fromkeys([asked, *split_goals(asked)] if asked else [])
    candidates = [item for query in queries for item in run.gatherer.find_candidates(run, query)]
    hold = partial(hold_evidence, limits=run.limits, now=run.clock.now())
    current = drop_superseded(hold(candidates))
    unique = {(item.source, item.text): item for item in reversed(current)}
    # Whatever an engine makes of what is beyond the limits, it answers nothing.
    chosen = _prefer_pages(hold(run.engine.select(run.brief(), list(reversed(unique.values())))))
    remaining, left_out = _keep_within_budget(run, chosen)
    evidence = number_evidence(remaining, ())
    return GatheredContext(
        evidence,
        _assess(run, evidence),
        _find_freshness_url(run, evidence),
        left_out,
    )


def _prefer_pages(chosen: Sequence[Evidence]) -> list[Evidence]:
    """Let what research says of a page answer nothing where the page itself answers."""
    answering = {item.source for item in chosen if item.kind is EvidenceKind.PAGE and item.answers}
    judged = [
        replace(item, answers=False)
        if item.kind is EvidenceKind.RESEARCH and item.source in answering
        else item
        for item in chosen
    ]
    return sorted(judged, key=lambda item: not item.answers)


def _keep_within_budget(run: TurnRun, chosen: Sequence[Evidence]) -> tuple[list[Evidence], int]:
    """Return what fits, each document cut to its share, and how many did not fit."""
    each = run.settings.document_tokens * CHARACTERS_A_TOKEN
    room = run.settings.gathered_tokens * CHARACTERS_A_TOKEN * _STOP_THRESHOLD
    remaining: list[Evidence] = []
    for item in chosen[:_MOST_EVIDENCE]:
        if room <= 0:
            break
        cut = replace(item, text=cut_text(item.text, run.turn.query, each))
        room -= len(cut.text)
        remaining.append(cut)
    return remaining, len(chosen) - len(remaining)


def _assess(run: TurnRun, evidence: Sequence[Evidence]) -> Sufficiency:
    analysis = run.brief().analysis
    if _find_freshness_url(run, evidence):
        return Sufficiency.STALE_RESEARCH
    if find_url(analysis.resolved_query):
        return Sufficiency.NEEDS_MORE
    answering = [item for item in evidence if item.answers and not item.is_stale]
    if not answering:
        is_stale = any(item.is_stale and item.answers for item in evidence)
        return Sufficiency.STALE_RESEARCH if is_stale else Sufficiency.NEEDS_RESEARCH
    goals = split_goals(analysis.resolved_query)
    served = [goal for goal in goals if any(_serves(item, goal, run.limits) for item in answering)]
    return Sufficiency.SUFFICIENT if len(served) == len(goals) else Sufficiency.NEEDS_MORE


def _serves(item: Evidence, goal: str, limits: Limits) -> bool:
    asked = set(list_content_words(limits.remove_from(goal)))
    return not asked or bool(asked & set(list_content_words(f"{item.title} {item.text}")))


def _find_freshness_url(run: TurnRun, evidence: Sequence[Evidence]) -> str | None:
    """Return the page to look at again: the one that is meant, or the one that answers best."""
    analysis = run.brief().analysis
    if analysis.content_reference is not None and wants_fresh(analysis.original_query):
        return analysis.content_reference.source_url
    stale = (
        item.source
        for item in evidence
        if item.kind in OF_PAGES and item.is_stale and item.answers and find_site(item.source)
    )
    return next(stale, None)


def format_section(run: TurnRun, output: GatheredContext, attempt: int) -> str:
    own = f"{run.turn.folder}/{FILE}"
    groups = [_format_group(run, output, kind) for kind in _TITLES]
    tail = join_blocks(
        "### Sufficiency",
        format_field("Assessment", output.sufficiency.value),
        _format_notes(output),
        "### Source References" if output.evidence else "",
        "\n".join(dict.fromkeys(_format_reference(own, item) for item in output.evidence)),
    )
    return fit_section(
        format_heading(Phase.GATHERING, attempt),
        [group for group in groups if group] or ["Nothing was found."],
        tail,
        most_words=MOST_WORDS[Phase.GATHERING],
        compress=run.engine.compress,
        rate=rate_by(run.turn.query),
    )


def _format_group(run: TurnRun, output: GatheredContext, kind: EvidenceKind) -> str:
    item = [each for each in output.evidence if each.kind is kind]
    if not item:
        return ""
    now = run.clock.now()
    heading = f"### {_TITLES[kind]}"
    if kind in _PROFILE:
        name, path = _PROFILE[kind]
        rows = [(each.title, each.text, each.source) for each in item]
        link = format_dual_link(f"{run.turn.folder}/{FILE}", path, path)
        return join_blocks(heading, format_table((name, "Value", "Source"), rows), f"- All: {link}")
    if kind is EvidenceKind.TURN:
        rows = [_list_cells(each) for each in item]
        return join_blocks(heading, format_table(("Turn", "Relevance", "Summary"), rows))
    if kind is EvidenceKind.RESEARCH:
        documents = dict.fromkeys((each.topic, each.relevance, each.link) for each in item)
        groups = [
            [each for each in item if (each.topic, each.relevance, each.link) == document]
            for document in documents
        ]
        return join_blocks(heading, *(_format_research(group, now) for group in groups))
    return join_blocks(heading, *(_format_evidence(each, now) for each in item))


def _list_cells(item: Evidence) -> tuple[str, str, str]:
    """Return what the table of prior turns says of one: its query, how near it is, its answer."""
    label = f"{format_label(item)} " if item.number else ""
    words = strip_quote_marks(item.text)
    return f"{label}{item.title}", _grade(item.relevance), shorten(words, _LONGEST_SUMMARY)


def _format_evidence(item: Evidence, now: float) -> str:
    age = f" · read {format_age(item.moment, now)} ago" if item.moment is not None else ""
    caveat = format_caveat(item)
    stale = f" · {caveat}" if caveat else ""
    line = (
        f"**{format_label(item)}** {format_words(item.title)} · `{format_words(item.source)}` · "
        f"relevance {format_share(item.relevance)}{age}{stale}"
    )
    return f"{line}\n{format_quote(cut_text(item.text, '', _LONGEST_QUOTE))}"


def _format_research(items: Sequence[Evidence], now: float) -> str:
    """Return what a research document says: its state, what it offers, then each source's words."""
    moments = [item.moment for item in items if item.moment is not None]
    fields = [
        format_field("Topic", items[0].topic),
        format_field("Quality Score", format_share(items[0].relevance)),
        format_field("Age", format_age(max(moments, default=now), now)),
    ]
    rows = [
        (listing.product, listing.price, find_site(item.source))
        for item in items
        for listing in read_listings(item.text)
    ][:_MOST_RESULTS]
    results = format_table(("Product", "Price", "Source"), rows)
    return join_blocks(
        "\n".join(fields),
        f"**Top Results:**\n\n{results}" if results else "",
        *(_format_evidence(item, now) for item in items),
    )


def _format_notes(output: GatheredContext) -> str:
    notes = list(output.notes)
    if output.freshness_url:
        notes.append(
            "Cached data exists but may have changed; "
            f"{output.freshness_url} is there for a fresh check."
        )
    if output.left_out:
        notes.append(f"{output.left_out} more did not fit the budget.")
    return "\n".join(format_words(note) for note in notes)


def _format_reference(own: str, item: Evidence) -> str:
    target = (
        format_dual_link(own, item.link, item.link.removeprefix("turns/"))
        if item.link
        else f"`{format_words(item.source)}`"
    )
    block = format_block(item)
    return f"- {format_label(item)} {target} ^{block}" if block else f"- {target}"


def _grade(relevance: float) -> str:
    return "high" if relevance >= 0.6 else "medium" if relevance >= 0.35 else "low"  # noqa: PLR2004 - thirds of what occurs
