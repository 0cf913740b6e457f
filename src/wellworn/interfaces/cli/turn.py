"""Commands about turns: they are listed, read, resumed, imported, archived and deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from wellworn.errors import InvalidInput
from wellworn.interfaces.cli import lookup, turn_output
from wellworn.interfaces.cli.context import AGENT, NAMED_AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.options import Yes, parse_time
from wellworn.interfaces.cli.output import EXCERPT, LeftOut, ask_to_confirm
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from wellworn.client import Wellworn
    from wellworn.engines.formats import SessionPart

commands = new_group("List, read, resume, import or delete turns.", example="turn show 12")

TurnName = Annotated[
    str, typer.Argument(metavar="TURN", help="Its id, or its number among the agent's turns.")
]


@command(commands, "turn list --limit 5", name="list", options=AGENT)
def list_turns(
    context: CommandContext,
    *,
    everybody: Annotated[bool, typer.Option("--all", help="Turns of all agents.")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="Turns of the archive.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most turns.")] = 20,
    before: Annotated[
        str | None, typer.Option(help="Continue an earlier list, which printed this id.")
    ] = None,
) -> None:
    """List turns, newest first."""
    agent_id = None if everybody else context.agent
    page = context.memory.list_turns(
        agent_id=agent_id, limit=limit, before=before, archived=archived
    )
    context.show(page, turn_output.print_turns)


@command(commands, "turn show 12 --file metadata.json", options=AGENT)
def show(
    context: CommandContext,
    turn: TurnName,
    *,
    file: Annotated[
        str, typer.Option(help="Another file of the turn; turn files lists them.")
    ] = "context.md",
) -> None:
    """Print the document of a turn."""
    turn_id = lookup.find_turn_id(context.memory, turn)
    text = context.memory.read_turn_file(turn_id, file)
    context.show({"turn_id": turn_id, "file": file, "text": text}, text.rstrip("\n"))


@command(commands, "turn files 12", options=AGENT)
def files(context: CommandContext, turn: TurnName) -> None:
    """List the files of a turn."""
    turn_id = lookup.find_turn_id(context.memory, turn)
    paths = context.memory.list_turn_files(turn_id)
    context.show({"turn_id": turn_id, "files": paths}, "\n".join(paths))


@command(commands, "turn research --topic hamster", options=AGENT)
def research(
    context: CommandContext,
    *,
    everybody: Annotated[bool, typer.Option("--all", help="Of the turns of all agents.")] = False,
    topic: Annotated[
        str | None,
        typer.Option(help="Only this topic and its parts, such as laptop.gaming_laptop."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most documents.")] = 20,
) -> None:
    """List what turns read on the web, newest first.

    Each is the file research.md of its turn: wellworn turn show TURN --file research.md prints it.
    """
    agent_id = None if everybody else context.agent
    documents = context.memory.list_research(agent_id=agent_id, topic=topic, limit=limit)
    context.show({"documents": documents}, lambda _: turn_output.print_research(documents))


@command(commands, "turn stats --days 7", options=AGENT)
def stats(
    context: CommandContext,
    *,
    everybody: Annotated[bool, typer.Option("--all", help="Turns of all agents.")] = False,
    days: Annotated[int, typer.Option(min=1, max=366, help="Most days with turns.")] = 30,
) -> None:
    """Print what turns came to by day, and how visits to sites went."""
    agent_id = None if everybody else context.agent
    statistics = context.memory.get_turn_statistics(agent_id=agent_id, days=days)
    context.show(statistics, turn_output.print_statistics)


@command(commands, "turn resume 12", options=AGENT)
def resume(context: CommandContext, turn: TurnName) -> None:
    """Resume an interrupted turn and print its answer."""
    turn_id = lookup.find_turn_id(context.memory, turn)
    with turn_output.follow_phases(quiet=context.as_json) as on_phase:
        answer = context.memory.resume_turn(turn_id, on_phase=on_phase)
    context.show(answer, turn_output.print_answer)
    if answer.turn.status == "failed" and not answer.missing:
        raise typer.Exit(1)


@command(commands, "turn import ~/.claude/projects", name="import", options=NAMED_AGENT)
def import_sessions(
    context: CommandContext,
    path: Annotated[
        Path, typer.Argument(exists=True, help="A session file, or a folder with sessions.")
    ],
) -> None:
    """Import sessions of Claude Code, Codex, Gemini CLI or Qwen Code as turns.

    Each prompt becomes a turn. What was imported before is passed over: run it again to resume an
    interrupted import, or to fetch what is new. A line that cannot be read is named and left out.
    """
    from wellworn.engines.formats import AgentSessions

    left_out = LeftOut()
    sessions, sending = AgentSessions(path, left_out.tell), SessionImport(context.memory)
    with context.progress("importing (kB)") as advance:
        for part in sessions:
            sending.send(part)
            advance(sessions.bytes_read // 1_000, sessions.total_bytes // 1_000)
    left_out.tell_rest()
    if not sending.imported + sending.known:
        raise InvalidInput(
            "no prompt of a session of Claude Code, Codex, Gemini CLI or Qwen Code was found in"
            f" {path} (.jsonl files read: {len(sessions.files)})"
        )
    result = {"imported": sending.imported, "known": sending.known, "left_out": left_out.count}
    summary = f"turns imported: {sending.imported}, known already: {sending.known}"
    context.show(result, f"{summary}{left_out.summary}")


@command(commands, "turn archive --older-than 90d --dry-run", options=AGENT)
def archive(
    context: CommandContext,
    *,
    before: Annotated[
        str,
        typer.Option(
            "--older-than",
            parser=parse_time,
            metavar="TIME",
            help="Turns that ended before this: 90d (90 days ago), or 2026-02-23.",
        ),
    ],
    everybody: Annotated[bool, typer.Option("--all", help="Turns of all agents.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be archived.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Archive turns of long ago: later turns no longer look through them.

    turn list --archived lists them, turn show reads them, and turn restore brings one back.
    """
    agent_id = None if everybody else context.agent
    due = context.memory.archive_turns(before=before, agent_id=agent_id, dry_run=True)
    if not dry_run and due:
        ask_to_confirm(f"Archive {len(due)} turns that ended before {before}?", yes=yes)
        due = context.memory.archive_turns(before=before, agent_id=agent_id)
    verb = "would archive" if dry_run else "archived"
    result = {"turns": due, "dry_run": dry_run}
    context.show(result, lambda _: turn_output.print_archived(due, verb, is_listed=dry_run))


