"""Sources, documents and answers of knowledge as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import (
    EXCERPT,
    fold_spaces,
    format_minute,
    note,
    print_table,
    say,
)
from wellworn.kit.text import shorten, show_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wellworn.client import models


def print_sources(sources: Sequence[models.KnowledgeSource]) -> None:
    """Print sources, one a line, and below each that failed what to do."""
    if not sources:
        say("no sources yet; wellworn source add makes one")
    for source in sources:
        synced = f"synced {format_minute(source.last_synced_at)}" if source.last_synced_at else ""
        facts = [
            format_source(source),
            source.sync_status,
            count_documents(source.documents),
            f"{synced or 'never synced'}, {_format_schedule(source)}",
        ]
        say("  ".join(facts))
        if source.sync_error:
            say(f"      {fold_spaces(source.sync_error)}")


def format_source(source: models.KnowledgeSource) -> str:
    """Return a source's name, number and kind."""
    return f"{fold_spaces(source.name)} ({source.id}, {source.source_type})"


def count_documents(documents: int) -> str:
    """Return a number of documents in words."""
    return "1 document" if documents == 1 else f"{documents} documents"


def print_source(source: models.KnowledgeSource) -> None:
    """Print what a source is."""
    progress = getattr(source, "progress", None)
    findable: models.Findable | None = getattr(source, "findable", None)
    facts = {
        "name": source.name,
        "number": str(source.id),
        "kind": source.source_type,
        **{
            name: shorten(str(value), EXCERPT)
            for name, value in source.config.items()
            if name != "watch"
        },
        "secret": "stored encrypted" if source.has_secret else "",
        "seen by": "everybody in the space" if source.agents is None else ", ".join(source.agents),
        "schedule": _format_schedule(source),
        "webhook": _format_webhook(source.webhook),
        "status": source.sync_status,
        "reading": "" if progress is None else f"{progress.done} of {progress.total}",
        "to do": source.sync_error or "",
        "synced": format_minute(source.last_synced_at) if source.last_synced_at else "never",
        "next try": format_minute(source.next_attempt_at) if source.next_attempt_at else "",
        "documents": str(source.documents),
        "found by": "" if findable is None else format_findable(findable),
    }
    print_table(facts)


def _format_webhook(webhook: models.SourceWebhook | None) -> str:
    if webhook is None:
        return ""
    last = webhook.last_delivery_at
    return f"last called {format_minute(last)}" if last else "not called yet"


def format_findable(findable: models.Findable) -> str:
    """Say in words what the documents of a source are found by."""
    if findable.is_embedded:
        return "words and meaning" if findable.readable else ""
    words = "words" if findable.by_words == findable.readable else f"words {findable.by_words}"
    waiting = f"{findable.waiting} of {findable.passages} passages wait to be embedded"
    return f"{words}, meaning {findable.by_meaning} of {findable.readable}; {waiting}"


def print_runs(runs: Sequence[models.SyncRun]) -> None:
    """Print syncs, one a line, each problem below."""
    if not runs:
        say("never synced")
    for run in runs:
        message = run.message if run.finished_at else "still running"
        say(f"{format_minute(run.started_at)}  {run.trigger}  {run.status}  {fold_spaces(message)}")
        for problem in run.problems:
            say(f"      {fold_spaces(problem.path) or 'the source'}: {fold_spaces(problem.reason)}")


def print_secrets(secrets: Sequence[models.SecretTaken]) -> None:
    """Print where secrets were taken out, one a line."""
    if not secrets:
        say("no secrets were found")
    for secret in secrets:
        say(f"{fold_spaces(secret.path)}, line {secret.line}: {secret.kind}")


def print_hits(hits: Sequence[models.FoundDocument]) -> None:
    """Print documents, best first, each with its passages and where they stand."""
    if not hits:
        say("nothing found")
    elif all(hit.weak for hit in hits):
        say("nothing known is close to this; the nearest documents are:")
    for rank, hit in enumerate(hits, start=1):
        title = fold_spaces(hit.title or hit.path)
        aged = f"  ({_format_dates(hit)})"
        weak = "  (weak)" if hit.weak else ""
        say(f"{rank:>2}.  {hit.score:.2f}  {title}  [document {hit.document_id}]{aged}{weak}")
        for passage in hit.snippets:
            exact = ", to the letter" if passage.exact else ""
            span = f"characters {passage.start} to {passage.end}{exact}"
            say(f"      {fold_spaces(passage.citation)}, {span}")
            _print_excerpt(passage)


def print_documents(page: models.Documents) -> None:
    """Print documents, one a line, and below each that is not well why."""
    if not page.documents:
        say("no documents")
    for document in page.documents:
        say(_format_document(document))
        for remark in _list_remarks(document):
            say(f"      {remark}")
    if page.next_offset is not None:
        note(f"continue with --offset {page.next_offset}")


