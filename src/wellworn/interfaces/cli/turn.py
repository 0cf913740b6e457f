"""Commands about turns: they are listed, read, resumed, imported, archived and deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wellworn.errors import InvalidInput
from wellworn.interfaces.cli import lookup, turn_output
from wellworn.interfaces.cli.context import AGENT, NAMED_AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.options import Yes, parse_time
from wellworn.interfaces.cli.output import EXCERPT, LeftOut, ask_to_confirm, note
from wellworn.interfaces.cli.session_import import SessionImport, SessionOutline, list_undo
from wellworn.kit.text import shorten

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
        Path,
        typer.Argument(exists=True, help="A session file, a folder with sessions, or a database."),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what there is, known or not.")
    ] = False,
) -> None:
    """Import sessions of Claude Code, Codex, Gemini CLI, Qwen Code or OpenCode as turns.

    Each prompt becomes a turn. What was imported before is passed over: run it again to resume an
    interrupted import, or to fetch what is new. A line that cannot be read is named and left out.
    """
    from wellworn.engines.formats import AGENTS, AgentSessions

    left_out = LeftOut()
    sessions, outline = AgentSessions(path, left_out.tell), SessionOutline()
    sending = None if dry_run else SessionImport(context.memory)
    with context.progress("reading (kB)" if dry_run else "importing (kB)") as advance:
        for part in sessions:
            outline.add(part)
            if sending is not None:
                sending.send(part)
            advance(sessions.bytes_read // 1_000, sessions.total_bytes // 1_000)
    left_out.tell_rest()
    if not outline.turns:
        raise InvalidInput(
            f"no prompt of a session of {AGENTS} was found in {path}"
            f" (.jsonl files read: {len(sessions.files)})"
        )
    if sending is None:
        answer = {**outline.to_json(), "left_out": left_out.count, "dry_run": True}
        context.show(answer, lambda _: outline.print())
        return
    undo = list_undo(sending.numbers, context.agent)
    result = {"imported": len(sending.numbers), "known": sending.known, "left_out": left_out.count}
    summary = f"turns imported: {len(sending.numbers)}, known already: {sending.known}"
    context.show({**result, "undo": undo}, f"{summary}{left_out.summary}")
    if not context.as_json:
        for line in undo:
            note(f"to take it back: {line}")


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
def delete(
    context: CommandContext,
    turns: Annotated[
        list[str],
        typer.Argument(
            metavar="TURN...", help="Ids, or numbers among the agent's turns, such as 12 or 12-20."
        ),
    ],
    *,
    yes: Yes = False,
) -> None:
    """Delete turns and their files."""
    turn_ids = lookup.find_turn_ids(context.memory, turns)
    if not yes and len(turn_ids) == 1:
        query = shorten(context.memory.get_turn(turn_ids[0]).turn.query, EXCERPT)
        ask_to_confirm(f"Delete the turn “{query}” with its files?", yes=yes)
    elif not yes:
        ask_to_confirm(f"Delete {len(turn_ids)} turns with their files?", yes=yes)
    with context.progress("deleting") as advance:
        for count, turn_id in enumerate(turn_ids, start=1):
            context.memory.delete_turn(turn_id)
            advance(count, len(turn_ids))
    told = turn_ids[0] if len(turn_ids) == 1 else f"{len(turn_ids)} turns"
    context.show({"deleted": turn_ids}, f"deleted: {told}")


@command(commands, "turn rebuild")
def rebuild(context: CommandContext) -> None:
    """Rebuild the index of turns from their files.

    For admins of the space.
    """
    count = context.memory.rebuild_turns()
    context.show({"indexed": count}, f"indexed {count} turns")