@command(commands, "turn restore 12", options=AGENT)
def restore(context: CommandContext, turn: TurnName) -> None:
    """Move a turn out of the archive."""
    restored = context.memory.restore_turn(lookup.find_turn_id(context.memory, turn))
    context.show(restored, f"restored: turn {restored.number}")


@command(commands, "turn delete 12", options=AGENT)
def delete(context: CommandContext, turn: TurnName, *, yes: Yes = False) -> None:
    """Delete a turn and its files."""
    turn_id = lookup.find_turn_id(context.memory, turn)
    if not yes:
        query = shorten(context.memory.get_turn(turn_id).turn.query, EXCERPT)
        ask_to_confirm(f"Delete the turn “{query}” with its files?", yes=yes)
    context.memory.delete_turn(turn_id)
    context.show({"deleted": turn_id}, f"deleted: {turn_id}")


@command(commands, "turn rebuild")
def rebuild(context: CommandContext) -> None:
    """Rebuild the index of turns from their files.

    For admins of the space.
    """
    count = context.memory.rebuild_turns()
    context.show({"indexed": count}, f"indexed {count} turns")


_UNANSWERED: Final = "(The session has no answer to this.)"


class SessionImport:
    """Sends turns as their parts come in; counts those that were new, and those that were not."""

    def __init__(self, memory: Wellworn) -> None:
        self._memory = memory
        self._turn_id: str | None = None
        self._sent = 0
        self.imported = self.known = 0

    def send(self, part: SessionPart) -> None:
        """Send what the server does not have of a part; a turn's parts come in their order."""
        if part.before == 0:
            self._begin(part)
        if self._turn_id is None:
            return
        if rest := part.entries[max(0, self._sent - part.before) :]:
            self._memory.append_to_turn(self._turn_id, rest)
        if part.answer is not None:
            self._memory.close_turn(self._turn_id, part.answer or _UNANSWERED)
            self.imported += 1

    def _begin(self, part: SessionPart) -> None:
        """Open a turn, or one whose import was interrupted; one that is over is passed over."""
        opened = self._memory.open_turn(
            part.query, engine=part.engine, key=part.key, asked_at=part.asked_at
        )
        is_open = opened.status == "open"
        self._turn_id = opened.id if is_open else None
        self._sent = _count_entries(self._memory, opened.id) if is_open else 0
        self.known += not is_open


def _count_entries(memory: Wellworn, turn_id: str) -> int:
    """Return how many entries an interrupted import has sent already."""
    # Not `splitlines`, which also divides at characters that JSON leaves as they are.
    lines = memory.read_turn_file(turn_id, "journal.jsonl").split("\n")
    return sum(_is_entry(line) for line in lines)


def _is_entry(line: str) -> bool:
    """Tell whether a line is an entry; one that the end of a process tore is none."""
    try:
        return "call" in json.loads(line)
    except ValueError:
        return False
