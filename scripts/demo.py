"""A day of several agents on one memory, played on a real server and printed.

    make demo        or        python scripts/demo.py [--keep]

The day itself is `demo_day.toml`. The memory is a temporary one; `--keep` leaves its folder, and
tells how to serve it. The times are the story's: the server's own clock is not turned, so trails
are shown as they are worn, not as they would fade.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from wellworn.client import Reply, Wellworn
from wellworn.client.models import Link, Source
from wellworn.engines import daemon
from wellworn.engines.formats import read_markdown

ROOT = Path(__file__).resolve().parents[1]
DAY = Path(__file__).with_name("demo_day.toml")
COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")
SHOWN = 3
RELATED = 0.3
PLAIN_WIDTH = 110
DOCUMENTS = "wellworn's documentation"
DONE = {
    "contribute": "kept",
    "affirm": "known already, affirmed",
    "feedback_implicit": "what was shown before helped",
    "onboard": "a new agent",
}


@dataclass
class Story:
    """The day under way.

    Attributes:
        names: of the agents, by id.
        kept: thoughts by the names that the day gives them.
        sessions: the last one of each agent.
        gave: how many thoughts each agent gave in conversation.
    """

    url: str
    console: Console
    names: dict[str, str]
    members: dict[str, Wellworn] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    gave: dict[str, int] = field(default_factory=dict)

    def member(self, who: str) -> Wellworn:
        """Return the agent's client."""
        if who not in self.members:
            self.members[who] = Wellworn(self.url, agent_id=who, agent_name=self.names[who])
        return self.members[who]

    def named(self, who: str) -> str:
        """Return the agent's name in its colour."""
        colour = COLOURS[list(self.names).index(who) % len(COLOURS)]
        return f"[bold {colour}]{escape(self.names[who])}[/]"

    def tell(self, markup: str, *, indent: int = 6) -> None:
        """Print a paragraph, its lines set off from the left."""
        words = Text.from_markup(markup)
        for part in words.wrap(self.console, self.console.width - indent):
            part.rstrip()
            self.console.print(Text(" " * indent) + part)


def main() -> None:
    """Play the day and look back at it."""
    parser = argparse.ArgumentParser(description="Play a day of several agents on one memory.")
    parser.add_argument("--keep", action="store_true", help="leave the memory's folder")
    keep = parser.parse_args().keep
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    home = Path(tempfile.mkdtemp(prefix="wellworn-demo-"))
    try:
        with serving(home) as url:
            play(url, console)
    finally:
        if keep:
            console.print(f"\nThe memory is kept: wellworn serve --home {home}", soft_wrap=True)
        else:
            shutil.rmtree(home, ignore_errors=True)


