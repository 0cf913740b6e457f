"""Sources, documents and answers of knowledge as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import note, say
from wellworn.interfaces.cli.rendering import EXCERPT, day, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wellworn.client.models import (
        Answer,
        Artifact,
        Compiled,
        Conflict,
        Document,
        DocumentPage,
        Documents,
        Evidence,
        Fact,
        FoundDocument,
        KnowledgeSource,
        Quality,
        SecretTaken,
        SyncRun,
        Unknown,
    )


def sources(found: Sequence[KnowledgeSource]) -> None:
    """Print sources, one a line, and below each that failed what to do."""
    if not found:
        say("no sources yet; wellworn source add makes one")
    for one in found:
        facts = [about_source(one), one.sync_status, counted(one.documents), _when(one)]
        say("  ".join(facts))
        if one.sync_error:
            say(f"      {one_line(one.sync_error)}")


def about_source(one: KnowledgeSource) -> str:
    """Return a source's name, number and kind."""
    return f"{one_line(one.name)} ({one.id}, {one.source_type})"


def counted(documents: int) -> str:
    """Return a number of documents in words."""
    return "1 document" if documents == 1 else f"{documents} documents"


def source(one: KnowledgeSource) -> None:
    """Print what a source is."""
    config = {name: str(value) for name, value in one.config.items()}
    facts = {
        "name": one.name,
        "number": str(one.id),
        "kind": one.source_type,
        **{name: _shortened(value) for name, value in config.items()},
        "secret": "kept encrypted" if one.has_secret else "",
        "seen by": "everybody in the space" if one.agents is None else ", ".join(one.agents),
        "schedule": _schedule(one),
        "status": one.sync_status,
        "reading": "" if one.progress is None else f"{one.progress.done} of {one.progress.total}",
        "to do": one.sync_error or "",
        "synced": day(one.last_synced_at) if one.last_synced_at else "never",
        "next try": day(one.next_attempt_at) if one.next_attempt_at else "",
        "documents": str(one.documents),
    }
    _table(facts)


def runs(found: Sequence[SyncRun]) -> None:
    """Print syncs, one a line, each problem below."""
    if not found:
        say("it was never synced")
    for run in found:
        message = run.message if run.finished_at else "it goes on"
        say(f"{day(run.started_at)}  {run.trigger}  {run.status}  {one_line(message)}")
        for problem in run.problems:
            say(f"      {one_line(problem.path) or 'the source'}: {one_line(problem.reason)}")


def secrets(found: Sequence[SecretTaken]) -> None:
    """Print where secrets were taken out, one a line."""
    if not found:
        say("no secrets were found")
    for one in found:
        say(f"{one_line(one.path)}, line {one.line}: {one.kind}")


def searched(found: Sequence[FoundDocument]) -> None:
    """Print documents, best first, each with its passages and where they stand."""
    if not found:
        say("nothing found")
    elif all(one.weak for one in found):
        say("nothing known is close to this; the nearest documents are:")
    for rank, one in enumerate(found, start=1):
        title = one_line(one.title or one.path)
        aged = f"  (stale, of {day(one.fetched_at)})" if one.stale else ""
        weak = "  (weak)" if one.weak else ""
        say(f"{rank:>2}.  {one.score:.2f}  {title}  [document {one.document_id}]{aged}{weak}")
        for passage in one.snippets:
            exact = ", to the letter" if passage.exact else ""
            span = f"characters {passage.start} to {passage.end}{exact}"
            say(f"      {one_line(passage.citation)}, {span}")
            say(f"        {_shortened(passage.text)}")


def documents(found: Documents) -> None:
    """Print documents, one a line, and below each that is not well why."""
    if not found.documents:
        say("no documents")
    for one in found.documents:
        say(_document(one))
        if one.reason:
            say(f"      {one_line(one.reason)}")
    if found.next_offset is not None:
        note(f"goes on with --offset {found.next_offset}")


def page(found: DocumentPage) -> None:
    """Print a page of a document."""
    note(_document(found.document))
    say(found.text)
    whole = found.document.characters
    if found.offset and not found.text:
        note(f"it ends before that: it has {whole} characters")
    if found.next_offset is not None:
        note(f"goes on with --offset {found.next_offset}, of {whole} characters")


def answer(found: Answer) -> None:
    """Print what a term stands for, or the one question to ask."""
    if found.outcome != "resolved":
        say(one_line(found.question or f"{found.term}: unknown"))
        for one in found.candidates:
            say(f"  {one_line(one.label)}: {_shortened(one.summary)}")
            say(f"      {one_line(one.citation)}")
        return
    say(f"{one_line(found.term)}: {_shortened(found.summary)}")
    for fact in found.values:
        say(f"  {_fact(fact)}")
    step = found.found_by.replace("_", " ")
    say(f"{one_line(found.canonical or '')}, confidence {found.confidence:.2f}, by {step}")
    if not found.values:
        _quotes(found.evidence)


