"""Moves the records of a memory from a file to PostgreSQL, and back, without losing a row.

What the records were in stays as it was and is marked, so that no server goes on with it by
mistake. A move is done when every table has the same rows on both sides; killed before that, it
leaves a target that no server opens, and the next one goes on: tables that are there already are
compared and kept. Nobody may write meanwhile, on either side.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wellworn.application.bootstrap import (
    DATABASE,
    ELSEWHERE,
    LEFT_TURNS,
    MOVE,
    TURNS,
    MoveMark,
    carry_vectors,
    forget_shared_vectors,
    has_records,
    leave_turns,
    mark_moved,
    open_audit,
    open_records,
    read_mark_of_move,
    read_move,
    require_settled,
    take_turns,
    write_mark_of_move,
)
from wellworn.application.calls import SERVER_TRAIL
from wellworn.application.migrations import (
    is_current,
    metadata,
    require_known_revision,
    upgrade,
)
from wellworn.application.settings import Settings, read_settings
from wellworn.domain.audit import Action, Actor
from wellworn.domain.spaces import LOCAL
from wellworn.domain.turns import Vaults, turn_files
from wellworn.engines.daemon import hold_folder
from wellworn.engines.embedding import Embedder
from wellworn.engines.jobs import FILE as JOBS
from wellworn.engines.storage.disk import free_bytes
from wellworn.engines.storage.sql import (
    Database,
    StorageSettings,
    Table,
    Transaction,
    clear_table,
    copy_table,
    describe_url,
    digest_rows,
    digest_table,
    name_folder,
    open_database,
    read_numbers,
    require_rights,
    take_stock,
    write_numbers,
)
from wellworn.errors import InvalidInput, NotFound, StorageUnavailable
from wellworn.kit.clock import SystemClock, format_day, to_iso

_DRAFT: Final = f"{DATABASE}.moving"
_DRAFT_OF_TURNS: Final = f"{_DRAFT}-turns"
_LOGS: Final = ("", "-wal", "-shm")
"""The ends of the names of a database's files."""
_SCHEMES: Final = ("postgresql://", "postgres://", "postgresql+", "postgres+")
_HERE: Final = "sqlite"
_OF_SERVERS: Final = {"daemon.lock", "daemon.json", "daemon.starting", "PLACE", ELSEWHERE}
_NOT_STAYING: Final = _OF_SERVERS | {TURNS, *(f"{JOBS}{end}" for end in _LOGS)}

_SETTING: Final = "WELLWORN_STORAGE__URL"

_MADE_WITH_TABLES: Final = {"knowledge_spaces": 1}
"""The rows that a memory has before anything was remembered: the default space."""

_WHAT: Final = (
    "--to takes the URL of a database, postgresql://user:password@host/name, or `sqlite`, which is"
    " a file in the data folder"
)
_IN_A_FILE: Final = "the records of this folder are in a file already; --to takes postgresql://…"
_THERE: Final = "the records of this folder are in that database already"
_OLDER: Final = (
    "this memory was written by an older wellworn: start the server once, which brings it up to"
    " date, and stop it again"
)
_NOT_EMPTY: Final = (
    "the target is not empty: it has {}. A move takes an empty database: make one with `createdb`"
)
_OF_OTHERS: Final = (
    "a move of another data folder into this database, from {}, is not done: finish that one, or"
    " make an empty database with `createdb`"
)
_NO_ROOM: Final = "the records take about {} MB, and the disk of the data folder has {} MB free"
_CHANGED: Final = (
    "the rows of {} are not the same on both sides: the target is not used, and nothing was changed"
    " where the records are; run the move again, which copies what differs"
)
_NOTHING_TO_UNDO: Final = (
    "nothing was moved here that could be undone; of a database that the records left, set"
    " WELLWORN_STORAGE__URL to it"
)
_BACK_TO_FILE: Final = (
    "Go on with the file as it was when the records were moved {}? What was written since stays in"
    " the database."
)
_BACK_TO_DATABASE: Final = (
    "Go on with {} as it was when the records were moved to this folder? What was written since"
    " stays in a file beside."
)

