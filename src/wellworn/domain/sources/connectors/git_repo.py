"""A branch of a git repository: what its last commit holds, compared by the hashes of its files.

History is never consulted, so a branch that was forced somewhere else is as exact as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from typing import Any

from wellworn.domain.sources.connectors.fields import line, only
from wellworn.domain.sources.connectors.file_kinds import (
    HEAD,
    LONGEST_PLAIN,
    PassedOver,
    is_plain,
    is_readable,
    is_text,
)
from wellworn.domain.sources.connectors.models import (
    Item,
    Listing,
    Means,
    Same,
    Setback,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, GitBranch, GitMirror, web_url
from wellworn.errors import InvalidInput

_LONGEST_PATH = 1024
_SHOWN = 200
_MOST_PLAIN = 2_000
"""Files without an ending that are fetched to tell whether they are text."""
_TOO_LONG = "its path is too long to be stored; shorten it"
KIND = SourceKind(
    SourceType.GIT_REPO,
    location="repo_url",
    options=("branch", "path_filter"),
    sign_in="token",
)


class GitRepo:
    """Fills the port for `{"repo_url": "https://…", "branch": "main", "path_filter": "docs/"}`.

    The filter is the beginning of paths, or a pattern such as `docs/*.md`. The secret is a token.
    """

    source_type = KIND.name
    is_scheduled = True

    def __init__(self, means: Means) -> None:
        self._settings = means.fetch

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, *KIND.fields)
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
        self._passed_over = PassedOver()

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
        texts = self._texts(branch, [one.oid for one in tree.files if self._must_tell(one.path)])
        if isinstance(texts, Failed):
            return Setback.of(texts)
        items: list[Item] = []
        for one in tree.files:
            if self._must_tell(one.path) and one.oid not in texts:
                self._passed_over.add(one.path)
            else:
                items.append(Item(one.path, one.oid, is_content=True))
        # Links and submodules without an ending are no documents that anybody would miss.
        skipped = [one for one in tree.skipped if not self._must_tell(one.path)]
        problems = [Problem(one.path, one.reason) for one in skipped]
        problems += [Problem(f"{path[:_SHOWN]}…", _TOO_LONG) for path in self._too_long]
        return Listing(
            tuple(items),
            tuple(problems),
            is_certain=True,
            state={"commit": tree.commit},
            passed_over=self._passed_over.told(),
        )

    def _may_be_read(self, name: str) -> bool:
        if is_readable(name):
            return True
        if _is_hidden(name):
            return False
        if not is_plain(name):
            self._passed_over.add(name)
        return is_plain(name)

    def _must_tell(self, path: str) -> bool:
        """Tell whether only its content says if a file is a document."""
        return "*" not in self._config.get("path_filter", "") and not is_readable(_name(path))

    def _texts(self, branch: GitBranch, oids: Sequence[str]) -> set[str] | Failed:
        """Return which files are short texts; what is too large is none."""
        found: set[str] = set()
        blobs = branch.blobs(oids[:_MOST_PLAIN]) if oids else ()
        if isinstance(blobs, Failed):
            return blobs
        for oid, raw in blobs:
            if isinstance(raw, Failed):
                if raw.kind is not FailureKind.TOO_LARGE:
                    return raw
            elif len(raw) <= LONGEST_PLAIN and is_text(raw[:HEAD]):
                found.add(oid)
        return found

    def _is_wanted(self, path: str) -> bool:
        within = self._config.get("path_filter", "")
        name = _name(path)
        if "*" in within:
            is_wanted = fnmatch(name, within)
        else:
            is_wanted = name.startswith(within) and self._may_be_read(name)
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


def _name(path: str) -> str:
    """Return a path without the quotes of one that cannot be shown as it is."""
    return path[1:-1] if path.startswith('"') else path


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def connector(means: Means) -> GitRepo:
    return GitRepo(means)
