"""What the resolver makes of questions to documents that nobody tuned it on.

    python -m benchmarks.resolving FOLDER [SET]

`benchmarks/notes/resolver.jsonl` holds the questions: people wrote them who had read the documents
of public repositories and none of the rules. Rules are made on the set `dev`, and nobody who makes
them reads a question or a document of the set `held`. FOLDER has the repositories' texts, each in a
folder called `owner+name`, at the commits that `docs/benchmarks.md` names; they are not part of the
project. One that is not there is skipped.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import quantile
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App, PendingSync
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Answer, ResolutionOutcome
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import Access, Role

QUESTIONS: Final = Path(__file__).with_name("notes") / "resolver.jsonl"
RIGHT: Final = ("right", "quoted", "asked back")
WRONG: Final = "wrong and sure"
_SHORTEST_PART: Final = 3


def judge(question: dict[str, Any], answer: Answer) -> str:
    """Return what an answer is worth: `right`, `quoted`, `asked back`, `wrong and sure` or less."""
    wanted = [_fold(value) for value in question["values"]]
    outcome, kind = answer.outcome, question["kind"]
    is_sure = outcome is ResolutionOutcome.RESOLVED
    if kind == "value":
        return _judge_value(wanted, answer)
    if kind == "describe":
        documents = question["document"]
        places = [documents] if isinstance(documents, str) else documents
        is_right = any(
            quote.path in places or _has(quote.text, wanted) for quote in answer.evidence
        )
    elif kind == "not_stated":
        is_sure = is_sure and answer.found_by == "facts"
        is_right = outcome in {ResolutionOutcome.NOT_STATED, ResolutionOutcome.UNKNOWN}
    elif kind == "unknown":
        is_right = outcome is ResolutionOutcome.UNKNOWN
    elif kind == "ambiguous":
        is_right = outcome is ResolutionOutcome.AMBIGUOUS
    else:
        is_right = not is_sure and any(value in _fold(_offer(answer)) for value in wanted)
    if is_right and (is_sure or kind != "describe"):
        return "right"
    return WRONG if is_sure else str(outcome)


def _judge_value(wanted: list[str], answer: Answer) -> str:
    values = [_fold(value.value) for value in answer.values]
    if answer.outcome is ResolutionOutcome.RESOLVED and values:
        fits = (_is_one(value, right) for value in values for right in wanted)
        return "right" if any(fits) else WRONG
    if _has(" ".join([answer.summary, *(quote.text for quote in answer.evidence)]), wanted):
        return "quoted"
    if answer.outcome is ResolutionOutcome.AMBIGUOUS:
        is_offered = any(value in _fold(_offer(answer)) for value in wanted)
        return "asked back" if is_offered else "asked in vain"
    return str(answer.outcome)


def _has(text: str, wanted: list[str]) -> bool:
    """Tell whether one of some folded values stands in a text, and not within a word."""
    folded = _fold(text)
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", folded) for value in wanted)


def _is_one(value: str, right: str) -> bool:
    """Tell whether two values are one, or one is the other with a name or a unit beside it."""
    if len(value) < _SHORTEST_PART:
        return value == right
    return value in right or right in value


def _offer(answer: Answer) -> str:
    shown = (f"{one.label} {one.summary} {one.citation}" for one in answer.candidates)
    return " ".join([answer.question or "", *shown])


def _fold(text: str) -> str:
    return " ".join(text.casefold().replace("`", "").replace("*", "").split())


def ask(app: App, access: Access, rows: list[dict[str, Any]]) -> Iterator[tuple[str, str, float]]:
    """Yield of each question its kind, what its answer is worth, and the seconds it took."""
    for row in rows:
        begin = time.perf_counter()
        answer = app.resolve(access, row["term"], context=row["context"], learn=False)
        yield row["kind"], judge(row, answer), time.perf_counter() - begin


def sync_folder(app: App, access: Access, folder: Path) -> None:
    """Make a folder a source, and wait until it is read."""
    new = NewSource("folder", "docs", {"path": str(folder)})
    with app.call(access, Action.SOURCE_CREATED, Role.ADMIN) as context:
        source = context.services.sources.create(context.access, new)
    outcome = app.syncs.request_sync(access, source.id)
    while isinstance(outcome, PendingSync):
        app.jobs.wait(outcome.ticket.id, 600.0)
        outcome = app.syncs.look_at(outcome)


def main() -> None:
    """Print the table."""
    folder, chosen = Path(sys.argv[1] if len(sys.argv) > 1 else "."), sys.argv[2:]
    by_repository: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in QUESTIONS.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not chosen or row["set"] in chosen:
            by_repository[row["repo"]].append(row)
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    times: list[float] = []
    for repository, rows in by_repository.items():
        if not (folder / repository).is_dir():
            print(f"{repository}: skipped, no folder {folder / repository}")
            continue
        with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home))) as app:
            access = app.enter(None, None, writes=True)
            sync_folder(app, access, (folder / repository).absolute())
            for kind, verdict, seconds in ask(app, access, rows):
                verdicts[kind][verdict] += 1
                times.append(seconds * 1_000)
    for kind, counts in verdicts.items():
        print(f"{kind:12}" + ", ".join(f"{count} {name}" for name, count in counts.most_common()))
    if times:
        total = sum(verdicts.values(), Counter[str]())
        right = sum(total[name] for name in RIGHT)
        print(f"{WRONG} {total[WRONG] / len(times):.2f}, right {right / len(times):.2f}", end="")
        print(
            f" of {len(times)}; p50 {quantile(times, 0.5):.0f} ms, p95 {quantile(times, 0.95):.0f}"
        )


if __name__ == "__main__":
    main()
