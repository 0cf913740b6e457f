"""Waiting for a sync: a progress bar while it runs, one sentence when it is over.

Its documents are found by their words then. Those who wait for more see how many are embedded.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from wellworn.interfaces.cli.knowledge_output import format_findable
from wellworn.interfaces.cli.output import Advance, fold_spaces, note, progress, say

if TYPE_CHECKING:
    from collections.abc import Generator

    from wellworn.client import Wellworn
    from wellworn.client.models import KnowledgeSource, SyncRun

_SUCCESSFUL = frozenset({"success", "partial"})
_POLL_EVERY_S = 1.0
_MOST_PROBLEMS = 20


def sync_and_wait(
    memory: Wellworn,
    source: KnowledgeSource,
    *,
    confirm: bool = False,
    reread: bool = False,
    quiet: bool = False,
) -> SyncRun:
    """Sync a source and return its run; Ctrl-C prints how to look at it later."""
    try:
        with (
            progress(f"syncing {fold_spaces(source.name)}", quiet=quiet) as advance,
            _watch_progress(memory, source, advance, quiet=quiet),
        ):
            return memory.sync_source(source.id, confirm=confirm, reread=reread)
    except KeyboardInterrupt:
        note(
            f"the sync continues in the server; wellworn source runs {source.id} shows how it ends"
        )
        raise


def is_success(run: SyncRun) -> bool:
    """Return whether a sync did what it should."""
    return run.status in _SUCCESSFUL


def print_run(name: str, run: SyncRun) -> None:
    """Print what a run did in one sentence, and each problem below."""
    label = fold_spaces(name)
    say(f"{label}: {fold_spaces(run.message)}")
    for problem in run.problems[:_MOST_PROBLEMS]:
        say(f"  {fold_spaces(problem.path) or 'the source'}: {fold_spaces(problem.reason)}")
    if len(run.problems) > _MOST_PROBLEMS:
        say(f"  … and {len(run.problems) - _MOST_PROBLEMS} more; --json has all of them")
    if run.status == "needs_confirmation":
        note("if that is right, run wellworn source sync with --confirm")


def wait_until_embedded(memory: Wellworn, source: KnowledgeSource, *, quiet: bool = False) -> None:
    """Wait until a source's documents are found by meaning; Ctrl-C stops waiting, no more."""
    pause = Event()
    with progress(f"embedding {fold_spaces(source.name)}", quiet=quiet) as advance:
        while not (findable := memory.source(source.id).findable).is_embedded:
            advance(findable.passages - findable.waiting, findable.passages)
            pause.wait(_POLL_EVERY_S)


def print_findable(memory: Wellworn, source: KnowledgeSource) -> None:
    """Say that documents are found by their words already, if some are not embedded."""
    findable = memory.source(source.id).findable
    if not findable.is_embedded:
        note(
            f"{fold_spaces(source.name)} is found by {format_findable(findable)}; "
            f"wellworn source show {source.id} tells how far it is"
        )


@contextmanager
def _watch_progress(
    memory: Wellworn, source: KnowledgeSource, advance: Advance, *, quiet: bool
) -> Generator[None]:
    """Show how far a sync has come while the block waits for it, if anybody is looking."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    ended = Event()
    thread = Thread(target=_poll_progress, args=(memory, source, advance, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _poll_progress(
    memory: Wellworn, source: KnowledgeSource, advance: Advance, ended: Event
) -> None:
    from wellworn.client import WellwornClientError

    while not ended.wait(_POLL_EVERY_S):
        try:
            reached = memory.source(source.id).progress
        except WellwornClientError:
            # The bar stands still then; the sync itself reports what matters.
            continue
        if reached is not None:
            advance(reached.done, reached.total)
