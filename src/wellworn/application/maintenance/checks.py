"""The doctor: looks at everything, mends nothing, and says what to do.

It works beside a running server; what needs the folder for itself is then left out and named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wellworn.application.bootstrap import (
    DATABASE,
    INDEXES,
    MARK,
    TURNS,
    find_embedder,
    has_records,
    open_reading,
    open_records,
    read_move,
    require_settled,
)
from wellworn.application.migrations import is_current
from wellworn.application.settings import Settings, read_settings
from wellworn.domain.sources import ChunkIndexer
from wellworn.domain.sources.store import list_unseen
from wellworn.domain.thoughts import ThoughtIndexer
from wellworn.domain.thoughts.store import count_inconsistencies
from wellworn.domain.turns import list_damaged_files
from wellworn.engines.daemon import (
    DaemonFailed,
    RunningDaemon,
    find_holder,
    is_ready,
    wait_until_ready,
)
from wellworn.engines.embedding import Embedder, MiniLM, OrderModel, open_pair_model
from wellworn.engines.reading import open_second_reader
from wellworn.engines.storage.sealed import count_salvaged
from wellworn.engines.storage.sql import Database, StorageSettings
from wellworn.engines.storage.vectors import VectorIndex, find_index_file, open_index
from wellworn.errors import (
    EmbeddingFailed,
    InvalidInput,
    ReadingFailed,
    StoreInUse,
    WellwornError,
)
from wellworn.kit.clock import SystemClock, format_day
from wellworn.kit.neutralising import neutralise

_DAY_S = 86_400
_MOST_NAMED = 5
_LEAST_FREE_BYTES = 200 * 1024 * 1024
_REBUILD = "stop the server and run `wellworn rebuild`"
_DUE = "the last server was killed, so a repair is due: the next start makes it"
ANSWERS_WITHIN_S = 10.0
"""The time a server may take to start; it repairs its indexes before it answers."""
_UNCHECKED = (
    "not checked: the folder cannot be written, as reading needs; copy it and check the copy"
)
_RESTORE = "move the folder away and run `wellworn restore` with a backup"
_SALVAGE = "run `wellworn salvage` with a new folder, which brings out what can be read"

_UNBOUND = (
    "does not hold for the user of WELLWORN_STORAGE__URL, a superuser or one with BYPASSRLS: each"
    " statement still asks for the rows of its own spaces, and nothing catches one that forgets to."
    " Take that from the user, or let wellworn connect as another that owns the database and its"
    " tables"
)

Repairs = type[ThoughtIndexer] | type[ChunkIndexer]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check; the message says what to do when it is not ok, or warns.

    What warns works, and could be safer.
    """

    ok: bool
    check: str
    message: str
    warns: bool = False


@dataclass(frozen=True, slots=True)
class HealthReport:
    findings: tuple[CheckResult, ...]

    @property
    def is_well(self) -> bool:
        return all(finding.ok for finding in self.findings)


def doctor(home: Path, *, embedder: Embedder | None = None) -> HealthReport:
    """Check a data folder and the model."""
    return HealthReport(tuple(_findings(home, embedder)))


def _findings(home: Path, embedder: Embedder | None) -> Iterator[CheckResult]:
    settings = read_settings()
    model = embedder or find_embedder(home, settings.embedding)
    yield _model(model)
    if settings.thoughts.order_model:
        yield _order_model()
    yield _reader(settings)
    yield _folder(home)
    if home.is_dir() and not _can_write(home):
        yield _wrong("database", _UNCHECKED)
        return
    yield _daemon(home)
    yield from _check_left_files(home)
    if not has_records(home) and settings.storage.url is None:
        left = (home / INDEXES).exists()
        advice = f"the database is gone; {_RESTORE}" if left else "no memory here yet"
        yield _wrong("database", advice) if left else _well("database", advice)
        return
    try:
        database = open_records(home, settings.storage)
    except InvalidInput as error:
        yield _wrong("database", error.message)
        return
    with closing(database):
        yield from _check_records(home, database, settings.storage, model)


