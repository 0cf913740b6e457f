"""The command that asks knowledge its owner's questions and fails below a bar: eval.

Source: issue 5, point 6; knowledge design, decision 10.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url
from wellworn.interfaces.cli.output import complain, emit, progress, say
from wellworn.interfaces.cli.rendering import one_line

if TYPE_CHECKING:
    from wellworn.application.evals import Asked, Evaluation

_LONGEST_SHOWN = 70
_REMEDY = "wellworn eval --help, or docs/how-to/evaluate-your-knowledge.md"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("eval", epilog="Example: wellworn eval questions.yaml --bar 0.95")(evaluate)


def evaluate(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="YAML with questions."),
    ],
    *,
    bar: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the questions that must be right.")
    ] = 0.9,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Ask your knowledge your own questions; fail if too few are answered as you expect."""
    from wellworn.application.evals import evaluated

    asked = _read(file)
    with (
        connect(home, url, key=key, space=space) as memory,
        progress("asking", quiet=as_json) as advance,
    ):
        found = evaluated(memory, asked, bar=bar, advance=advance)
    emit(_told(found)) if as_json else _show(found)
    if not found.is_passed:
        raise typer.Exit(1)


def _read(file: Path) -> tuple[Asked, ...]:
    from wellworn.application.evals import QuestionsUnusable, questions

    try:
        return questions(file.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        complain(f"{file.name}: it is no text in UTF-8", _REMEDY)
    except QuestionsUnusable as failure:
        complain(f"{file.name}, {failure.message}", _REMEDY)
    raise typer.Exit(2)


def _told(found: Evaluation) -> dict[str, Any]:
    """Return everything for other programs."""
    return {
        "questions": len(found.verdicts),
        "right": found.right,
        "score": found.score,
        "bar": found.bar,
        "passed": found.is_passed,
        "measures": {
            one.name: {"mean": one.mean, "questions": one.questions} for one in found.measures()
        },
        "misses": [
            {
                "number": one.question.number,
                "line": one.question.line,
                "question": one.question.text,
                "why": one.misses,
            }
            for one in found.verdicts
            if not one.is_right
        ],
    }


def _show(found: Evaluation) -> None:
    """Print the measures, each miss with its reason, and one line in the end."""
    for one in found.measures():
        say(f"{one.name:<18} {one.mean:.3f}  of {_counted(one.questions)}")
    for one in found.verdicts:
        if one.is_right:
            continue
        say(f"line {one.question.line}: {_shortened(one.question.text)}")
        for miss in one.misses:
            say(f"    {one_line(miss)}")
    verdict = "passed" if found.is_passed else "below the bar"
    total = _counted(len(found.verdicts))
    say(f"{found.right} of {total} right: {found.score:.3f}, bar {found.bar:g}, {verdict}")


def _counted(questions: int) -> str:
    return "1 question" if questions == 1 else f"{questions} questions"


def _shortened(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
