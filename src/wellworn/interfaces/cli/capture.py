"""The command that keeps what sessions of an agent said that is worth it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from wellworn.engines import daemon
from wellworn.interfaces.cli.context import AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.output import LeftOut, note, say
from wellworn.interfaces.hook import allow_capture, is_capture_allowed
from wellworn.kit.markdown import strip_markup
from wellworn.kit.stretches import list_sentences_at
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from wellworn.client.models import CapturedStatement
    from wellworn.engines.formats import SessionPart

_AT_ONCE: Final = 50
_MOST: Final = 500
"""Statements of one session that are judged in one go, the newest; each takes some 40 ms."""
_FEWEST_WORDS: Final = 3
_LONGEST: Final = 1_000
_EXCERPT: Final = 160
_NOT_KEPT: Final = {
    "secret": "hold a secret and are not kept",
    "order": "read like orders and are not kept",
    "unjudged": "were not judged: that takes the shipped reader and encoder",
}

Spoken = tuple[str, bool]
"""A sentence, and whether it is the user's."""

commands = new_group()


@command(commands, "capture SESSION.jsonl --dry-run", options=AGENT)
def capture(
    context: CommandContext,
    path: Annotated[
        Path | None,
        typer.Argument(exists=True, dir_okay=False, help="A session of Claude Code or Codex."),
    ] = None,
    *,
    allowed: Annotated[
        bool | None,
        typer.Option("--on/--off", help="Whether hooks do it when a session ends or is compacted."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what it keeps.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also what was judged before.")] = False,
) -> None:
    """Keep what a session said that is worth it: what was decided, learned, failed, preferred.

    A small trained judge decides, on this machine. Secrets, orders, code and what tools printed
    are never kept. wellworn recent --tag captured lists what was. Hooks do it only after --on.
    """
    if path is None:
        _set(context, allowed=allowed)
        return
    if allowed is not None:
        raise typer.BadParameter("--on and --off go without a session")
    mark = _find_mark(context.folder, path)
    before = 0 if again else _read_mark(mark)
    left_out = LeftOut()
    spoken = list(_list_spoken(path, left_out))
    left_out.tell_rest()
    fresh = spoken[before:][-_MOST:]
    if (passed := len(spoken) - before - len(fresh)) > 0:
        note(f"{passed} sentences before the last {_MOST} are passed over")
    judged: list[CapturedStatement] = []
    with context.progress("judging") as advance:
        for start in range(0, len(fresh), _AT_ONCE):
            part = fresh[start : start + _AT_ONCE]
            answer = context.memory.capture(
                [text for text, by_user in part if by_user],
                [text for text, by_user in part if not by_user],
                session=path.stem[:100],
                dry_run=dry_run,
            )
            judged += answer.statements
            advance(start + len(part), len(fresh))
            if not dry_run:
                _write_mark(mark, before + passed + start + len(part))
    context.show(
        {"statements": judged, "dry_run": dry_run}, lambda _: _print(judged, is_dry=dry_run)
    )


def _set(context: CommandContext, *, allowed: bool | None) -> None:
    if allowed is not None:
        allow_capture(context.folder, allowed=allowed)
    is_on = is_capture_allowed(context.folder)
    state = "on: hooks keep what is worth it" if is_on else "off: wellworn capture --on allows it"
    context.show({"on": is_on}, f"capture is {state}")


def _list_spoken(path: Path, left_out: LeftOut) -> Iterator[Spoken]:
    """Yield what was said in a session, sentence by sentence, without code and tables."""
    from wellworn.engines.formats import AgentSessions

    for part in AgentSessions(path, left_out.tell):
        if part.before == 0:
            yield from _split(part.query, by_user=True)
        for text in _list_said(part):
            yield from _split(text, by_user=False)


def _list_said(part: SessionPart) -> Iterable[str]:
    """Return what the agent said in a part, beside what tools answered."""
    said = [str(entry["result"]) for entry in part.entries if "tool" not in entry]
    return [*said, part.answer] if part.answer else said


def _split(text: str, *, by_user: bool) -> Iterator[Spoken]:
    for start, end in list_sentences_at(text):
        sentence = text[start:end].strip()
        if sentence.startswith(("```", "~~~", "|")):
            continue
        plain = strip_markup(sentence.lstrip("-*+#>0123456789.) \t"))
        if len(plain) <= _LONGEST and len(plain.split()) >= _FEWEST_WORDS:
            yield plain, by_user


def _find_mark(folder: Path, path: Path) -> Path:
    """Return the file that says how many sentences of a session were judged."""
    name = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:24]
    return folder / "hooks" / f"{name}.captured"


def _read_mark(mark: Path) -> int:
    try:
        return int(mark.read_text("utf-8"))
    except (OSError, ValueError):
        return 0


def _write_mark(mark: Path, count: int) -> None:
    daemon.make_private_folder(mark.parent)
    mark.write_text(str(count), "utf-8")


def _print(judged: Sequence[CapturedStatement], *, is_dry: bool) -> None:
    kept = [each for each in judged if each.outcome in {"kept", "known"}]
    for each in kept:
        who = "user" if each.by_user else "agent"
        say(f"{each.worth:.2f}  {who:5}  {shorten(each.text, _EXCERPT)}")
    for outcome, meaning in _NOT_KEPT.items():
        if count := sum(each.outcome == outcome for each in judged):
            note(f"{count} {meaning}")
    verb, known = "would be kept" if is_dry else "kept", sum(e.outcome == "known" for e in kept)
    before = f" ({known} were known)" if known else ""
    say(f"{verb}: {len(kept)} of {len(judged)} sentences{before}")
