"""Git repositories behind the guard: which may be opened, with what, and where their objects go.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx2

from wellworn.engines.fetch.deadline import Deadline
from wellworn.engines.fetch.egress import Egress, Resolver, system_resolver
from wellworn.engines.fetch.failures import describe_failure
from wellworn.engines.fetch.gitbranch import GitBranch
from wellworn.engines.fetch.gitcommand import Git, Remote, environment
from wellworn.engines.fetch.models import Failed
from wellworn.engines.fetch.settings import FetchSettings
from wellworn.engines.fetch.urls import host_of, port_of, web_url
from wellworn.kit.scratch import scratch

_PREFIX = "wellworn-git-"
_OLDEST = (2, 39)
_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
_BRANCH = re.compile(
    r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)|[/.]$))[^\x00-\x20\x7f~^:?*\[\\]{1,250}"
)
_LITTLE = 1_000_000  # bytes, for steps that write next to nothing


class GitMirror:
    """Opens branches; on leaving, everything that was fetched is deleted."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        folder: Path | None = None,
        resolver: Resolver = system_resolver,
    ) -> None:
        """Prepare a mirror; `folder` is where its own is made, by default the system's place."""
        self._settings = settings
        self._place = folder
        self._egress = Egress(settings, resolver)
        self._ending = ExitStack()

    def __enter__(self) -> Self:
        self._folder = self._ending.enter_context(scratch(self._place, _PREFIX))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.close()

    def open(
        self, url: str, branch: str | None = None, *, token: str | None = None
    ) -> GitBranch | Failed:
        """Open a branch (None: the main one); nothing is fetched before it is asked for.

        `token` is a password, or `name:password` where the server wants a name of its own.
        """
        if branch is not None and not _BRANCH.fullmatch(branch):
            return describe_failure("bad_branch")
        target = _repository_url(url)
        if isinstance(target, Failed):
            return target
        remote = self._remote(target, token)
        if isinstance(remote, Failed):
            return remote
        if not self._has_git:
            return describe_failure("no_git")
        return self._open_branch(target, branch, remote)

    def _remote(self, target: httpx2.URL, token: str | None) -> Remote | Failed:
        host, port = host_of(target), port_of(target)
        resolved = self._egress.resolve(host, port, Deadline(self._settings.deadline_s))
        if isinstance(resolved, Failed):
            return resolved
        if target.scheme != "https" and not resolved.is_private:
            return describe_failure("plain_http", host=host)
        if token is not None and not (token.isascii() and token.isprintable()):
            return describe_failure("bad_header", host=host)
        agent = self._settings.user_agent
        return Remote(target.scheme, host, port, resolved.addresses, agent, token)

    def _open_branch(self, target: httpx2.URL, branch: str | None, remote: Remote) -> GitBranch:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        repository = folder / "objects.git"
        online = Git(folder, environment(repository, remote), self._settings.git_timeout_s)
        offline = Git(folder, environment(repository, None), self._settings.git_timeout_s)
        offline.run("init", "--quiet", "--bare", "--template=", most_bytes=_LITTLE)
        return GitBranch(
            target,
            branch,
            online=online,
            offline=offline,
            repository=repository,
            settings=self._settings,
        )

    @cached_property
    def _has_git(self) -> bool:
        """Tell whether git is there, and new enough to keep to the addresses it is given."""
        if shutil.which("git") is None:
            return False
        git = Git(self._folder, environment(self._folder, None), self._settings.git_timeout_s)
        version = _VERSION.match(git.run("version", most_bytes=_LITTLE).output)
        return version is not None and (int(version[1]), int(version[2])) >= _OLDEST


def _repository_url(text: str) -> httpx2.URL | Failed:
    """Read a repository's address; every form that git would run a program for is refused."""
    target = web_url(text)
    if isinstance(target, Failed) or not target.query:
        return target
    return describe_failure("query_in_address")
