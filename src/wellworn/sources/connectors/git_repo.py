"""A branch of a git repository: what its last commit holds, compared by the hashes of its files.

History is never consulted, so a branch that was forced somewhere else is as exact as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from typing import Any

from wellworn.errors import InvalidInput
from wellworn.fetch import Failed, FetchSettings, GitBranch, GitMirror, web_url
from wellworn.sources.connectors.fields import line, only
from wellworn.sources.connectors.models import READABLE, Item, Listing, Means, Same, Setback
from wellworn.sources.models import Problem

_LONGEST_PATH = 1024
_SHOWN = 200
_TOO_LONG = "its path is too long to be stored; shorten it"


class GitRepo:
    """Fills the port for `{"repo_url": "https://…", "branch": "main", "path_filter": "docs/"}`.

    The filter is the beginning of paths, or a pattern such as `docs/*.md`. The secret is a token.
    """

    source_type = "git_repo"
    is_scheduled = True

    def __init__(self, means: Means) -> None:
        self._settings = means.fetch

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, "repo_url", "branch", "path_filter")
        url = line(config, "repo_url")
        found = web_url(url)
        if isinstance(found, Failed):
            raise InvalidInput(f"config.repo_url: {found.message}")
        given = {name: line(config, name, default="") for name in ("branch", "path_filter")}
        return {"repo_url": url, **{name: value for name, value in given.items() if value}}

    @contextmanager
    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_Look]:
        with GitMirror(self._settings) as mirror:
            yield _Look(mirror, self._settings, config, secret, state)


class _Look:
    def __init__(
        self,
        mirror: GitMirror,
        settings: FetchSettings,
        config: Mapping[str, Any],
        secret: str | None,
        state: Mapping[str, Any],
    ) -> None:
        self._mirror = mirror
        self._settings = settings
        self._config = config
        self._secret = secret
        self._seen = state.get("commit")
        self._branch: GitBranch | None = None
        self._too_long: list[str] = []

    def listing(self) -> Listing | Same | Setback:
        branch = self._mirror.open(
            self._config["repo_url"], self._config.get("branch"), token=self._secret
        )
        if isinstance(branch, Failed):
            return Setback.of(branch)
        head = branch.head()
        if isinstance(head, Failed):
            return Setback.of(head)
        if head == self._seen:
            return Same()
        tree = branch.tree(self._is_wanted)
        if isinstance(tree, Failed):
            return Setback.of(tree)
        self._branch = branch
        items = [Item(one.path, one.oid, is_content=True) for one in tree.files]
        problems = [Problem(one.path, one.reason) for one in tree.skipped]
        problems += [Problem(f"{path[:_SHOWN]}…", _TOO_LONG) for path in self._too_long]
        return Listing(
            tuple(items), tuple(problems), is_certain=True, state={"commit": tree.commit}
        )

    def _is_wanted(self, path: str) -> bool:
        within = self._config.get("path_filter", "")
        # A name that cannot be shown as it is comes in quotes.
        name = path[1:-1] if path.startswith('"') else path
        if "*" in within:
            is_wanted = fnmatch(name, within)
        else:
            is_wanted = name.startswith(within) and name.casefold().endswith(READABLE)
        if is_wanted and len(path) > _LONGEST_PATH:
            self._too_long.append(path)
        return is_wanted and len(path) <= _LONGEST_PATH

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        assert self._branch is not None  # noqa: S101 - what is read was listed before
        by_oid: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            by_oid[item.version].append(item)
        if not by_oid:
            return
        blobs = self._branch.blobs(by_oid)
        if isinstance(blobs, Failed):
            for item in items:
                yield item, Problem(item.path, blobs.message)
            return
        for oid, raw in blobs:
            for item in by_oid[oid]:
                failed = isinstance(raw, Failed)
                yield item, Problem(item.path, raw.message) if failed else raw


def connector(means: Means) -> GitRepo:
    return GitRepo(means)
