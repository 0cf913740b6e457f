"""A branch of a git repository, read without ever being checked out.

Only objects are fetched: first the trees, then in one step the files that are wanted and not known
yet. There is no work tree, so no link, hook, filter or submodule of a repository can do anything.
An object's id is the hash of its bytes, so what has not changed is never fetched.

Source: partial clone in git's documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import httpx2

from wellworn.engines.fetch.failures import (
    describe_failure,
    describe_missing_branch,
    read_complaint,
)
from wellworn.engines.fetch.gitcommand import Git, GitResult
from wellworn.engines.fetch.gittree import parse_history, parse_listing
from wellworn.engines.fetch.models import Failed, FailureKind, GitTree
from wellworn.engines.fetch.settings import FetchSettings
from wellworn.engines.fetch.urls import host_of

_HERE = "refs/wellworn/head"
_FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
)
_UNFILTERED = "filtering not recognized"  # the warning of git for a server that sends all files
_SIZES = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
_LINE = 512  # bytes that a line about one object may take on average
_LITTLE = 1_000_000
_HISTORY = 300  # commits
_READ_TOGETHER = 32_000_000
_OTHER_WAY = frozenset({FailureKind.TOO_LARGE, FailureKind.BAD_ANSWER})


class GitBranch:
    """One branch; every call of it is one or two steps of git, each with its limits."""

    def __init__(
        self,
        target: httpx2.URL,
        name: str | None,
        *,
        online: Git,
        offline: Git,
        repository: Path,
        settings: FetchSettings,
    ) -> None:
        self._host = host_of(target)
        self._url = str(target)
        self._name = name
        self._commit = _HERE
        self._ref = "HEAD" if name is None else f"refs/heads/{name}"
        self._online = online
        self._offline = offline
        self._packs = repository / "objects" / "pack"
        self._shallow = repository / "shallow"
        self._settings = settings
        self._is_filtered = True

    def head(self) -> str | Failed:
        """Ask which commit the branch is at: one short question, no objects."""
        ran = self._online.run(
            "ls-remote", "--quiet", "--end-of-options", self._url, self._ref, most_bytes=_LITTLE
        )
        if ran.code != 0:
            return self._to_failure(ran)
        for line in ran.output.decode("utf-8", "replace").splitlines():
            oid, _, ref = line.partition("\t")
            if ref == self._ref:
                return oid
        return describe_missing_branch(self._host, self._name)

    def tree(self, wanted: Callable[[str], bool]) -> GitTree | Failed:
        """Fetch the names of the branch's files, all of them or none, and keep the wanted ones."""
        failed = self._fetch("--depth=1", "--filter=blob:none", what=self._ref)
        if failed:
            return failed
        most_bytes = self._settings.git_most_files * _LINE
        commit = self._offline.run("rev-parse", _HERE, most_bytes=_LITTLE)
        ran = self._offline.run("ls-tree", "-r", "-z", "--full-tree", _HERE, most_bytes=most_bytes)
        many = ran.output.count(b"\0") > self._settings.git_most_files
        if many or len(ran.output) >= most_bytes:
            most_files = self._settings.git_most_files
            return describe_failure("too_many_files", host=self._host, most_files=most_files)
        if ran.code != 0 or commit.code != 0:
            return self._to_failure(ran)
        self._commit = commit.output.decode("ascii").strip()
        return parse_listing(ran.output, self._commit, wanted)

    def load_dates(self) -> dict[str, int]:
        """Fetch when each path was committed last, in epoch seconds; no files.

        What none of the last 300 commits touched has no date, nor has anything where the history
        cannot be fetched, or only with all the files that ever were.
        """
        if not self._is_filtered:
            return {}
        if self._fetch(f"--depth={_HISTORY}", "--filter=blob:none", what=self._commit):
            return {}
        edge = self._shallow.read_text("ascii").split() if self._shallow.exists() else []
        ran = self._offline.run(
            "log",
            "-z",
            "--no-renames",
            "--name-only",
            "--format=%x01%H %ct",
            self._commit,
            most_bytes=self._settings.git_most_files * _LINE,
        )
        # The earliest commits that are here look as if they had added all that was there.
        return parse_history(ran.output, frozenset(edge)) if ran.code == 0 else {}

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | Failed]] | Failed:
        """Fetch files of the tree by id, all in one step, and give each id once.

        A file over the limit on one (`most_bytes`) comes as the failure that it is.
        """
        asked = dict.fromkeys(oids)
        here = self._sizes()
        missing = [oid for oid in asked if oid not in here]
        if missing:
            failed = self._fetch_objects(missing)
            if failed:
                return failed
        return self._contents(asked, self._sizes())

    def _fetch_objects(self, oids: Iterable[str]) -> Failed | None:
        """Fetch just these; where that is too much or not offered, all files that are not large."""
        failed = self._fetch("--filter=blob:none", "--stdin", stdin_lines=oids)
        if failed is None or failed.kind not in _OTHER_WAY:
            return failed
        small = f"--filter=blob:limit={self._settings.most_bytes + 1}"
        return self._fetch("--depth=1", "--refetch", small, what=self._commit)

    def _fetch(
        self, *options: str, what: str | None = None, stdin_lines: Iterable[str] = ()
    ) -> Failed | None:
        refs = [f"+{what}:{_HERE}"] if what else []
        ran = self._online.run(
            *_FETCH,
            *options,
            "--end-of-options",
            self._url,
            *refs,
            most_bytes=self._settings.git_most_bytes,
            stdin_lines=stdin_lines,
        )
        self._is_filtered &= _UNFILTERED not in ran.complaint
        overfull = self._drop_unfinished() >= self._settings.git_most_bytes
        if ran.code == 0:
            return None
        if overfull:
            most_bytes = self._settings.git_most_bytes
            return describe_failure("repository_too_large", host=self._host, most_bytes=most_bytes)
        return self._to_failure(ran)

    def _drop_unfinished(self) -> int:
        """Delete what a fetch that was stopped left behind; give the size of the largest."""
        unfinished = list(self._packs.glob("tmp_*"))
        largest = max((path.stat().st_size for path in unfinished), default=0)
        for path in unfinished:
            path.unlink()
        return largest

    def _sizes(self) -> dict[str, int]:
        """Give the sizes in bytes of the files that are here."""
        ran = self._offline.run(
            "cat-file",
            "--batch-all-objects",
            "--unordered",
            _SIZES,
            most_bytes=2 * self._settings.git_most_files * _LINE,
        )
        lines = (line.split() for line in ran.output.decode("ascii", "replace").splitlines())
        return {line[0]: int(line[2]) for line in lines if line[1:2] == ["blob"]}

    def _contents(
        self, oids: Iterable[str], sizes: Mapping[str, int]
    ) -> Iterator[tuple[str, bytes | Failed]]:
        together: list[str] = []
        size = 0
        for oid in oids:
            if sizes.get(oid, self._settings.most_bytes + 1) > self._settings.most_bytes:
                yield oid, describe_failure("file_too_large", most_bytes=self._settings.most_bytes)
                continue
            together.append(oid)
            size += sizes[oid]
            if size > _READ_TOGETHER:
                yield from self._read(together, size)
                together, size = [], 0
        yield from self._read(together, size)

    def _read(self, oids: list[str], size: int) -> Iterator[tuple[str, bytes | Failed]]:
        ran = self._offline.run(
            "cat-file", "--batch", most_bytes=size + _LINE * (len(oids) + 1), stdin_lines=oids
        )
        place = 0
        for oid in oids:
            line_end = ran.output.find(b"\n", place)
            about = ran.output[place:line_end].split()
            if ran.code != 0 or line_end < 0 or about[:2] != [oid.encode(), b"blob"]:
                yield oid, describe_failure("corrupt_file", host=self._host)
                continue
            start, length = line_end + 1, int(about[2])
            yield oid, ran.output[start : start + length]
            place = start + length + 1

    def _to_failure(self, ran: GitResult) -> Failed:
        if ran.code is None:
            seconds = self._settings.git_timeout_s
            return describe_failure("repository_timeout", host=self._host, seconds=seconds)
        most_bytes = self._settings.git_most_bytes
        return read_complaint(ran.complaint, self._host, self._name, most_bytes)