def _check_records(
    home: Path, database: Database, storage: StorageSettings, model: Embedder
) -> Iterator[CheckResult]:
    soundness = _soundness(database, is_elsewhere=storage.url is not None)
    yield soundness
    if not soundness.ok:
        return
    yield from _check_wall(database, storage)
    yield _ledger(database)
    yield _sources(database)
    yield from _check_salvaged_spaces(database)
    yield from _check_turns(home / TURNS)
    for name, repair in (("thoughts", ThoughtIndexer), ("chunks", ChunkIndexer)):
        folder = home / INDEXES / name
        look = partial(_find_problem, folder, storage, database, model, repair)
        yield _index(folder.name, look, is_due=_was_killed(home))


def _well(check: str, message: str) -> CheckResult:
    return CheckResult(ok=True, check=check, message=message)


def _wrong(check: str, message: str) -> CheckResult:
    return CheckResult(ok=False, check=check, message=message)


def _folder(home: Path) -> CheckResult:
    if not home.is_dir():
        return _well("folder", "not there yet; the server makes it")
    if not _can_write(home):
        return _wrong("folder", "cannot be written; give its owner the right to")
    free = shutil.disk_usage(home).free
    if free < _LEAST_FREE_BYTES:
        return _wrong("folder", f"only {free // 2**20} MB are free; make room on the disk")
    return _well("folder", f"can be written, {free // 2**20} MB free")


def _can_write(home: Path) -> bool:
    return os.access(home, os.R_OK | os.W_OK | os.X_OK)


def _model(embedder: Embedder) -> CheckResult:
    try:
        embedder.embed(["well?"])
    except EmbeddingFailed as error:
        advice = "; install wellworn again" if isinstance(embedder, MiniLM) else ""
        return _wrong("model", f"{error.message}{advice}")
    return _well("model", f"{embedder.name} answers")


def _reader(settings: Settings) -> CheckResult:
    """Check the reader, unless that is a language model, whose answers cost something."""
    if settings.reading.language_model:
        return _well("reader", f"{settings.llm.model} reads; it was not asked")
    reading, _ = open_reading(settings.reading, lambda: None)
    if reading.name is None:
        return _well("reader", "off: words and meaning decide what answers")
    if failure := reading.check():
        return _wrong("reader", f"{failure}; words and meaning decide what answers without it")
    return _well("reader", f"{reading.name} answers")


def _order_model() -> CheckResult:
    try:
        OrderModel().is_order("well?")
        open_second_reader(open_pair_model).is_order("well?")
    except (EmbeddingFailed, ReadingFailed) as error:
        advice = "fewer orders to agents are told; install wellworn again"
        return _wrong("order model", f"{error.message}: {advice}")
    return _well("order model", "answers")


def _daemon(home: Path) -> CheckResult:
    running = _wait_for_answer(home)
    owner = find_holder(home)
    if owner is None:
        ended = "the last server was killed; the next start clears up after it"
        return _well("server", ended if _was_killed(home) else "not running")
    if owner.doing != "serve":
        return _well("server", f"process {owner.pid} is at work here ({owner.doing})")
    if running is None:
        advice = f"process {owner.pid} has the folder and does not answer; stop it, see its log"
        return _wrong("server", advice)
    if not is_ready(running):
        advice = f"answers at {running.url}, but cannot serve a call; wellworn status says why"
        return _wrong("server", advice)
    return _well("server", f"answers at {running.url}")


def _wait_for_answer(home: Path) -> RunningDaemon | None:
    """Return the server of the folder; one that starts has its time to answer."""
    owner = find_holder(home)
    if owner is None or owner.doing != "serve":
        return None
    with suppress(DaemonFailed, StoreInUse):
        return wait_until_ready(home, alive=lambda: False, timeout_s=ANSWERS_WITHIN_S)
    return None


def _was_killed(home: Path) -> bool:
    return (home / "daemon.json").exists() and find_holder(home) is None


def _soundness(database: Database, *, is_elsewhere: bool) -> CheckResult:
    try:
        sound, current = database.is_sound(), is_current(database)
        require_settled(database)
    except WellwornError as error:
        if is_elsewhere:
            return _wrong("database", error.message)
        sound = current = False
    if not sound:
        return _wrong("database", f"is damaged; {_RESTORE}, or {_SALVAGE}")
    if not current:
        advice = "is empty or of another version; start the server, which brings it up to date"
        return _wrong("database", advice)
    return _well("database", "is sound and of this version")


