"""A note that somebody typed; its configuration holds the full text."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import read_line, read_text, reject_unknown
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    Listing,
    Recognition,
    Sign,
    SourceItem,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType
from wellworn.kit.text import fingerprint

_LONGEST = 200_000
_UNTITLED = "note"
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


def _recognize(what: str, options: Collection[str]) -> Recognition | None:
    """Recognise a note by its text, whatever its title looks like."""
    title = what or _UNTITLED
    return Recognition(Sign.OPTION, title, title) if "text" in options else None


KIND = SourceKind(SourceType.MANUAL_NOTE, location="title", options=("text",), recognize=_recognize)


class ManualNote:
    """Holds a note, configured as `{"title": "On call", "text": "…"}`; the text is Markdown."""

    kind = KIND
    is_scheduled = False

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        reject_unknown(config, *KIND.fields)
        title = read_line(config, "title", default="") or _UNTITLED
        return {"title": title[:200], "text": read_text(config, "text", most=_LONGEST)}

    @contextmanager
    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_NoteSnapshot]:
        del secret, state
        yield _NoteSnapshot(config["title"], config["text"])


class _NoteSnapshot:
    def __init__(self, title: str, text: str) -> None:
        self._name = f"{_NOT_IN_NAMES.sub('-', title.casefold()).strip('-') or 'note'}.md"
        self._title = None if title == _UNTITLED else title
        self._text = text if text.lstrip().startswith("#") else f"# {title}\n\n{text}"

    def list_items(self) -> Listing:
        # A note never vanishes: a new title only changes its path.
        item = SourceItem(self._name, fingerprint(self._text), title=self._title)
        return Listing((item,), is_certain=True)

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        for item in items:
            yield item, self._text.encode()


def create_connector(context: ConnectorContext) -> ManualNote:
    del context
    return ManualNote()
