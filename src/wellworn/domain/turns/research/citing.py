"""From a research document to evidence: its facts and listings, each with the page that says it."""

from __future__ import annotations

from collections.abc import Iterator

from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.research.documents import Research
from wellworn.domain.turns.research.lifecycle import ResearchState


def cite_research(
    research: Research, state: ResearchState, *, is_own: bool, wants_fresh: bool
) -> Iterator[Evidence]:
    """Yield what each source says; its numbers are given when it is recorded.

    Args:
        research: the document.
        state: how far its life is; listings that expired are left out.
        is_own: whether the user has the file.
        wants_fresh: whether listings are to be read again, however new they are.
    """
    added = [fact.text for fact in research.facts if not fact.source]
    if added:
        text = "\n\n".join(added)
        yield _make_evidence(research, research.query, text, research.path, is_own=is_own)
    for number, source in enumerate(research.sources, 1):
        title, url, moment = source.title or source.vendor, source.url, source.moment
        facts = [fact.text for fact in research.facts if fact.source == number]
        if facts:
            text = "\n\n".join(facts)
            yield _make_evidence(research, title, text, url, is_own=is_own, moment=moment)
        lines = [f"- {each.line}" for each in research.listings if each.source == number]
        if lines and state is not ResearchState.EXPIRED:
            is_stale = wants_fresh or state is not ResearchState.ACTIVE
            yield _make_evidence(
                research,
                title,
                "\n".join(lines),
                url,
                is_own=is_own,
                moment=moment,
                is_stale=is_stale,
            )


def _make_evidence(
    research: Research,
    title: str,
    text: str,
    source: str,
    *,
    is_own: bool,
    moment: float | None = None,
    is_stale: bool = False,
) -> Evidence:
    return Evidence(
        0,
        EvidenceKind.RESEARCH,
        title,
        text,
        source,
        link=research.path if is_own else None,
        relevance=research.quality,
        moment=research.created_at if moment is None else moment,
        is_stale=is_stale,
        topic=research.topic,
    )