def _check_left_files(home: Path) -> Iterator[CheckResult]:
    """Tell of files that a move of the records left: what is erased since is in them still."""
    patterns = [f"{DATABASE}.[0-9]*"]
    if read_move(home):
        patterns += [DATABASE, f"{DATABASE}-*"]
    if names := sorted(path.name for pattern in patterns for path in home.glob(pattern)):
        told = f"{', '.join(names)}: of before a move, so what was erased since is still in there"
        yield _well("left files", f"{told}; when you need no way back, remove them")


def _check_wall(database: Database, storage: StorageSettings) -> Iterator[CheckResult]:
    if storage.url is not None:
        told, is_walled = "keeps each call to the rows of its spaces", database.is_walled()
        message = told if is_walled else _UNBOUND
        yield CheckResult(ok=True, check="row-level security", message=message, warns=not is_walled)


def _ledger(database: Database) -> CheckResult:
    with database.read() as transaction:
        counts = count_inconsistencies(transaction)
    if not counts:
        return _well("ledger", "all counts agree")
    problems = ", ".join(f"{count} {rule}" for rule, count in counts.items())
    return _wrong("ledger", f"{problems}; export, and import into a new folder")


def _sources(database: Database) -> CheckResult:
    """Tell which sources nobody looked at lately; what they said may have changed."""
    with database.read() as transaction:
        unseen = list_unseen(transaction, SystemClock().now() - _DAY_S)
    if not unseen:
        return _well("sources", "all were looked at within a day, or there are none")
    named = [f"{name} ({'never' if at is None else format_day(at)})" for name, at in unseen]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    names = f"{', '.join(named[:_MOST_NAMED])}{more}"
    return _well("sources", f"not looked at for a day: {names}; run `wellworn source sync --all`")


def _check_salvaged_spaces(database: Database) -> Iterator[CheckResult]:
    with database.read() as transaction:
        count = count_salvaged(transaction)
    if count:
        advice = "may have lost records; open each, and `wellworn health` there says which"
        yield _wrong("sealed spaces", f"{count} that were salvaged {advice}")


def _check_turns(root: Path) -> Iterator[CheckResult]:
    if damaged := list(list_damaged_files(root)):
        named = ", ".join(neutralise(path) for path in damaged[:_MOST_NAMED])
        advice = "a link, a folder or a pipe stands in place of a file; remove it"
        yield _wrong("turns", f"{len(damaged)} files are damaged, such as {named}: {advice}")


def _index(kind: str, find_problem: Callable[[], str], *, is_due: bool) -> CheckResult:
    name = f"index of {kind}"
    try:
        problem = find_problem()
    except StoreInUse:
        return _well(name, "not checked: the server has it open")
    if not problem:
        return _well(name, "agrees with the database")
    if is_due:
        return _well(name, f"{problem}; {_DUE}")
    return _wrong(name, f"{problem}; start the server or {_REBUILD}")


def _find_problem(
    folder: Path,
    storage: StorageSettings,
    database: Database,
    embedder: Embedder,
    repair: Repairs,
) -> str:
    """Return what is wrong with an index; empty when nothing is.

    Raises:
        StoreInUse: the server has it open.
    """
    mark = folder.parent / MARK
    if not find_index_file(folder, storage).is_file():
        return "is missing"
    if not mark.is_file() or mark.read_text("utf-8", "replace").strip() != embedder.name:
        return "was made by another model"
    try:
        with closing(open_index(folder, storage, dimensions=embedder.dimensions)) as index:
            looking = _Looking(index.ids())
    except StoreInUse:
        raise
    except WellwornError:
        return "is damaged"
    missing = len(repair(database, cast("VectorIndex", looking), embedder).missing())
    is_equal = not missing and not looking.strays
    return "" if is_equal else f"lacks {missing} and has {looking.strays} too many"


class _Looking:
    """Stands in for an index while a repair looks for what it would do: it does nothing."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self._ids = ids
        self.strays = 0

    def ids(self) -> NDArray[np.int64]:
        return self._ids

    def delete(self, ids: Sequence[int]) -> None:
        del ids
        self.strays += 1
