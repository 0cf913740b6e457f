"""A bundle: a folder of records for machines, and of days and turns for people.

```
manifest.json          written last: a bundle cut short has none
thought.jsonl, …       one file a kind, one record a line, keys sorted
markdown/2026-02-23.md the thoughts of a day; made from the records, not read back
vaults/ann/turns/…     the files of everybody's turns; made and not read back in the same way
```

The same memory always gives the same bytes, so bundles can be compared and held under version
control. Obsidian opens the days, and everybody's turns as a vault.

Source: docs/reference/formats.md.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Self, cast

import wellworn
from wellworn.engines.formats.lines import Tell, canonical, read_lines, refuse
from wellworn.engines.formats.records import KINDS
from wellworn.errors import InvalidInput
from wellworn.kit.ids import make_folder_name
from wellworn.kit.pictures import decode_file

FORMAT = "wellworn-bundle"
VERSION = 1
MANIFEST = "manifest.json"
MARKDOWN = "markdown"
VAULTS = "vaults"


def write(records: Iterable[Mapping[str, Any]], folder: Path) -> None:
    """Write records to a new or empty folder, or in place of an earlier bundle.

    The earlier one stays until the new one is complete.

    Raises:
        InvalidInput: the folder holds something else, or a record is of no known kind.
        OSError: the folder cannot be written.
    """
    _check_free(folder)
    draft = folder.with_name(f"{folder.name}.partial")
    if draft.is_symlink():
        draft.unlink()
    shutil.rmtree(draft, ignore_errors=True)
    try:
        _write_into(draft, records)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _put_in_place(draft, folder)


def _write_into(folder: Path, records: Iterable[Mapping[str, Any]]) -> None:
    days = folder / MARKDOWN
    days.mkdir(parents=True)
    counts: Counter[str] = Counter()
    with ExitStack() as stack, Diary(days) as diary:
        files: dict[str, IO[str]] = {}
        for record in records:
            kind = str(record.get("record"))
            if kind not in KINDS:
                raise InvalidInput(f"record must be one of {', '.join(KINDS)}")
            if kind not in files:
                path = folder / f"{kind}.jsonl"
                files[kind] = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            files[kind].write(canonical(record) + "\n")
            counts[kind] += 1
            if kind == "thought":
                diary.write(record)
            elif kind == "turn_file":
                write_turn_file(folder / VAULTS, record)
    manifest = {
        "format": FORMAT,
        "records": {kind: counts[kind] for kind in KINDS if counts[kind]},
        "version": VERSION,
        "wellworn": wellworn.__version__,
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8", newline="\n")


Check = Callable[[Mapping[str, Any]], None]
"""Raises `InvalidInput` for a record that no memory takes."""


def _accept(record: Mapping[str, Any]) -> None:
    """Accept any record: the server checks it."""
    del record


def read(path: Path, tell: Tell = refuse, *, check: Check = _accept) -> Iterator[dict[str, Any]]:
    """Yield the records of a bundle, each behind those it refers to; a single file works too.

    What `check` refuses is left out, and `tell` is told of it.

    Raises:
        InvalidInput: a file is missing, cut short or of another kind; the message names it.
    """
    if not path.is_dir():
        yield from _file(path, tell, check)
        return
    counts = _counts(path / MANIFEST)
    for kind in KINDS:
        if kind in counts:
            yield from _kind(path / f"{kind}.jsonl", kind, counts[kind], tell, check)


def _kind(
    path: Path, kind: str, expected: int, tell: Tell, check: Check
) -> Iterator[dict[str, Any]]:
    count = 0
    for number, record in read_lines(path):
        count += 1
        place = f"{path.name}, line {number}"
        if record.get("record") != kind:
            raise InvalidInput(f"{place}: not a record of this kind")
        if _is_valid(record, place, tell, check):
            yield record
    if count != expected:
        raise InvalidInput(f"{path.name} has {count} records, the manifest says {expected}")


def _is_valid(record: Mapping[str, Any], place: str, tell: Tell, check: Check) -> bool:
    try:
        check(record)
    except InvalidInput as refusal:
        tell(f"{place}: {refusal.message}")
        return False
    return True


def _counts(path: Path) -> dict[str, int]:
    """Return how many records of each kind the manifest promises."""
    try:
        manifest: Any = json.loads(path.read_text(encoding="utf-8"))
        fits = manifest["format"] == FORMAT
        version, counts = (
            int(manifest["version"]),
            cast("dict[str, int]", dict(manifest["records"])),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InvalidInput(
            f"{path.name} is missing or damaged, so the bundle is incomplete"
        ) from None
    if not fits:
        raise InvalidInput(f"{path.name} is not the manifest of a bundle")
    if version > VERSION or not counts.keys() <= set(KINDS):
        raise InvalidInput(f"{path.name} is of a newer version of wellworn; upgrade wellworn")
    return counts


def _file(path: Path, tell: Tell, check: Check) -> Iterator[dict[str, Any]]:
    is_empty = True
    for number, record in read_lines(path, tell):
        is_empty = False
        if _is_valid(record, f"{path.name}, line {number}", tell, check):
            yield record
    if is_empty:
        raise InvalidInput(f"{path.name} holds no record")


def _check_free(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MANIFEST).is_file()):
        raise InvalidInput("the target contains something else; name a new or empty folder")
    for name in (MARKDOWN, VAULTS):
        if (folder / name).is_symlink():
            raise InvalidInput(f"{name} in the target is a link; name a new or empty folder")
    if (folder / MANIFEST).is_file():
        _counts(folder / MANIFEST)


def _put_in_place(draft: Path, folder: Path) -> None:
    """Move a complete bundle over an earlier one; the manifest comes last."""
    (folder / MARKDOWN).mkdir(parents=True, exist_ok=True)
    _clear(folder)
    for path in sorted(draft.rglob("*"), key=lambda path: path == draft / MANIFEST):
        if path.is_file():
            target = folder / path.relative_to(draft)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    shutil.rmtree(draft)


def _clear(folder: Path) -> None:
    """Remove an earlier bundle, its manifest first, and nothing that is not part of one."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for kind in KINDS:
        (folder / f"{kind}.jsonl").unlink(missing_ok=True)
    shutil.rmtree(folder / VAULTS, ignore_errors=True)
    for day in (folder / MARKDOWN).glob("*.md"):
        day.unlink()


