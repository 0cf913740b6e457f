"""The command that measures retrieval: bench.

What is measured is wellworn as its user has it: a server of its own on an empty folder for each
corpus, filled by import, asked by the call that agents make.

Source: issue 4, point 8.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from wellworn.errors import InvalidInput
from wellworn.interfaces.cli.options import Json
from wellworn.interfaces.cli.output import complain, emit, note, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from wellworn.application.evals import Answer, Report, Task

_LAYOUT = "wellworn bench --list, which says what each task wants to find there"
_LINES = ".jsonl"


class Split(StrEnum):
    """What may be tuned on, what is held out, and both."""

    DEV = "dev"
    TEST = "test"
    ALL = "all"


class Method(StrEnum):
    """How to search."""

    HYBRID = "hybrid"
    VECTOR = "vector"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: wellworn bench locomo --data ./data --out ./run")(bench)


def bench(
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
    from wellworn.application.evals import TASKS

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
    from wellworn.application.evals import TASKS
    from wellworn.interfaces.cli.scoreboard import show_report

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
    from wellworn.application.evals import TASKS, load

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
    from wellworn.application.evals import ServedMemory, answered, reported
    from wellworn.interfaces.cli.hosting import hosted

    total, done = task.units + task.questions, 0
    answers: list[Answer] = []
    with progress(task.name, quiet=run.is_quiet) as advance, _sink(run.file(task.name)) as keep:

        def step(count: int) -> None:
            nonlocal done
            done += count
            advance(done, total)

        method = None if run.method is None else run.method.value
        with ServedMemory(hosted, method=method, on_batch=step) as memory:
            for answer in answered(memory, task, prepare=memory.renew):
                keep(answer.as_line())
                answers.append(answer)
                step(1)
    return reported(task, answers)


@contextmanager
def _sink(file: Path | None) -> Generator[Callable[[str], object]]:
    if file is None:
        yield lambda _: None
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        yield lines.write


def _compare(runs: tuple[Path, Path], metric: str, *, as_json: bool) -> None:
    from wellworn.application.evals import compared
    from wellworn.interfaces.cli.scoreboard import show_comparisons

    found = compared(*runs, metric)
    if as_json:
        emit([asdict(one) for one in found])
    else:
        show_comparisons(found, runs)


def _list(data: Path | None, *, as_json: bool) -> None:
    from wellworn.application.evals import TASKS
    from wellworn.interfaces.cli.scoreboard import show_tasks

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