Advance = Callable[[int, int], object]
"""Is told how many steps are done, of how many; a row is two, as it is copied and compared."""


def nobody(_done: int, _total: int) -> None:
    """Take note of progress for nobody."""


@dataclass(frozen=True, slots=True)
class StayingFiles:
    """Files of the data folder that a move leaves where they are."""

    name: str
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class MovePlan:
    """What a move would do.

    Attributes:
        source, target: a path, or a URL without its password.
        resumes: whether the target has part of the same move already.
        size_bytes: what the source takes.
        rows: of each table that has any.
        not_moved: tables of the source that are not of the memory.
        set_aside: the new name of an older file that lies where the records will be.
        setting: what to set when it is done.
    """

    source: str
    target: str
    resumes: bool
    size_bytes: int
    rows: dict[str, int]
    not_moved: list[str]
    set_aside: str | None
    stays: list[StayingFiles]
    setting: str

    @property
    def total(self) -> int:
        """The number of all rows."""
        return sum(self.rows.values())


@dataclass(frozen=True, slots=True)
class MovedTable:
    """A table on both sides; the digest is of its rows in any order."""

    name: str
    rows: int
    digest: str
    target_rows: int
    target_digest: str
    was_there: bool

    @property
    def is_equal(self) -> bool:
        """Whether both sides have the same rows."""
        return (self.rows, self.digest) == (self.target_rows, self.target_digest)


