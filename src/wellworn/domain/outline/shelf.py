"""What a space holds at one moment, sorted into documents, sources, sessions, tags and topics.

A document is a file that notes or best practices were read from, or a session that was imported and
is no conversation: nothing in it was said as a turn, and its name is no id. The rest are sessions.
Documents of sources are many and long: they are asked for by the page, by number or by name.

Source: issue 4, point 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from wellworn.domain.knowledge import PracticeChunk, PracticeFile
from wellworn.domain.outline.citing import Cited
from wellworn.domain.outline.models import MOST_CANDIDATES
from wellworn.domain.outline.names import called, document_id, handle, numbered_id
from wellworn.domain.outline.texts import Piece, Whole, headings_in, path_of, whole
from wellworn.domain.sources.store import BrowsedDocument, BrowsedSource, Library
from wellworn.domain.thoughts import tag_key
from wellworn.domain.thoughts.store import (
    Catalogue,
    GroupKind,
    TagCount,
    ThoughtExcerpt,
    ThoughtGroup,
)
from wellworn.domain.thoughts.topics import TopicMap
from wellworn.kit.ids import canonical_id, derive_id

MOST_PIECES = 5_000
"""Thoughts or chunks of one text that are read; what comes after them is not outlined."""
MOST_LAID_OUT = 2_000_000
"""Characters of documents that are looked through for headings in one call, or one document."""
FEWEST_TURNS = 2
"""Sessions of fewer are not listed: each is a thought that was stored by itself."""

Origin = ThoughtGroup | PracticeFile | BrowsedDocument
ReadChunks = Callable[[PracticeFile, int], Sequence[PracticeChunk]]


@dataclass(frozen=True, slots=True)
class Document:
    """A document, before anything of its text is read."""

    id: str
    title: str
    size: int
    origin: Origin


class Shelf:
    """A space at the moment of a transaction; what is read once is kept for the call."""

    def __init__(
        self,
        catalogue: Catalogue,
        library: Library,
        files: Sequence[PracticeFile],
        read_chunks: ReadChunks,
        read_topics: Callable[[], TopicMap],
    ) -> None:
        self.catalogue = catalogue
        self._library = library
        self._files = files
        self._read_chunks = read_chunks
        self._read_topics = read_topics
        self._texts: dict[str, Whole] = {}

    @cached_property
    def groups(self) -> list[ThoughtGroup]:
        return self.catalogue.list_groups()

    @cached_property
    def labels(self) -> list[TagCount]:
        return self.catalogue.count_tags()

    @cached_property
    def documents(self) -> list[Document]:
        """Return every document of no source, in the order they came; best practices last."""
        groups = [_group_document(group) for group in self.groups if not is_talk(group)]
        return groups + [_file_document(file) for file in self._files]

    @property
    def sources(self) -> list[BrowsedSource]:
        return self._library.sources

    def documents_of(self, source: BrowsedSource, *, offset: int, limit: int) -> list[Document]:
        """Return some of a source's documents, by their paths."""
        found = self._library.list_documents(source.id, offset=offset, limit=limit)
        return [_source_document(one) for one in found]

    def numbered(self, number: int) -> Document | None:
        """Return a document of a source by its number."""
        return next(map(_source_document, self._library.find_documents([number])), None)

    @cached_property
    def _citations(self) -> list[tuple[int, str]]:
        return [(number, cited.casefold()) for number, cited in self._library.list_citations()]

    def named(self, folded: str) -> list[Document]:
        """Return documents of sources that are called so: one more than are shown, if so many."""
        found = (
            number
            for number, cited in self._citations
            # Most are told apart by this alone, and there may be many.
            if folded in cited and "/" not in cited.rpartition(folded)[2]
            if folded in called(cited)
        )
        return self._some(found)

    def alike(self, folded: str) -> list[Document]:
        """Return some documents of sources that have this in what they are called."""
        return self._some(number for number, cited in self._citations if folded in cited)

    def _some(self, numbers: Iterable[int]) -> list[Document]:
        first = list(islice(numbers, MOST_CANDIDATES + 1))
        return [_source_document(one) for one in self._library.find_documents(first)]

    @cached_property
    def sessions(self) -> list[ThoughtGroup]:
        """Return the conversations of more than one thought, newest first."""
        talks = [one for one in self.groups if is_talk(one) and one.size >= FEWEST_TURNS]
        return talks[::-1]

    @cached_property
    def laid(self) -> TopicMap:
        """Return the topics, which are only looked for where somebody asks for them."""
        return self._read_topics()

    def session(self, name: str) -> ThoughtGroup | None:
        """Return a session by its name or by what stands for it in an id."""
        found = self.catalogue.find_group(GroupKind.SESSION, name)
        if found is not None or not name.startswith("~"):
            return found
        named = (one for one in self.groups if one.bond is GroupKind.SESSION)
        return next((one for one in named if handle(one.name) == name), None)

    def label(self, name: str) -> TagCount | None:
        """Return a tag by any spelling of it or by what stands for it in an id."""
        key = tag_key(name)
        return next((one for one in self.labels if key == one.key or handle(one.key) == name), None)

    def opening(self, document: Document) -> str:
        """Return how a document begins, or its title."""
        if isinstance(document.origin, BrowsedDocument):
            return document.origin.opening
        if isinstance(document.origin, ThoughtGroup):
            entries = self.catalogue.list_excerpts([document.origin.first_seq])
            return entries[0].text if entries else ""
        return "".join(chunk.content for chunk in self._read_chunks(document.origin, 1))

    def text(self, document: Document) -> Whole:
        """Return the text of a document."""
        if document.id not in self._texts:
            self._texts[document.id] = whole(self._pieces(document.origin))
        return self._texts[document.id]

    @property
    def has_laid_out_enough(self) -> bool:
        """Tell whether no further document should be looked through in this call."""
        return sum(text.length for text in self._texts.values()) >= MOST_LAID_OUT

    def anchored(self, document: Document, anchor: str) -> int | None:
        """Return where a passage begins that a document's own anchor, no heading's, leads to."""
        one = document.origin
        return self._library.find_anchor(one, anchor) if isinstance(one, BrowsedDocument) else None

    def talk(self, group: ThoughtGroup) -> Whole:
        """Return the text of a session: its turns in order."""
        entries = self.catalogue.members(group, limit=MOST_PIECES, whole=True)
        return whole([piece_of(entry) for entry in entries])

    def _pieces(self, origin: Origin) -> list[Piece]:
        if isinstance(origin, BrowsedDocument):
            text, number = self._library.read_text(origin), str(origin.id)
            cited = Cited(origin.source, origin.path, text)
            return [Piece(number, text, origin.source, origin.fetched_at, cited=cited)]
        if isinstance(origin, PracticeFile):
            return [
                Piece(chunk.id, chunk.content, chunk.source, chunk.timestamp)
                for chunk in self._read_chunks(origin, MOST_PIECES)
            ]
        entries = self.catalogue.members(origin, limit=MOST_PIECES, whole=True)
        return [piece_of(entry, _path(entry, origin)) for entry in entries]


