"""The command that keeps what sessions of an agent said that is worth it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from wellworn.engines import daemon
from wellworn.errors import StoreInUse
from wellworn.interfaces.cli.context import AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.output import LeftOut, note, say
from wellworn.interfaces.hook import allow_capture, is_capture_allowed
from wellworn.kit.markdown import strip_markup
from wellworn.kit.stretches import list_sentences_at
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from _hashlib import HASH

    from wellworn.client.fields import SaidStatement, Speaker
    from wellworn.client.models import CapturedStatement
    from wellworn.engines.formats import SessionPart

_AT_ONCE, _CHARACTERS_AT_ONCE = 50, 5_000
_MOST: Final = 500
"""Statements of one session that are judged in one go, the newest; each takes some 40 ms."""
_FEWEST_WORDS: Final = 3
_LONGEST: Final = 1_000
_EXCERPT: Final = 160
_LONGEST_WAIT_S: Final = 900.0
_NOT_KEPT: Final = {
    "secret": "tell a secret and are not kept",
    "order": "read like orders and are not kept",
    "unjudged": "were not judged: that takes the shipped reader and encoder",
}

commands = new_group()


@command(commands, "capture SESSION.jsonl --dry-run", options=AGENT)
def capture(
    context: CommandContext,
    path: Annotated[
        Path | None,
        typer.Argument(exists=True, dir_okay=False, help="A session file of an agent."),
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

    A small trained judge decides, at the server. Code and what tools printed are never looked at;
    tokens, keys and orders are left out. wellworn recent --tag captured lists what was kept. Hooks
    do it only after --on.
    """
    if path is None:
        _set(context, allowed=allowed)
        return
    if allowed is not None:
        raise typer.BadParameter("--on and --off go without a session")
    mark = _find_mark(context.folder, context.space_id, path)
    with nullcontext() if dry_run else _taking_turns(mark.parent):
        left_out = LeftOut()
        spoken = list(_list_spoken(path, left_out))
        left_out.tell_rest()
        before = 0 if again else _count_judged(mark, spoken)
        fresh = spoken[before:][-_MOST:]
        if passed := len(spoken) - before - len(fresh):
            note(f"{passed} sentences before the last {_MOST} are passed over")
        judged: list[CapturedStatement] = []
        hashed, is_judged = _hash(spoken[: before + passed]), True
        with context.progress("judging") as advance:
            for part in _divide(fresh):
                start = before + passed + len(judged)
                answer = context.memory.capture(
                    part,
                    before=_get_text(spoken, start - 1),
                    after=_get_text(spoken, start + len(part)),
                    session=path.stem[:100],
                    dry_run=dry_run,
                )
                judged += answer.statements
                advance(len(judged), len(fresh))
                _hash(part, hashed)
                is_judged &= all(each.outcome != "unjudged" for each in answer.statements)
                # What nobody could judge is judged when somebody can.
                if is_judged and not dry_run:
                    count = before + passed + len(judged)
                    mark.write_text(f"{count} {hashed.hexdigest()}", "utf-8")
    context.show(
        {"statements": judged, "dry_run": dry_run}, lambda _: _print(judged, is_dry=dry_run)
    )


def _set(context: CommandContext, *, allowed: bool | None) -> None:
    if allowed is not None:
        allow_capture(context.folder, allowed=allowed)
    is_on = is_capture_allowed(context.folder)
    state = "on: hooks keep what is worth it" if is_on else "off: wellworn capture --on allows it"
    context.show({"on": is_on}, f"capture is {state}")


def _list_spoken(path: Path, left_out: LeftOut) -> Iterator[SaidStatement]:
    """Yield what was said in a session, sentence by sentence, without code and tables."""
    from wellworn.engines.formats import AgentSessions

    last = ""
    for part in AgentSessions(path, left_out.tell):
        if part.before == 0:
            last = ""
            yield from _split(part.query, by="user")
        for text in _list_said(part):
            # Of a turn that is not over, the last thing on the way is the answer as well.
            if text != last:
                yield from _split(text, by="agent")
            last = text


def _list_said(part: SessionPart) -> Iterable[str]:
    """Return what the agent said in a part, beside what tools answered."""
    said = [str(entry["result"]) for entry in part.entries if "tool" not in entry]
    return [*said, part.answer] if part.answer else said


def _split(text: str, *, by: Speaker) -> Iterator[SaidStatement]:
    for start, end in list_sentences_at(text):
        sentence = text[start:end].strip()
        if sentence.startswith(("```", "~~~", "|")):
            continue
        plain = strip_markup(sentence.lstrip("-*+#>0123456789.) \t"))
        if len(plain) <= _LONGEST and len(plain.split()) >= _FEWEST_WORDS:
            yield {"text": plain, "by": by}


def _find_mark(folder: Path, space: str, path: Path) -> Path:
    """Return the file that says which sentences of a session were judged for a space."""
    name = hashlib.sha256(f"{space}{path.absolute()}".encode()).hexdigest()[:24]
    return folder / "hooks" / f"{name}.captured"


@contextmanager
def _taking_turns(folder: Path) -> Generator[None]:
    """Let one process at a time capture: two would judge the same, and take all processors.

    Raises:
        StoreInUse: another takes too long.
    """
    daemon.make_private_folder(folder.parent)
    daemon.make_private_folder(folder)
    with daemon.lock_exclusively(folder / "capture.lock", wait_s=_LONGEST_WAIT_S) as file:
        if file is None:
            raise StoreInUse("other sessions are still being captured; try again later")
        yield


def _divide(spoken: Sequence[SaidStatement]) -> Iterator[Sequence[SaidStatement]]:
    """Yield as many sentences as one call judges within seconds."""
    start = size = 0
    for at, said in enumerate(spoken):
        if at - start == _AT_ONCE or size + len(said["text"]) > _CHARACTERS_AT_ONCE:
            yield spoken[start:at]
            start, size = at, 0
        size += len(said["text"])
    if spoken:
        yield spoken[start:]


def _get_text(spoken: Sequence[SaidStatement], at: int) -> str | None:
    return spoken[at]["text"] if 0 <= at < len(spoken) else None


def _count_judged(mark: Path, spoken: Sequence[SaidStatement]) -> int:
    """Return how many were judged; none if the session begins otherwise than it did then."""
    try:
        count, digest = mark.read_text("utf-8").split()
        judged = spoken[: int(count)]
    except (OSError, ValueError):
        return 0
    return len(judged) if digest == _hash(judged).hexdigest() else 0


def _hash(spoken: Sequence[SaidStatement], before: HASH | None = None) -> HASH:
    """Return the hash of sentences, or go on with that of those before them."""
    hashed = before or hashlib.sha256()
    for sentence in spoken:
        hashed.update(json.dumps(sentence).encode())
    return hashed


def _print(judged: Sequence[CapturedStatement], *, is_dry: bool) -> None:
    kept = [each for each in judged if each.outcome in {"kept", "known"}]
    for each in kept:
        worth = "" if each.worth is None else f"{each.worth:.2f}"
        say(f"{worth:4}  {each.by:5}  {shorten(each.text, _EXCERPT)}")
    for outcome, meaning in _NOT_KEPT.items():
        if count := sum(each.outcome == outcome for each in judged):
            note(f"{count} {meaning}")
    verb, known = "would be kept" if is_dry else "kept", sum(e.outcome == "known" for e in kept)
    before = f" ({known} were known)" if known else ""
    say(f"{verb}: {len(kept)} of {len(judged)} sentences{before}")