@dataclass(frozen=True, slots=True)
class MovedTrail:
    """An audit trail, verified in the target; `fault` is one that it had in the source, too."""

    space: str
    entries: int
    checkpoints: int
    fault: str | None


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move did.

    Attributes:
        vectors: how many of each kind came along; None where the next start makes them.
        left: where the records are still, as they were.
    """

    source: str
    target: str
    tables: list[MovedTable]
    trails: list[MovedTrail]
    vectors: dict[str, int] | None
    left: str
    setting: str


def plan_move(home: Path, to: str, *, is_dry: bool = False) -> MovePlan:
    """Say what a move would do, and refuse it where it could not be made; nothing is written.

    Dry, it may be asked beside a running server.

    Raises:
        NotFound: there is no memory in the folder.
        InvalidInput: the target is none, is not empty, or is where the records are.
        StoreInUse: a server has the folder.
        DamagedStore: one side is of another version.
        StorageUnavailable: one side cannot be reached.
    """
    _require_memory(home)
    with nullcontext() if is_dry else hold_folder(home, "move"), _open_sides(home, to) as sides:
        resumes = sides.check()
        with sides.source.database.read() as transaction:
            stock = take_stock(transaction, metadata)
        if sides.source.is_file:
            stock.rows[turn_files.name] = sides.source_vaults.count_files()
        if sides.target.is_file and (free := free_bytes(home)) < stock.size:
            raise InvalidInput(_NO_ROOM.format(stock.size >> 20, free >> 20))
        return MovePlan(
            source=sides.source.name,
            target=sides.target.name,
            resumes=resumes,
            size_bytes=stock.size,
            rows={table: rows for table, rows in stock.rows.items() if rows},
            not_moved=stock.others,
            set_aside=sides.set_aside,
            stays=_list_staying(home),
            setting=sides.setting,
        )


def move(
    home: Path, to: str, advance: Advance = nobody, *, embedder: Embedder | None = None
) -> MoveReport:
    """Move the records of a folder, and return what is on both sides.

    Raises:
        NotFound, InvalidInput, DamagedStore: see `plan_move`.
        StoreInUse: a server has the folder, or one of the databases.
        StorageUnavailable: one side failed; run it again.
    """
    _require_memory(home)
    with hold_folder(home, "move"), _open_sides(home, to) as sides:
        moving = _Move(sides, advance, embedder)
        return moving.into_file() if sides.target.is_file else moving.into_database()


def _require_memory(home: Path) -> None:
    if not has_records(home):
        raise NotFound("there is no memory in this folder")


@dataclass(frozen=True)
class _Side:
    """One of the two databases of a move; the name is a path, or a URL without its password."""

    database: Database
    name: str
    is_file: bool


@dataclass(frozen=True)
class _Sides:
    """Both databases of a move, of which nothing is asked yet."""

    home: Path
    settings: Settings
    source: _Side
    target: _Side
    setting: str

    @property
    def is_alike(self) -> bool:
        """Whether both are of PostgreSQL, where files of turns are rows."""
        return not (self.source.is_file or self.target.is_file)

    @property
    def source_vaults(self) -> Vaults:
        """The files of turns; killed after they were left, a move goes on with those."""
        turns = self.home / TURNS
        left = self.home / LEFT_TURNS
        return Vaults(self.source.database, turns if turns.exists() else left)

    @property
    def target_vaults(self) -> Vaults:
        """The files of turns, not in their place yet."""
        return Vaults(self.target.database, self.home / _DRAFT_OF_TURNS)

    @property
    def folder(self) -> str:
        """What tells the data folder from others; empty before its first move."""
        return name_folder(self.home, make=False)

    @property
    def set_aside(self) -> str | None:
        """The new name of an older file that lies where the records will be."""
        is_there = self.target.is_file and (self.home / DATABASE).exists()
        return _name_old_file() if is_there else None

    def check(self) -> bool:
        """Refuse a move that cannot be made; tell whether it goes on with an earlier one."""
        source = self.source.database
        require_known_revision(source)
        mark = read_mark_of_move(source)
        is_leaving = mark is not None and (mark.state, mark.folder) == ("left", self.folder)
        if not is_leaving:
            require_settled(source)
        if not is_current(source):
            raise InvalidInput(_OLDER)
        open_audit(self.home, source, self.settings)  # or its key is not there
        return is_leaving if self.target.is_file else self._check_target()

    def _check_target(self) -> bool:
        target = self.target.database
        require_known_revision(target)
        mark = read_mark_of_move(target)
        if mark is not None and mark.state == "arriving":
            if mark.folder != self.folder:
                raise InvalidInput(_OF_OTHERS.format(mark.other))
            return True
        with target.read() as transaction:
            require_rights(transaction)
            stock = take_stock(transaction, metadata)
        if any(rows > _MADE_WITH_TABLES.get(name, 0) for name, rows in stock.rows.items()):
            raise InvalidInput(_NOT_EMPTY.format(f"a memory of {stock.total} rows"))
        if stock.others:
            raise InvalidInput(_NOT_EMPTY.format(f"the tables {', '.join(stock.others[:5])}"))
        return False


@contextmanager
def _open_sides(home: Path, to: str) -> Generator[_Sides]:
    settings = read_settings()
    is_to_file = not to.startswith(_SCHEMES)
    if is_to_file and to != _HERE and Path(to).expanduser().absolute() != home:
        raise InvalidInput(_WHAT)
    with ExitStack() as opened:
        target = _Side(
            open_database(home / _DRAFT, _set_url(settings.storage, None if is_to_file else to)),
            str(home / DATABASE) if is_to_file else describe_url(to),
            is_to_file,
        )
        opened.callback(target.database.close)
        source = _open_source(home, settings, target)
        opened.callback(source.database.close)
        if source.is_file and target.is_file:
            raise InvalidInput(_IN_A_FILE)
        if source.name == target.name:
            raise InvalidInput(_THERE)
        url = shlex.quote(describe_url(to, password="PASSWORD"))  # noqa: S106 - stands for it
        setting = f"{'unset' if is_to_file else 'export'} {_SETTING}"
        yield _Sides(home, settings, source, target, setting if is_to_file else f"{setting}={url}")


def _open_source(home: Path, settings: Settings, target: _Side) -> _Side:
    """Open where the records of a folder are, or were until a move that is as good as done."""
    file = home / DATABASE
    is_in_file = file.exists() and not (home / ELSEWHERE).exists()
    if is_in_file or (file.exists() and _is_arriving(home, target)):
        return _Side(Database(file), str(file), is_file=True)
    database = open_records(home, settings.storage)
    url = settings.storage.url
    return _Side(database, describe_url(url.get_secret_value() if url else ""), is_file=False)


def _is_arriving(home: Path, target: _Side) -> bool:
    """Tell whether all that is left of a move from a file is to open the target."""
    mark = None if target.is_file else read_mark_of_move(target.database)
    folder = name_folder(home, make=False)
    return mark is not None and (mark.state, mark.folder) == ("arriving", folder)


def _set_url(storage: StorageSettings, url: str | None) -> StorageSettings:
    return StorageSettings.model_validate({**storage.model_dump(), "url": url})


class _Move:
    """A move under way, of a folder that nobody else has."""

    def __init__(self, sides: _Sides, advance: Advance, embedder: Embedder | None) -> None:
        self._sides = sides
        self._advance = advance
        self._embedder = embedder
        self._home = sides.home
        self._source = sides.source.database
        self._target = sides.target.database
        self._done = 0
        self._total = 0

    def into_database(self) -> MoveReport:
        """Fill a database of PostgreSQL, which no server has meanwhile."""
        sides, target = self._sides, self._target
        folder = name_folder(self._home, make=True)
        if not sides.source.is_file:
            with self._source.keep_alone():
                sides.check()
                self._carry_vectors(self._source, arriving=False)
        with target.keep_alone(), self._source.read_alone() as reading:
            sides.check()
            target.hold()
            mark = MoveMark("arriving", folder, _write_day(), f"{self._home} ({sides.source.name})")
            write_mark_of_move(target, mark)
            target.forget_servers(but=MOVE)
            upgrade(target)
            tables, trails = self._fill(reading)
            vectors = self._carry_vectors(target, arriving=True)
            self._note(target)
            if sides.source.is_file:
                mark_moved(self._home, f"on {_write_day()} to {sides.target.name}")
                leave_turns(self._home)
            else:
                self._mark_left(self._source)
            write_mark_of_move(target, None)
        return self._report(tables, trails, vectors, left=sides.source.name)

    def into_file(self) -> MoveReport:
        """Write a file beside what is in the folder, and put it in place when it is whole."""
        sides, source = self._sides, self._source
        name_folder(self._home, make=True)
        _remove_files(self._home / _DRAFT)
        shutil.rmtree(self._home / _DRAFT_OF_TURNS, ignore_errors=True)
        with source.keep_alone():
            sides.check()
            vectors = self._carry_vectors(source, arriving=False)
            with source.read_alone() as reading:
                upgrade(self._target)
                tables, trails = self._fill(reading)
            self._note(self._target)
            self._target.scrub()
            self._target.close()
            self._mark_left(source)
            old = _set_aside(self._home)
            if (self._home / _DRAFT_OF_TURNS).exists():
                (self._home / _DRAFT_OF_TURNS).rename(self._home / TURNS)
            (self._home / _DRAFT).rename(self._home / DATABASE)
            (self._home / ELSEWHERE).unlink()
        left = sides.source.name if old is None else f"{sides.source.name} and {old}"
        return self._report(tables, trails, vectors, left=left)

    def _report(
        self,
        tables: list[MovedTable],
        trails: list[MovedTrail],
        vectors: dict[str, int] | None,
        *,
        left: str,
    ) -> MoveReport:
        source, target = self._sides.source.name, self._sides.target.name
        return MoveReport(source, target, tables, trails, vectors, left, self._sides.setting)

    def _mark_left(self, source: Database) -> None:
        folder = name_folder(self._home, make=True)
        target = self._sides.target
        there = f"a file in {self._home}" if target.is_file else target.name
        write_mark_of_move(source, MoveMark("left", folder, _write_day(), there))

    def _carry_vectors(self, database: Database, *, arriving: bool) -> dict[str, int] | None:
        return carry_vectors(
            self._home,
            database,
            self._sides.settings,
            arriving=arriving,
            embedder=self._embedder,
        )

    def _note(self, database: Database) -> None:
        """Write the move into the server's trail, where the records are from now on."""
        audit = open_audit(self._home, database, self._sides.settings)
        audit.note(SERVER_TRAIL, Action.MEMORY_MOVED, by=Actor(LOCAL))

    def _fill(self, reading: Transaction) -> tuple[list[MovedTable], list[MovedTrail]]:
        """Copy what differs, table by table, and compare both sides.

        Raises:
            StorageUnavailable: they are not the same.
        """
        stock = take_stock(reading, metadata)
        is_alike = self._sides.is_alike
        copied = [table for table in metadata.sorted_tables if is_alike or table is not turn_files]
        self._total = 2 * sum(stock.rows.get(table.name, 0) for table in copied)
        self._tell(0)
        tables = [self._copy(reading, table) for table in copied]
        if not is_alike:
            tables.append(self._copy_turns())
        numbers = read_numbers(reading)
        with self._target.write() as writing:
            write_numbers(writing, numbers)
        with self._target.read() as transaction:
            there = read_numbers(transaction)
        differing = [table.name for table in tables if not table.is_equal]
        differing += [name for name in numbers.keys() & there.keys() if numbers[name] > there[name]]
        if differing:
            raise StorageUnavailable(_CHANGED.format(", ".join(differing)))
        return tables, self._verify_trails()

    def _copy(self, reading: Transaction, table: Table) -> MovedTable:
        """Copy a table, unless all of it is there; what points to its rows comes after it."""
        with self._target.read() as transaction:
            there = digest_table(transaction, table, lambda _: None)
        if there.rows:
            here = digest_table(reading, table, self._tell)
            if here == there:
                self._tell(here.rows)
                return MovedTable(table.name, *here, *there, was_there=True)
            self._total += here.rows  # they are read once more
        with self._target.write() as writing:
            if there.rows:
                clear_table(writing, table)
            here = copy_table(reading, writing, table, self._tell)
        with self._target.read() as transaction:
            there = digest_table(transaction, table, self._tell)
        return MovedTable(table.name, *here, *there, was_there=False)

    def _copy_turns(self) -> MovedTable:
        """Make rows of the files of turns, or files of the rows; each counts as one row."""
        source, target = self._sides.source_vaults, self._sides.target_vaults
        here = digest_rows(source.read_files())
        there = digest_rows(target.read_files())
        is_there = here == there
        self._total += 2 * here.rows
        if not is_there:
            target.replace_files(source)
            there = digest_rows(target.read_files())
        self._tell(2 * here.rows)
        return MovedTable(turn_files.name, *here, *there, was_there=is_there)

    def _tell(self, rows: int) -> None:
        self._done += rows
        self._advance(self._done, self._total)

    def _verify_trails(self) -> list[MovedTrail]:
        """Verify every audit trail in the target, and against the source one that does not hold.

        Raises:
            StorageUnavailable: one holds in the source alone.
        """
        here, there = (
            open_audit(self._home, database, self._sides.settings)
            for database in (self._source, self._target)
        )
        trails: list[MovedTrail] = []
        for space in there.spaces():
            report = there.verify(space)
            if not report.ok and report != here.verify(space):
                raise StorageUnavailable(_CHANGED.format(f"the audit trail of {space}"))
            fault = None if report.reason is None else str(report.reason)
            trails.append(MovedTrail(space, report.entries, report.checkpoints, fault))
        return trails


