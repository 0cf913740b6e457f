"""Rewrites an embedded index, with a graph and without what was deleted, while it keeps serving.

New points are searched one by one, which is fast up to some 10,000 of them; a build puts them into
a graph. The first graph comes sooner: from some 5,000 points on, a look at all of them costs more.
It also removes the vectors and tags of deleted points from the engine's files, and empties the log.
The shard is copied, a child process writes the living points of the copy into a new shard and
builds its graph, and the new shard, brought up to date, takes the old one's place. A process that
dies at any moment leaves one complete shard, because one small file names it and is replaced
atomically. A mark in the folder, from before a deletion until after the rewrite, repeats a rewrite
that was cut short.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from threading import Lock

from wellworn.engines.storage.vectors.edge import Build, EdgeVectorIndex
from wellworn.errors import IndexUnavailable, StorageUnavailable
from wellworn.kit.child_environment import build_child_environment

_log = logging.getLogger(__name__)


class IndexBuilder:
    """Runs builds for one index; call `run_if_due` now and then from one thread of its own."""

    def __init__(self, index: EdgeVectorIndex) -> None:
        self._index = index
        self._due_at = self._count_worth_a_build()
        self._tidies = True
        self._starting = Lock()
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None

    def run_if_due(self) -> bool:
        """Build if enough points are outside the graph, or to save room; tell whether it was done.

        Takes under a second and a process start at 1,000 points, seconds at 10,000, a minute or
        more at 100,000. A full disk puts the build off.

        Raises:
            IndexUnavailable: the copy or the build failed; the index serves on as it was. Unless
                something was deleted, the next build waits for as many new points.
        """
        if self._stopped or not self._is_due():
            return False
        try:
            self._index.require_room()
        except StorageUnavailable:
            _log.warning("a build of the vector index waits for room on the disk")
            return False
        self._due_at = self._index.count_unindexed() + self._index.settings.build_after
        self._tidies = False
        try:
            if not self._build(self._index.begin_build()):
                return False
            self._index.finish_build()
        finally:
            self._index.end_build()
        # What stays outside of a fresh graph is too little for one.
        after = self._index.settings.build_after
        self._due_at = max(
            self._count_worth_a_build(), self._index.count_unindexed() + max(1, after // 2)
        )
        self._tidies = True
        _log.info("vector index built")
        return True

    def _count_worth_a_build(self) -> int:
        """Return how many points outside of a graph make a build worth its while."""
        settings = self._index.settings
        return settings.build_after if self._index.has_graph else settings.first_build_after

    def _is_due(self) -> bool:
        if self._index.count_unindexed() >= self._due_at or self._index.holds_erased():
            return True
        return self._tidies and self._index.is_untidy()

    def stop(self) -> None:
        """Cancel a running build and begin no other; call before closing the index."""
        with self._starting:
            self._stopped = True
            if self._child is not None:
                self._child.kill()

    def _build(self, build: Build) -> bool:
        child = self._start(build)
        if child is None:
            return False
        _, complaint = child.communicate()
        if self._stopped:
            return False
        if child.returncode:
            _log.error("vector index build failed: %s", complaint.decode(errors="replace")[-2000:])
            raise IndexUnavailable("The vector index could not be built.")
        return True

    def _start(self, build: Build) -> subprocess.Popen[bytes] | None:
        settings = self._index.settings.model_dump_json()
        words = ["-P", "-m", "wellworn.engines.storage.vectors.build"]
        words += [str(build.copy), str(build.new), settings, str(os.getpid())]
        path = build_child_environment()["PYTHONPATH"]
        with self._starting:
            if self._stopped:
                return None
            self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
                [sys.executable, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
            )
            return self._child
