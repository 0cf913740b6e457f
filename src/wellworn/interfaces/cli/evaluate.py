"""The command that asks knowledge its owner's questions and fails below a bar: eval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import complain, emit, fold_spaces, say
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from wellworn.application.evals import Asked, Evaluation

_LONGEST_QUESTION = 70
_REMEDY = "wellworn eval --help, or docs/how-to/evaluate-your-knowledge.md"

commands = new_group()


@command(commands, "eval questions.yaml --bar 0.95", name="eval")
def evaluate(
    context: CommandContext,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="YAML file with questions."
        ),
    ],
    *,
    bar: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the questions that must be right.")
    ] = 0.9,
) -> None:
    """Check the answers to your own questions.

    The exit code is 1 when too few are as you expect.
    """
    from wellworn.application.evals import evaluate as evaluate_questions

    questions = _read_questions(file)
    memory = context.memory
    with context.progress("asking") as advance:
        evaluation = evaluate_questions(memory, questions, bar=bar, advance=advance)
    emit(_to_dict(evaluation)) if context.as_json else _print_evaluation(evaluation)
    if not evaluation.is_passed:
        raise typer.Exit(1)


def _read_questions(file: Path) -> tuple[Asked, ...]:
    from wellworn.application.evals import QuestionsUnusable, questions

    try:
        return questions(file.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        complain(f"{file.name}: it is not UTF-8 text", _REMEDY)
    except QuestionsUnusable as failure:
        complain(f"{file.name}, {failure.message}", _REMEDY)
    raise typer.Exit(2)


def _to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything for other programs."""
    return {
        "questions": len(evaluation.verdicts),
        "right": evaluation.right,
        "score": evaluation.score,
        "bar": evaluation.bar,
        "passed": evaluation.is_passed,
        "measures": {
            measure.name: {"mean": measure.mean, "questions": measure.questions}
            for measure in evaluation.measures()
        },
        "misses": [
            {
                "number": verdict.question.number,
                "line": verdict.question.line,
                "question": verdict.question.text,
                "why": verdict.misses,
            }
            for verdict in evaluation.verdicts
            if not verdict.is_right
        ],
    }


def _print_evaluation(evaluation: Evaluation) -> None:
    """Print the measures, each miss with its reason, and one line in the end."""
    for measure in evaluation.measures():
        say(f"{measure.name:<18} {measure.mean:.3f}  of {_count_questions(measure.questions)}")
    for verdict in evaluation.verdicts:
        if verdict.is_right:
            continue
        question = shorten(verdict.question.text, _LONGEST_QUESTION)
        say(f"line {verdict.question.line}: {question}")
        for miss in verdict.misses:
            say(f"    {fold_spaces(miss)}")
    outcome = "passed" if evaluation.is_passed else "below the bar"
    right = f"{evaluation.right} of {_count_questions(len(evaluation.verdicts))} right"
    say(f"{right}: {evaluation.score:.3f}, bar {evaluation.bar:g}, {outcome}")


def _count_questions(questions: int) -> str:
    return "1 question" if questions == 1 else f"{questions} questions"