@contextmanager
def serving(home: Path) -> Generator[str]:
    """Run a server on the folder until the block ends; gives its address."""
    settings = {k: v for k, v in os.environ.items() if not k.startswith("WELLWORN_")}
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), settings.get("PYTHONPATH")]))
    words = ["-m", "wellworn", "serve", "--home", str(home), "--port", "0"]
    log = home / "logs" / "daemon.log"  # where `daemon.wait_until_ready` looks for the last words
    log.parent.mkdir(parents=True)
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *words],
            env={**settings, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    try:
        yield daemon.wait_until_ready(home, alive=lambda: process.poll() is None).url
    finally:
        process.terminate()
        process.wait(timeout=20)


def play(url: str, console: Console) -> None:
    """Let everybody say their lines, then show what the day left behind."""
    day = tomllib.loads(DAY.read_text("utf-8"))
    story = Story(url, console, day["agents"])
    console.rule("A day of five agents and one memory")
    for line in day["line"]:
        console.print(f"\n[dim]{line['at']}[/]  {story.named(line['who'])}")
        ACTIONS[next((name for name in ACTIONS if name in line), "say")](story, line)
    look_back(story)
    for member in story.members.values():
        member.close()


# ---------------------------------------------------------------- what happens in the day
def say(story: Story, line: dict[str, Any]) -> None:
    """Say the line, print what memory answers, and give the feedback the line asks for."""
    who = line["who"]
    context = f" [dim](while {escape(line['context'])})[/]" if "context" in line else ""
    story.tell(f"[bold]{escape(line['say'])}[/]{context}")
    reply = story.member(who).converse(
        line["say"],
        tags=line.get("tags", ()),
        context=line.get("context"),
        session_id=story.sessions.get(who) if line.get("same") else None,
        limit=SHOWN,
        explain=True,
    )
    story.sessions[who] = reply.session_id
    story.gave[who] = story.gave.get(who, 0) + reply.trace.thoughts_contributed
    if "keep" in line:
        story.kept[line["keep"]] = str(reply.thought_id)
    answered(story, reply)
    if line.get("explain") and reply.sources:
        reasons(story, reply.sources[0])
    rated(story, line, reply)


def answered(story: Story, reply: Reply) -> None:
    """Print an answer: the counter-question or the sources, and what the call did besides."""
    if reply.result.disambiguation is not None:
        story.tell(f"[italic]{escape(reply.response)}[/]", indent=8)
    kept = reply.thought_id is not None
    related = [source for source in reply.sources[:1] if source.score >= RELATED]
    for source in related if kept else reply.sources:
        what = "related: " if kept else ""
        content = escape(one_line(source.content or source.content_preview, 160))
        story.tell(
            f"[dim]{what}{source.score:.2f}[/] {content} [dim]— {escape(source.contributor)}[/]",
            indent=8,
        )
    for road in () if kept else reply.result.highways_nearby[:1]:
        story.tell(f"[yellow]highway nearby:[/] {escape(road)}", indent=8)
    done = [DONE[operation] for operation in reply.trace.operations if operation in DONE]
    if done:
        story.tell(f"[dim]→ {'; '.join(done)}[/]", indent=8)


def rated(story: Story, line: dict[str, Any], reply: Reply) -> None:
    """Say of the first or last source that it helped or did not."""
    for signal in ("useful", "irrelevant"):
        if signal not in line or not reply.sources:
            continue
        source = reply.sources[0 if line[signal] == "first" else -1]
        left = story.member(line["who"]).feedback(reply.session_id, source.thought_id, signal)
        about = escape(one_line(source.content_preview, 40))
        story.tell(
            f"[dim]→ {signal}: “{about}”, its trail is now {left.pheromone_weight:.2f}[/]", indent=8
        )


def build(story: Story, line: dict[str, Any]) -> None:
    """Store a thought that was made from others."""
    sources = line.get("gathers") or [line["refines"]]
    kind = "consolidation" if "gathers" in line else "refinement"
    body = {
        "content": line["say"],
        "contributor_id": line["who"],
        "contributor_name": story.names[line["who"]],
        "thought_type": kind,
        "source_ids": [story.kept[name] for name in sources],
        "tags": line.get("tags", []),
    }
    answer = httpx2.post(f"{story.url}/api/v1/think", json=body, timeout=30).raise_for_status()
    story.kept[line["keep"]] = answer.json()["thought_id"]
    story.tell(f"[bold]{escape(line['say'])}[/]")
    count = "one earlier thought" if len(sources) == 1 else f"{len(sources)} earlier thoughts"
    story.tell(f"[dim]→ kept as a {kind}, built on {count}[/]", indent=8)


def erase(story: Story, line: dict[str, Any]) -> None:
    """Erase a thought, for a reason."""
    gone = story.kept[line["erase"]]
    story.member(line["who"]).erase(gone, reason=line["say"])
    story.tell(f"[red]erases what was just said:[/] [bold]{escape(line['say'])}[/]")


def seed(story: Story, line: dict[str, Any]) -> None:
    """Bring in the documentation of this repository."""
    author = {"contributor_id": "wellworn-docs", "contributor_name": DOCUMENTS}
    places = [place for place in (ROOT / "README.md", ROOT / "docs") if place.exists()]
    records = [{**record, **author} for place in places for record in read_markdown(place)]
    taken = story.member(line["who"]).import_records(records)
    story.tell(f"brings in {line['say']}: {taken.imported} sections of markdown")


ACTIONS = {"seed": seed, "erase": erase, "refines": build, "gathers": build, "say": say}


# ---------------------------------------------------------------- what the day left behind
def look_back(story: Story) -> None:
    """Print highways, where one thought came from, who gave what, and what is no longer there."""
    console, member = story.console, story.member("ines")
    console.print()
    console.rule("What the day left behind")
    console.print(highways(member))
    console.print(provenance(story, member))
    console.print(contributors(story, member))
    gone = member.thought(story.kept["secret"])
    console.print(
        f"\nThe password: erased, its words are {'gone' if not gone.content else 'STILL THERE'}; "
        f"that there was a thought by {escape(gone.contributor_name)} stays known."
    )


def highways(member: Wellworn) -> Table:
    """Return the most travelled thoughts."""
    table = Table(title="\nHighways: what several agents kept coming back to", title_justify="left")
    for heading in ("thought", "accesses", "agents", "trail", "use"):
        table.add_column(heading, justify="left" if heading == "thought" else "right")
    for road in member.highways(limit=6):
        numbers = (str(road.access_count), str(road.unique_users))
        weights = (f"{road.pheromone_weight:.2f}", f"{road.use_score:.2f}")
        table.add_row(escape(one_line(road.content_preview, 68)), *numbers, *weights)
    return table


def provenance(story: Story, member: Wellworn) -> Tree:
    """Return what the last word on payments came from, step by step."""
    start = member.thought(story.kept["breath"])
    words = escape(one_line(start.content, 70))
    tree = Tree(f"\nProvenance of: {words} [dim]— {start.contributor_name}[/]")
    grow(tree, member.provenance(story.kept["breath"]).came_from)
    return tree


def grow(tree: Tree, links: tuple[Link, ...]) -> None:
    """Hang a chain of provenance into the tree."""
    for link in links:
        words = f"{escape(one_line(link.content_preview, 64))} [dim]— {link.contributor}[/]"
        grow(tree.add(f"[dim]{link.thought_type}[/] {words}"), link.came_from)


def contributors(story: Story, member: Wellworn) -> Table:
    """Return who gave how much, and how often it was asked for."""
    table = Table(title="\nWho gave what", title_justify="left")
    for heading in ("agent", "thoughts", "accesses", "asked for most"):
        right = heading in {"thoughts", "accesses"}
        table.add_column(heading, justify="right" if right else "left")
    for who in (who for who, count in story.gave.items() if count):
        gave = member.contributor(who)
        best = gave.most_accessed[0].content_preview if gave.most_accessed else ""
        numbers = (str(gave.thoughts_contributed), str(gave.accesses))
        table.add_row(story.named(who), *numbers, escape(one_line(best, 52)))
    return table


def reasons(story: Story, source: Source) -> None:
    """Print what put a source first."""
    parts = ", ".join(f"{name} {value:+.2f}" for name, value in (source.why or {}).items())
    story.tell(f"[dim]why the first is first: {escape(parts)}[/]", indent=8)


def one_line(text: str, limit: int) -> str:
    """Return the text without line breaks, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


if __name__ == "__main__":
    main()