def _list_remarks(document: models.Document) -> list[str]:
    """Return why a document is not well, and what reading it flagged: a guess, a part left out."""
    flags = document.metadata.get("flags", ())
    return [fold_spaces(str(each)) for each in (document.reason, *flags) if each]


def print_page(page: models.DocumentPage) -> None:
    """Print a page of a document."""
    note(_format_document(page.document))
    for remark in _list_remarks(page.document):
        note(remark)
    say(page.text)
    whole = page.document.characters
    if page.offset and not page.text:
        note(f"the document ends before that: it has {whole} characters")
    if page.next_offset is not None:
        note(f"continue with --offset {page.next_offset}, of {whole} characters")


def print_answer(answer: models.Answer) -> None:
    """Print what a term stands for, or the one question to ask."""
    if answer.outcome != "resolved":
        say(fold_spaces(answer.question or f"{answer.term}: unknown"))
        for candidate in answer.candidates:
            say(f"  {fold_spaces(candidate.label)}: {shorten(candidate.summary, EXCERPT)}")
            say(f"      {fold_spaces(candidate.citation)}")
        if answer.outcome == "not_stated":
            _print_values(answer)
            _print_quotes(answer.evidence)
        _print_choices(answer.chosen_by)
        return
    say(f"{fold_spaces(_name_thing(answer))}: {shorten(answer.summary, EXCERPT)}")
    _print_values(answer)
    step = answer.found_by.replace("_", " ")
    dates = [dates for quote in answer.evidence[:1] if (dates := _format_dates(quote))]
    place = fold_spaces(answer.canonical or "")
    say(", ".join([place, f"by {step}", *dates]))
    if not answer.values:
        _print_quotes(answer.evidence)
    _print_choices(answer.chosen_by)


def _print_choices(choices: Iterable[models.Choice]) -> None:
    for choice in choices:
        by = f" of {fold_spaces(choice.by)}" if choice.by else ""
        more = f" and {choice.more} more" if choice.more else ""
        say(f"chosen by {choice.kind}{by}: {fold_spaces(choice.words)}; passed over{more}:")
        for other in choice.others:
            say(f"  {fold_spaces(other.label)}: {shorten(other.summary, EXCERPT)}")
            say(f"      {fold_spaces(other.citation)}")


def _name_thing(answer: models.Answer) -> str:
    """Return the name of what is answered, of which the question may ask a value: "zed ip"."""
    names = {value.term for value in answer.values}
    is_spelt = answer.term.casefold() in names
    return answer.term if is_spelt or len(names) != 1 else names.pop()


def _print_values(answer: models.Answer) -> None:
    for fact in answer.values:
        say(f"  {_format_fact(fact)}")
    if answer.more_values:
        say(f"  and {answer.more_values} more; wellworn knowledge provenance lists them")


def print_facts(facts: Sequence[models.Fact], *, term: str, fact_type: str | None = None) -> None:
    """Print facts of a term, each with its quote."""
    if not facts:
        kind = f" of the type {fold_spaces(fact_type)}" if fact_type else ""
        say(f"nothing{kind} is known about {fold_spaces(term)}")
    for fact in facts:
        say(_format_fact(fact))
        _print_quotes([fact.evidence])


def print_conflicts(conflicts: Sequence[models.Conflict]) -> None:
    """Print where documents disagree, both sides with their quotes."""
    if not conflicts:
        say("no conflicts")
    for conflict in conflicts:
        say(format_conflict(conflict))
        for claim in conflict.claims:
            say(f"  {fold_spaces(claim.value)}")
            _print_quotes([claim.evidence])


def format_conflict(conflict: models.Conflict) -> str:
    """Return a conflict's number, what it is about, and how it stands."""
    about = f"{conflict.id}  {fold_spaces(conflict.term)}, {conflict.fact_type}: {conflict.state}"
    if conflict.resolution is None:
        return about
    reason = f" ({fold_spaces(conflict.reason)})" if conflict.reason else ""
    return f"{about}, {fold_spaces(conflict.resolution)}{reason}"


def print_unknowns(unknowns: Sequence[models.Unknown]) -> None:
    """Print terms that nothing explains."""
    if not unknowns:
        say("nothing is unknown")
    for unknown in unknowns:
        say(f"{unknown.times:>4}  {fold_spaces(unknown.term)}: {fold_spaces(unknown.note)}")


def print_artifacts(artifacts: Sequence[models.Artifact]) -> None:
    """Print the names of files that agents read first, with when they were compiled."""
    for artifact in artifacts:
        say(f"{artifact.name}  compiled {format_minute(artifact.compiled_at)}")


