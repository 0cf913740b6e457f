"""The benchmarks' command line: `python -m benchmarks [suite ...]`.

`python -m benchmarks retrieval [task ...]` measures retrieval on public data.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from benchmarks import (
    bombs,
    browser,
    clients,
    evidence,
    flood,
    hooks,
    importing,
    knowledge,
    latency,
    lies,
    locomo,
    long_questions,
    overload,
    reading,
    remembering,
    rivals_latency,
    sleep,
    spaces,
    startup,
    topics,
    turn_kills,
    turns,
)
from benchmarks.figures import Figure, as_json, shown
from benchmarks.machine import Machine
from benchmarks.retrieval.command import main as measure_retrieval
from benchmarks.run import Run

SUITES: dict[str, Callable[[Run], list[Figure]]] = {
    "startup": startup.measured,
    "memory": latency.memory,
    "scale": latency.scale,
    "import": importing.measured,
    "clients": clients.measured,
    "hooks": hooks.measured,
    "overload": overload.measured,
    "flood": flood.measured,
    "long-questions": long_questions.measured,
    "bombs": bombs.measured,
    "locomo": locomo.measured,
    "remembering": remembering.measured,
    "reading": reading.measured,
    "lies": lies.measured,
    "simulation": evidence.measured,
    "sleep": sleep.measured,
    "topics": topics.measured,
    "browser": browser.measured,
    "spaces": spaces.measured,
    "knowledge": knowledge.measured,
    "answers": knowledge.answered,
    "turns": turns.measured,
    "turn-kills": turn_kills.measured,
    "rivals-latency": rivals_latency.measured,
}
#: `scale` measures what `memory` does on its way, bombs take hours, and rivals are installed only
#: when asked for.
ALL = [name for name in SUITES if name not in {"bombs", "memory", "rivals-latency"}]
_PLAIN_WIDTH = 120


def arguments() -> argparse.Namespace:
    """Parse the words of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[*SUITES, "all"], default="all")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=[1_000, 10_000, 100_000],
        metavar="N",
        help="thoughts in the memories of `scale`, and of `memory` (the one nearest 10,000)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("WELLWORN_BENCH_DATA"),
        help="folder with locomo/locomo10.json; default: the variable WELLWORN_BENCH_DATA",
    )
    parser.add_argument("--conversations", type=int, help="how many of LoCoMo's, from the first")
    parser.add_argument("--docs", type=Path, help="folder of Markdown for `knowledge`")
    parser.add_argument(
        "--chunks", type=int, default=30_000, help="how many of it to search among; copies fill up"
    )
    parser.add_argument(
        "--turns", type=int, default=2_000, help="how many each system of `rivals-latency` takes in"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        help="folder that keeps the chunks of `knowledge`, what `rivals-latency` installs, and "
        "what `bombs` measured, which goes on from there",
    )
    parser.add_argument(
        "--doors", nargs="+", default=(), metavar="PART", help="doors of `bombs`, such as `.pdf`"
    )
    parser.add_argument(
        "--texts", nargs="+", default=(), metavar="PART", help="texts of `bombs`, such as `items`"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--quick", action="store_true", help="few samples, to see that it runs")
    return parser.parse_args()


def main() -> None:
    """Run the suites one after the other and print the figures of each."""
    words = arguments()
    suites = ALL if "all" in words.suites else words.suites
    console = Console()
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    machine = Machine.seen()
    console.print(f"[bold]{machine.told}[/bold]\n")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="wellworn-bench-") as folder:
        for name in suites:
            run = Run(
                folder=Path(folder) / name,
                console=console,
                sizes=tuple(sorted(words.sizes)),
                data=Path(words.data) if words.data else None,
                conversations=words.conversations,
                quick=words.quick,
                docs=words.docs,
                chunks=words.chunks,
                turns=words.turns,
                keep=words.keep and words.keep.absolute(),
                doors=tuple(words.doors),
                texts=tuple(words.texts),
            )
            run.folder.mkdir()
            found = SUITES[name](run)
            if found:
                console.print(shown(name, found))
            figures += found
    if words.json:
        words.json.write_text(json.dumps(as_json(machine, figures), indent=2) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["retrieval"]:
        sys.exit(measure_retrieval(sys.argv[2:]))
    main()