def facts(term: str, found: Sequence[Fact], *, fact_type: str | None = None) -> None:
    """Print facts of a term, each with its quote."""
    if not found:
        kind = f" of the type {one_line(fact_type)}" if fact_type else ""
        say(f"nothing{kind} is known of {one_line(term)}")
    for fact in found:
        say(_fact(fact))
        _quotes([fact.evidence])


def conflicts(found: Sequence[Conflict]) -> None:
    """Print where documents disagree, both sides with their quotes."""
    if not found:
        say("no conflicts")
    for one in found:
        say(about_conflict(one))
        for claim in one.claims:
            say(f"  {one_line(claim.value)}")
            _quotes([claim.evidence])


def about_conflict(one: Conflict) -> str:
    """Return a conflict's number, what it is about, and how it stands."""
    about = f"{one.id}  {one_line(one.term)}, {one.fact_type}: {one.state}"
    if one.resolution is None:
        return about
    reason = f" ({one_line(one.reason)})" if one.reason else ""
    return f"{about}, {one_line(one.resolution)}{reason}"


def unknowns(found: Sequence[Unknown]) -> None:
    """Print terms that nothing explains."""
    if not found:
        say("nothing is unknown")
    for one in found:
        say(f"{one.times:>4}  {one_line(one.term)}: {one_line(one.note)}")


def artifacts(found: Sequence[Artifact]) -> None:
    """Print the names of files that agents read first, with when they were compiled."""
    for one in found:
        say(f"{one.name}  of {day(one.compiled_at)}")


def compiled(done: Compiled) -> None:
    """Print what a compile did and cost."""
    work = f"{done.recompiled} of {done.documents} documents in {done.seconds:.1f} s"
    tokens = f", {done.tokens} tokens" if done.tokens else ""
    conflicts = "1 conflict" if done.conflicts_open == 1 else f"{done.conflicts_open} conflicts"
    say(f"compiled {work}{tokens}: {done.facts} facts, {conflicts} open")
    if done.note:
        say(one_line(done.note))


def terms(found: Sequence[str]) -> None:
    """Print pinned terms, one a line."""
    if not found:
        say("no term is pinned")
    for term in found:
        say(one_line(term))


def quality(found: Quality) -> None:
    """Print how well knowledge serves."""
    share = "nothing was asked" if found.success_rate is None else f"{found.success_rate:.0%}"
    steps = ", ".join(f"{step.replace('_', ' ')} {count}" for step, count in found.by_step.items())
    _table(
        {
            "resolved": f"{share} ({found.resolved} of {found.asked})",
            "ambiguous": str(found.ambiguous),
            "unknown": str(found.unknown),
            "by step": steps,
            "documents": f"{found.documents}, {found.stale_documents} stale",
            "not readable": str(found.refused),
            "sources": f"{found.failing_sources} failing, {found.stale_sources} stale",
            "facts": str(found.facts),
            "conflicts": f"{found.conflicts_open} open",
            "secrets": f"{found.secrets_taken_out} taken out",
            "wanted": ", ".join(one_line(one.term) for one in found.top_unknown),
        }
    )


def _quotes(evidence: Iterable[Evidence]) -> None:
    for one in evidence:
        span = f"characters {one.start} to {one.end}"
        say(f"      {one_line(one.citation)}, {span}")
        say(f"        {_shortened(one.text)}")


def _fact(fact: Fact) -> str:
    name = one_line(fact.attribute or fact.fact_type)
    place = one_line(fact.evidence.citation)
    return f"{name}: {one_line(fact.value)}  ({fact.confidence:.2f}, {place})"


def _document(one: Document) -> str:
    title = f"  {one_line(one.title)}" if one.title else ""
    return f"{one.id:>5}  {one.state}  {one_line(one.source)}: {one_line(one.path)}{title}"


def _when(one: KnowledgeSource) -> str:
    since = f"synced {day(one.last_synced_at)}" if one.last_synced_at else "never synced"
    return f"{since}, {_schedule(one)}"


def _schedule(one: KnowledgeSource) -> str:
    if one.schedule_in_words is None:
        return "by hand"
    words = one.schedule_in_words[:1].lower() + one.schedule_in_words[1:]
    return f"{words} ({one.time_zone}){', paused' if one.is_paused else ''}"


def _shortened(text: str) -> str:
    line = one_line(text[: 2 * EXCERPT])
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"


def _table(facts: dict[str, str]) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        if value:
            say(f"{name:>{width}}  {one_line(value)}")