_HELD = 1_000
_NO_TAG_LETTER = re.compile(r"[^\w/-]+")
_NO_HEADING_LETTER = re.compile(r"[\[\]#|^\s]+")


class Diary:
    """The files of a folder; sections are buffered, as days may come in any order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._days: dict[str, str] = {}
        self._held: dict[str, list[str]] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._flush()

    def write(self, thought: Mapping[str, Any]) -> None:
        """Add a thought to its day, after the thoughts that it comes from."""
        day = str(thought["created_at"])[:10]
        self._days[thought["id"]] = day
        self._held.setdefault(day, []).append(self._section(thought))
        self._count += 1
        if self._count % _HELD == 0:
            self._flush()

    def _section(self, thought: Mapping[str, Any]) -> str:
        lines = [
            f"## {thought['id']}",
            "",
            f"{_plain(thought['contributor_name'])}, {_when(thought)}",
        ]
        lines += (
            [f"type: {thought['thought_type']}"] if thought["thought_type"] != "original" else []
        )
        if thought["session"] is not None:
            lines += [f"session: {_plain(thought['session'])}, turn {thought['position']}"]
        lines += [f"tags: {' '.join(map(_tag, thought['tags']))}"] if thought["tags"] else []
        links = [self._link(source) for source in thought["source_ids"]]
        lines += [f"sources: {' '.join(links)}"] if links else []
        if thought["erased_at"] is not None:
            return "\n".join([*lines, "", "*erased*"])
        return "\n".join([*lines, "", *_quote(thought["content"])])

    def _link(self, thought_id: str) -> str:
        return f"[[{self._days.get(thought_id, '')}#{thought_id}]]"

    def _flush(self) -> None:
        for day, sections in self._held.items():
            path = self._folder / f"{day}.md"
            is_new = not path.exists()
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(f"# {day}\n" if is_new else "")
                file.writelines(f"\n{section}\n" for section in sections)
        self._held.clear()


def _when(thought: Mapping[str, Any]) -> str:
    return f"{thought['created_at'][11:19]} UTC"


def _plain(text: str) -> str:
    return _NO_HEADING_LETTER.sub(" ", text).strip()


def _tag(tag: str) -> str:
    return "#" + (_NO_TAG_LETTER.sub("-", tag).strip("-") or "tag")


def _quote(content: str) -> list[str]:
    return [f"> {line}".rstrip() for line in content.splitlines()]


def write_turn_file(folder: Path, record: Mapping[str, Any]) -> None:
    """Write a file of a user's turns into the user's vault below a folder.

    Raises:
        InvalidInput: its path leads out of the vault.
        OSError: it cannot be written.
    """
    path = PurePosixPath(record["path"])
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInput("a file of a turn has a path that leads out of its vault")
    target = folder / make_folder_name(record["user_id"]) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(decode_file(record["path"], record["content"]))
