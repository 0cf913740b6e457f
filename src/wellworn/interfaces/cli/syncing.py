"""A sync as a command waits for it: a bar while it runs, one sentence when it is over."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import Advance, note, progress, say
from wellworn.interfaces.cli.rendering import one_line

if TYPE_CHECKING:
    from collections.abc import Generator

    from wellworn.client import Wellworn
    from wellworn.client.models import KnowledgeSource, SyncRun

_WELL = frozenset({"success", "partial"})
_LOOKS_EVERY_S = 1.0
_MOST_PROBLEMS = 20


def synced(
    memory: Wellworn, source: KnowledgeSource, *, confirm: bool = False, quiet: bool = False
) -> SyncRun:
    """Sync a source and return its run; who does not want to wait for it is told how to see it."""
    try:
        with (
            progress(f"syncing {one_line(source.name)}", quiet=quiet) as advance,
            _watching(memory, source, advance, quiet=quiet),
        ):
            return memory.sync_source(source.id, confirm=confirm)
    except KeyboardInterrupt:
        note(f"the sync goes on in the server; wellworn source runs {source.id} tells how it ends")
        raise


def went_well(run: SyncRun) -> bool:
    """Tell whether a sync did what it should."""
    return run.status in _WELL


def told(name: str, run: SyncRun) -> None:
    """Print what a run did in one sentence, and each problem below."""
    label = one_line(name)
    say(f"{label}: {one_line(run.message)}")
    for problem in run.problems[:_MOST_PROBLEMS]:
        say(f"  {one_line(problem.path) or 'the source'}: {one_line(problem.reason)}")
    if len(run.problems) > _MOST_PROBLEMS:
        say(f"  … and {len(run.problems) - _MOST_PROBLEMS} more; --json has all of them")
    if run.status == "needs_confirmation":
        note("if that is right: wellworn source sync with --confirm")


@contextmanager
def _watching(
    memory: Wellworn, source: KnowledgeSource, advance: Advance, *, quiet: bool
) -> Generator[None]:
    """Tell how far a sync has come while the block waits for it, if anybody is looking."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    over = Event()
    thread = Thread(target=_look, args=(memory, source, advance, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _look(memory: Wellworn, source: KnowledgeSource, advance: Advance, over: Event) -> None:
    from wellworn.client import WellwornClientError

    while not over.wait(_LOOKS_EVERY_S):
        try:
            found = memory.source(source.id).progress
        except WellwornClientError:
            # The bar stands still then; what matters is told by the sync itself.
            continue
        if found is not None:
            advance(found.done, found.total)