def _list_staying(home: Path) -> list[StayingFiles]:
    """Count what a move leaves in the folder, but for the records and what is of a server."""
    staying: list[StayingFiles] = []
    for path in sorted(home.iterdir()):
        if path.name in _NOT_STAYING or path.name.startswith(DATABASE) or path.is_symlink():
            continue
        files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        if files:
            size = sum(each.stat().st_size for each in files)
            staying.append(StayingFiles(path.name, len(files), size))
    return staying


def _remove_files(path: Path) -> None:
    for end in _LOGS:
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def _set_aside(home: Path) -> str | None:
    """Give an older file of records another name, with its turns and jobs; return the name."""
    name = _name_old_file()
    leave_turns(home)
    old = {f"{DATABASE}{end}": f"{name}{end}" for end in _LOGS}
    old |= {f"{JOBS}{end}": f"{name}-jobs{end}" for end in _LOGS}
    old |= {LEFT_TURNS: f"{name}-turns", TURNS: f"{name}-more-turns"}
    is_there = False
    for path, renamed in old.items():
        with suppress(FileNotFoundError):
            (home / path).rename(home / renamed)
            is_there = True
    return name if is_there else None


def _name_old_file() -> str:
    # To the microsecond, or the second of two moves within one second would replace the first.
    time = to_iso(SystemClock().now()).rstrip("Z").replace(":", "").replace("-", "")
    return f"{DATABASE}.{time}"