def print_compiled(compiled: models.Compiled) -> None:
    """Print what a compile did and cost."""
    work = f"{compiled.recompiled} of {compiled.documents} documents in {compiled.seconds:.1f} s"
    tokens = f", {compiled.tokens} tokens" if compiled.tokens else ""
    count = compiled.conflicts_open
    conflicts = "1 conflict" if count == 1 else f"{count} conflicts"
    say(f"compiled {work}{tokens}: {compiled.facts} facts, {conflicts} open")
    if compiled.note:
        say(fold_spaces(compiled.note))


def print_quality(quality: models.Quality) -> None:
    """Print how well knowledge serves."""
    share = "nothing was asked" if quality.success_rate is None else f"{quality.success_rate:.0%}"
    steps = [f"{step.replace('_', ' ')} {count}" for step, count in quality.by_step.items()]
    facts = {
        "resolved": f"{share} ({quality.resolved} of {quality.asked})",
        "ambiguous": str(quality.ambiguous),
        "not stated": str(quality.not_stated),
        "unknown": str(quality.unknown),
        "by step": ", ".join(steps),
        "documents": f"{quality.documents}, {quality.stale_documents} stale",
        "not embedded": str(quality.found_by_words_only or ""),
        "unreadable": str(quality.refused),
        "sources": f"{quality.failing_sources} failing, {quality.stale_sources} stale",
        "facts": str(quality.facts),
        "conflicts": f"{quality.conflicts_open} open",
        "secrets": f"{quality.secrets_taken_out} removed",
        "wanted": ", ".join(fold_spaces(unknown.term) for unknown in quality.top_unknown),
    }
    print_table(facts)


def _print_quotes(evidence: Iterable[models.Evidence]) -> None:
    for quote in evidence:
        span = f"characters {quote.start} to {quote.end}"
        dates = _format_dates(quote)
        say(f"      {fold_spaces(quote.citation)}, {span}{f', {dates}' if dates else ''}")
        _print_excerpt(quote)


def _format_dates(document: models.FoundDocument | models.Evidence) -> str:
    """Return the day of a document, when its source was looked at last, and what was guessed."""
    parts = [
        f"of {document.dated_at[:10]}" if document.dated_at else "",
        "stale" if document.stale else "",
        f"seen {format_minute(document.fetched_at)}" if document.fetched_at else "",
        document.encoding_note,
    ]
    return ", ".join(filter(None, parts))


def _print_excerpt(quoted: models.Snippet | models.Evidence) -> None:
    """Print how a quote begins, rows of a table below what heads its columns."""
    columns = quoted.table_head.partition("\n")[0]
    if columns:
        say(f"        {shorten(columns, EXCERPT)}")
    say(f"        {shorten(quoted.text, EXCERPT)}")


def _format_fact(fact: models.Fact) -> str:
    name = fold_spaces(fact.attribute or fact.fact_type)
    place = fold_spaces(fact.evidence.citation)
    value = fold_spaces(show_cell(fact.value, fact.evidence.text))
    # A detail has no form to know it by: it is what the document says, in its words.
    quoted = f"\u201c{value}\u201d" if fact.fact_type == "detail" else value
    return f"{name}: {quoted}  ({place})"


def print_rulings(rulings: Sequence[models.NameRuling]) -> None:
    """Print what was said of names, one ruling a line."""
    if not rulings:
        say("no names were merged or split; wellworn knowledge merge or split does it")
    for ruling in rulings:
        say(format_ruling(ruling))


def format_ruling(ruling: models.NameRuling) -> str:
    """Return what was said of names, by whom and when."""
    names = [fold_spaces(ruling.term), fold_spaces(ruling.other)]
    if ruling.term == ruling.other:
        names = [f"all that is called {names[0]}"]
    verdict = "one thing" if ruling.verdict == "one" else "several things"
    by = f"by {fold_spaces(ruling.said_by)}, " if ruling.said_by else ""
    reason = f": {fold_spaces(ruling.reason)}" if ruling.reason else ""
    return (
        f"{ruling.id}  {' and '.join(names)}: {verdict}  "
        f"({by}{format_minute(ruling.said_at)}){reason}"
    )


def _format_document(document: models.Document) -> str:
    title = f"  {fold_spaces(document.title)}" if document.title else ""
    place = f"{fold_spaces(document.source)}: {fold_spaces(document.path)}"
    return f"{document.id:>5}  {document.state}  {place}{title}"


def _format_schedule(source: models.KnowledgeSource) -> str:
    times: list[str] = []
    if source.schedule_in_words is not None:
        words = source.schedule_in_words[:1].lower() + source.schedule_in_words[1:]
        times.append(f"{words} ({source.time_zone})")
    if source.config.get("watch"):
        times.append("when its files change")
    return f"{', '.join(times) or 'by hand'}{', paused' if source.is_paused else ''}"
