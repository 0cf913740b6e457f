"""Measuring retrieval on public data: `python -m benchmarks retrieval [task ...]`.

What is measured is wellworn as its user has it: a server of its own on an empty folder for each
corpus, filled by import, asked by the call that agents make.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from benchmarks.processes import serving
from benchmarks.retrieval.models import Task
from benchmarks.retrieval.report import Report, reported
from benchmarks.retrieval.runner import Answer, answered
from benchmarks.retrieval.runs import compared
from benchmarks.retrieval.scoreboard import show_comparisons, show_report, show_tasks
from benchmarks.retrieval.served import ServedMemory
from benchmarks.retrieval.tasks import TASKS, load
from wellworn.errors import InvalidInput
from wellworn.interfaces.cli.failures import explain
from wellworn.interfaces.cli.options import Json
from wellworn.interfaces.cli.output import complain, emit, note, progress

_PROGRAM = "python -m benchmarks retrieval"
_LAYOUT = f"{_PROGRAM} --list, which says what each task wants to find there"
_LINES = ".jsonl"
_OF_THE_CALLER = frozenset({"WELLWORN_HOME", "WELLWORN_KEY", "WELLWORN_SPACE", "WELLWORN_URL"})


class Split(StrEnum):
    """What may be tuned on, what is held out, and both."""

    DEV = "dev"
    TEST = "test"
    ALL = "all"


class Method(StrEnum):
    """How to search."""

    HYBRID = "hybrid"
    VECTOR = "vector"


app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command with the words of the command line and return its exit code."""
    try:
        answer: Any = app(words, prog_name=_PROGRAM, standalone_mode=False)
    except Exception as failure:  # noqa: BLE001 — an entry point: every failure becomes two lines
        reason = explain(failure)
        complain(reason.message, reason.remedy)
        return reason.exit_code
    return answer if isinstance(answer, int) else 0


@app.command(epilog=f"Example: {_PROGRAM} locomo --data ./data --out ./run")
def measure(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASKS]...", help="Which; all whose data is there when absent."),
    ] = None,
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", envvar="WELLWORN_BENCH_DATA", help="Folder with a folder for each data set."
        ),
    ] = None,
    split: Annotated[
        Split, typer.Option(help="dev is for tuning, test is held out, all is both.")
    ] = Split.DEV,
    method: Annotated[
        Method | None, typer.Option(help="How to search; the server's own way when absent.")
    ] = None,
    limit_questions: Annotated[
        int | None, typer.Option(min=1, help="Ask this many questions of each task, the first.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a JSON line for each question: to a .jsonl file, or a folder."),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Measure nothing; compare what --out wrote in two runs."),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="What to compare by, such as ndcg@10 or group.hit@5.")
    ] = "recall@10",
    list_tasks: Annotated[
        bool, typer.Option("--list", help="Say which tasks there are and which files they want.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure how well questions find their evidence in public data sets.

    Each corpus gets an empty memory of its own; yours is not touched. No language model takes part.
    """
    if compare is not None:
        _compare(compare, metric, as_json=as_json)
        return
    if list_tasks:
        _list(data, as_json=as_json)
        return
    names = _known(tasks or [])
    run = _Run(_folder(data), split, method, limit_questions, out, is_quiet=as_json)
    reports = list(_reports(run, names))
    if as_json and reports:
        emit({"split": split.value, "reports": [asdict(report) for report in reports]})
    if not reports:
        _give_up("there was nothing to measure", _LAYOUT)


@dataclass(frozen=True, slots=True)
class _Run:
    """What one call measures, and where the answers go."""

    data: Path
    split: Split
    method: Method | None
    limit: int | None
    out: Path | None
    is_quiet: bool

    def file(self, task: str) -> Path | None:
        """Return where the answers to a task go."""
        if self.out is None or self.out.suffix == _LINES:
            return self.out
        return self.out / f"{task}{_LINES}"


def _known(names: list[str]) -> list[str]:
    for name in names:
        if name not in TASKS:
            message = f"there is no task {name}; there are {', '.join(TASKS)}"
            raise typer.BadParameter(message, param_hint="TASKS")
    return names or list(TASKS)


def _folder(data: Path | None) -> Path:
    if data is None:
        _give_up(
            "no folder with data was named",
            f"--data FOLDER, with one folder for each data set; {_LAYOUT}",
        )
    if not data.is_dir():
        _give_up(f"there is no folder {data}", f"another --data; {_LAYOUT}")
    return data


def _reports(run: _Run, names: list[str]) -> Iterator[Report]:
    for file in {run.file(name) for name in names}:
        if file is not None:
            file.unlink(missing_ok=True)
    for task in _loaded(run, names):
        report = _measured(run, task)
        if not run.is_quiet:
            show_report(report, TASKS[task.name].units)
        yield report


def _loaded(run: _Run, names: list[str]) -> Iterator[Task]:
    """Yield the tasks that can be measured, and say of each other one why it is skipped."""
    for name in names:
        if gone := TASKS[name].missing(run.data):
            note(f"{name}: skipped, there is no {gone} in {run.data}")
            continue
        try:
            task = load(name, run.data, run.split.value)
        except InvalidInput as failure:
            note(f"{name}: skipped, {failure.message}")
            continue
        if not task.questions:
            note(f"{name}: skipped, its data here has no question in the split {run.split.value}")
            continue
        yield task if run.limit is None else task.limited(run.limit)


def _measured(run: _Run, task: Task) -> Report:
    total, done = task.units + task.questions, 0
    answers: list[Answer] = []
    with progress(task.name, quiet=run.is_quiet) as advance, _sink(run.file(task.name)) as keep:

        def step(count: int) -> None:
            nonlocal done
            done += count
            advance(done, total)

        method = None if run.method is None else run.method.value
        with ServedMemory(_host, method=method, on_batch=step) as memory:
            for answer in answered(memory, task, prepare=memory.renew):
                keep(answer.as_line())
                answers.append(answer)
                step(1)
    return reported(task, answers)


@contextmanager
def _host(home: Path) -> Generator[str]:
    """Run a server with the settings of the environment; gives its address."""
    settings = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("WELLWORN_") and name not in _OF_THE_CALLER
    }
    with serving(home, **settings) as server:
        yield server.url


@contextmanager
def _sink(file: Path | None) -> Generator[Callable[[str], object]]:
    if file is None:
        yield lambda _: None
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        yield lines.write


def _compare(runs: tuple[Path, Path], metric: str, *, as_json: bool) -> None:
    found = compared(*runs, metric)
    if as_json:
        emit([asdict(one) for one in found])
    else:
        show_comparisons(found, runs)


def _list(data: Path | None, *, as_json: bool) -> None:
    listed = [
        {
            "task": name,
            "finds": entry.units,
            "known by": entry.primary,
            "dev is": entry.dev,
            "files below the folder": "\n".join(entry.files),
            "here": "" if data is None else "no" if entry.missing(data) else "yes",
        }
        for name, entry in TASKS.items()
    ]
    emit(listed) if as_json else show_tasks(listed)


def _give_up(message: str, remedy: str) -> NoReturn:
    complain(message, remedy)
    raise typer.Exit(2)