def _write_day() -> str:
    return format_day(SystemClock().now())


def plan_undo(home: Path) -> str:
    """Return what undoing the last move would do, as a question.

    Raises:
        NotFound, InvalidInput: there is none to undo.
        StoreInUse: a server has the folder.
        StorageUnavailable: the database cannot be reached.
    """
    _require_memory(home)
    with hold_folder(home, "move"), _open_left(home) as left:
        if left.goes_to_file:
            return _BACK_TO_FILE.format(read_move(home))
        return _BACK_TO_DATABASE.format(left.name)


def undo_move(home: Path, *, embedder: Embedder | None = None) -> str:
    """Go on with what the records were moved from, as it was then; return what to set.

    Nothing is removed: what was written since the move stays where it is, marked in its turn.

    Raises:
        see `plan_undo`.
    """
    _require_memory(home)
    settings = read_settings()
    with hold_folder(home, "move"), _open_left(home) as left:
        if left.goes_to_file and left.database is not None and settings.storage.vectors != "memory":
            with left.database.keep_alone():  # the folder has no vectors
                carry_vectors(home, left.database, settings, arriving=False, embedder=embedder)
        forget_shared_vectors(home, settings, embedder=embedder)
        folder = name_folder(home, make=True)
        if left.goes_to_file:
            if left.database is not None:
                with left.database.keep_alone():
                    if read_mark_of_move(left.database) is None:
                        mark = MoveMark("left", folder, _write_day(), f"a file in {home}")
                        left.database.hold()
                        write_mark_of_move(left.database, mark)
            (home / ELSEWHERE).unlink()
            take_turns(home)
            return f"unset {_SETTING}"
        assert left.database is not None  # noqa: S101 - narrows for the checker
        with left.database.keep_alone():
            mark_moved(home, "")
            _set_aside(home)
            write_mark_of_move(left.database, None)
        return f"export {_SETTING}={shlex.quote(left.name)}"


@dataclass(frozen=True)
class _Left:
    """What the records were moved from, or the database that they are in and would leave."""

    database: Database | None
    name: str
    goes_to_file: bool


@contextmanager
def _open_left(home: Path) -> Generator[_Left]:
    storage = read_settings().storage
    goes_to_file = bool(read_move(home))
    if storage.url is None:
        if not goes_to_file:
            raise InvalidInput(_NOTHING_TO_UNDO)
        yield _Left(None, "", goes_to_file)
        return
    url = storage.url.get_secret_value()
    with closing(open_database(home / DATABASE, storage)) as database:
        mark = read_mark_of_move(database)
        if not goes_to_file and (mark is None or mark.state != "left"):
            raise InvalidInput(_NOTHING_TO_UNDO)
        name = describe_url(url, password="PASSWORD")  # noqa: S106 - stands for it
        yield _Left(database, name, goes_to_file)