def is_talk(group: ThoughtGroup) -> bool:
    """Tell a conversation from a document that was imported as a session."""
    return group.bond is GroupKind.SESSION and (
        group.turns > 0 or canonical_id(group.name) is not None
    )


def piece_of(entry: ThoughtExcerpt, path: tuple[str, ...] = ()) -> Piece:
    """Return a thought as a piece of a text."""
    return Piece(entry.thought_id, entry.text, entry.contributor, entry.created_at, path)


def _path(entry: ThoughtExcerpt, group: ThoughtGroup) -> tuple[str, ...]:
    """Return the headings in the first line of a thought: where its id proves them, or by form."""
    line, _, rest = entry.text.partition("\n\n")
    # The id that the importer of Markdown gives follows from heading and words.
    proof = derive_id("markdown", group.name, line, rest) if rest else ""
    return headings_in(line) if proof == entry.thought_id else path_of(entry.text)


def _group_document(group: ThoughtGroup) -> Document:
    return Document(document_id(group.bond.value, group.name), group.name, group.size, group)


def _file_document(file: PracticeFile) -> Document:
    named = document_id("practices", file.domain, file.source, file.path)
    title = file.path or file.source or file.domain or "best practices"
    return Document(named, title, len(file.chunks), file)


def _source_document(one: BrowsedDocument) -> Document:
    return Document(numbered_id(one.id), one.citation, 0, one)
