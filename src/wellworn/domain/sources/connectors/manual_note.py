"""A note that somebody typed: all there is of it is in its configuration."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import line, only, text
from wellworn.domain.sources.connectors.models import Item, Listing, Means, SourceKind
from wellworn.domain.sources.models import Problem, SourceType
from wellworn.kit.text import fingerprint

_LONGEST = 200_000
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
KIND = SourceKind(SourceType.MANUAL_NOTE, location="title", options=("text",))


class ManualNote:
    """Fills the port for `{"title": "On call", "text": "…"}`; the text is Markdown."""

    source_type = KIND.name
    is_scheduled = False

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, *KIND.fields)
        title = line(config, "title", default="") or "note"
        return {"title": title[:200], "text": text(config, "text", most=_LONGEST)}

    @contextmanager
    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_Note]:
        del secret, state
        yield _Note(config["title"], config["text"])


class _Note:
    def __init__(self, title: str, said: str) -> None:
        self._name = f"{_NOT_IN_NAMES.sub('-', title.casefold()).strip('-') or 'note'}.md"
        self._said = said if said.lstrip().startswith("#") else f"# {title}\n\n{said}"

    def listing(self) -> Listing:
        # A note never vanishes by itself: another title is another path of the same note.
        return Listing((Item(self._name, fingerprint(self._said)),), is_certain=True)

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        for item in items:
            yield item, self._said.encode()


def connector(means: Means) -> ManualNote:
    del means
    return ManualNote()
