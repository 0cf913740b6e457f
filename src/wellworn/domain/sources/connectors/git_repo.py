"""A branch of a git repository: the files of its last commit, compared by their blob hashes.

History tells of each file when it was committed last and nothing else, so a force-pushed branch is
synced as exactly as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from typing import Any

from wellworn.domain.sources.connectors.fields import (
    WEB,
    name_address,
    read_line,
    read_switch,
    reject_unknown,
)
from wellworn.domain.sources.connectors.file_kinds import (
    HEAD,
    LONGEST_PLAIN,
    SkippedFiles,
    is_plain,
    is_readable,
    is_text,
)
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    Listing,
    ListingFailed,
    NotModified,
    Recognition,
    Sign,
    SourceItem,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType
from wellworn.engines.fetch import (
    Failed,
    FailureKind,
    FetchSettings,
    GitBranch,
    GitMirror,
    GitSkipped,
    web_url,
)
from wellworn.errors import InvalidInput

_LONGEST_PATH = 1024
_SHOWN = 200
_MOST_PLAIN = 2_000
"""Files without an extension that are fetched to tell whether they are text."""
_TOO_LONG = "its path is too long to be stored; shorten it"


def _recognize(what: str, options: Collection[str]) -> Recognition | None:
    """Recognise an address that ends in `.git`, and any with the option `git`."""
    sign = Sign.OPTION if "git" in options else Sign.FORM
    is_address = what.endswith(".git") and what.lower().startswith((*WEB, "git@", "ssh://"))
    if not what or not (is_address or sign is Sign.OPTION):
        return None
    return Recognition(sign, name_address(what).removesuffix(".git"), what)


KIND = SourceKind(
    SourceType.GIT_REPO,
    location="repo_url",
    options=("branch", "path_filter", "hidden"),
    sign_in="token",
    recognize=_recognize,
)


class GitRepo:
    """Reads a branch: `{"repo_url": "https://…", "branch": "main", "path_filter": "docs/"}`.

    The filter is a path prefix, or a pattern such as `docs/*.md`. The secret is a token.
    """

    kind = KIND
    is_scheduled = True

    def __init__(self, context: ConnectorContext) -> None:
        self._settings = context.fetch

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        reject_unknown(config, *KIND.fields)
        url = read_line(config, "repo_url")
        parsed = web_url(url)
        if isinstance(parsed, Failed):
            raise InvalidInput(f"config.repo_url: {parsed.message}")
        options = {name: read_line(config, name, default="") for name in ("branch", "path_filter")}
        hidden = {"hidden": True} if read_switch(config, "hidden") else {}
        return {
            "repo_url": url,
            **{name: value for name, value in options.items() if value},
        } | hidden

    @contextmanager
    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_GitSnapshot]:
        with GitMirror(self._settings) as mirror:
            yield _GitSnapshot(mirror, self._settings, config, secret, state)


class _GitSnapshot:
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
        self._skipped = SkippedFiles()

    def list_items(self) -> Listing | NotModified | ListingFailed:
        branch = self._mirror.open(
            self._config["repo_url"], self._config.get("branch"), token=self._secret
        )
        if isinstance(branch, Failed):
            return ListingFailed.from_failure(branch)
        head = branch.head()
        if isinstance(head, Failed):
            return ListingFailed.from_failure(head)
        if head == self._seen:
            return NotModified()
        tree = branch.tree(self._is_wanted)
        if isinstance(tree, Failed):
            return ListingFailed.from_failure(tree)
        self._branch = branch
        texts = self._find_texts(
            branch, [file.oid for file in tree.files if self._needs_sniffing(file.path)]
        )
        if isinstance(texts, Failed):
            return ListingFailed.from_failure(texts)
        dates = branch.load_dates()
        items: list[SourceItem] = []
        for file in tree.files:
            if self._needs_sniffing(file.path) and file.oid not in texts:
                self._skipped.add(file.path)
            else:
                moment = dates.get(file.path)
                items.append(SourceItem(file.path, file.oid, is_content=True, committed_at=moment))
        self._skipped.add_submodules(each.path for each in tree.skipped if each.is_submodule)
        problems = self._list_problems(tree.skipped)
        problems += [Problem(f"{path[:_SHOWN]}…", _TOO_LONG) for path in self._too_long]
        return Listing(
            tuple(items),
            tuple(problems),
            is_certain=True,
            state={"commit": tree.commit},
            skipped=self._skipped.describe(),
        )

    def _list_problems(self, skipped: Iterable[GitSkipped]) -> list[Problem]:
        """Return what nobody reads although it may be missed, unlike links without an extension."""
        others = (each for each in skipped if not each.is_submodule)
        return [
            Problem(each.path, each.reason)
            for each in others
            if not self._needs_sniffing(each.path)
        ]

    def _may_be_read(self, name: str) -> bool:
        if is_readable(name):
            return True
        if _is_hidden(name) and not self._config.get("hidden"):
            self._skipped.add_hidden(name)
            return False
        if not is_plain(name):
            self._skipped.add(name)
        return is_plain(name)

    def _needs_sniffing(self, path: str) -> bool:
        """Tell whether only the content shows if a file is a document."""
        return "*" not in self._config.get("path_filter", "") and not is_readable(_unquote(path))

    def _find_texts(self, branch: GitBranch, oids: Sequence[str]) -> set[str] | Failed:
        """Return the blobs that are short texts; a blob that is too large is not."""
        texts: set[str] = set()
        blobs = branch.blobs(oids[:_MOST_PLAIN]) if oids else ()
        if isinstance(blobs, Failed):
            return blobs
        for oid, raw in blobs:
            if isinstance(raw, Failed):
                if raw.kind is not FailureKind.TOO_LARGE:
                    return raw
            elif len(raw) <= LONGEST_PLAIN and is_text(raw[:HEAD]):
                texts.add(oid)
        return texts

    def _is_wanted(self, path: str) -> bool:
        within = self._config.get("path_filter", "")
        name = _unquote(path)
        if "*" in within:
            is_wanted = fnmatch(name, within)
        else:
            is_wanted = name.startswith(within) and self._may_be_read(name)
        if is_wanted and len(path) > _LONGEST_PATH:
            self._too_long.append(path)
        return is_wanted and len(path) <= _LONGEST_PATH

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        assert self._branch is not None  # noqa: S101 - items are listed before they are read
        by_oid: dict[str, list[SourceItem]] = defaultdict(list)
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


def _unquote(path: str) -> str:
    """Return a path without the quotes that git puts around unusual characters."""
    return path[1:-1] if path.startswith('"') else path


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def create_connector(context: ConnectorContext) -> GitRepo:
    return GitRepo(context)
