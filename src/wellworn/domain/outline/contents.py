"""Sorts what a space holds at one moment into documents, sources, sessions, tags and topics.

A document is a file that notes or best practices were read from, or a session that was imported and
is no conversation: nothing in it was said as a turn, and its name is no id. The rest are sessions.
Documents of sources are many and long: they are asked for by the page, by number or by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from wellworn.domain.knowledge import PracticeChunk, PracticeFile
from wellworn.domain.outline.citing import CitationFormatter
from wellworn.domain.outline.models import MOST_CANDIDATES
from wellworn.domain.outline.names import document_id, list_names, to_handle, to_node_id
from wellworn.domain.outline.texts import (
    JoinedText,
    TextPiece,
    join_pieces,
    parse_headings,
    parse_path,
)
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
class OutlineDocument:
    """A document, before anything of its text is read."""

    id: str
    title: str
    size: int
    origin: Origin


class SpaceContents:
    """A space at the moment of a transaction; what is read once is remembered for the call."""

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
        self._texts: dict[str, JoinedText] = {}

    @cached_property
    def groups(self) -> list[ThoughtGroup]:
        return self.catalogue.list_groups()

    @cached_property
    def tags(self) -> list[TagCount]:
        return self.catalogue.count_tags()

    @cached_property
    def documents(self) -> list[OutlineDocument]:
        """Return every document of no source, in the order they came; best practices last."""
        groups = [_group_document(group) for group in self.groups if not is_conversation(group)]
        return groups + [_file_document(file) for file in self._files]

    @property
    def sources(self) -> list[BrowsedSource]:
        return self._library.sources

    def list_documents(
        self, source: BrowsedSource, *, offset: int, limit: int
    ) -> list[OutlineDocument]:
        """Return some of a source's documents, by their paths."""
        documents = self._library.list_documents(source.id, offset=offset, limit=limit)
        return [_source_document(document) for document in documents]

    def find_by_number(self, number: int) -> OutlineDocument | None:
        """Return a document of a source by its number."""
        return next(map(_source_document, self._library.find_documents([number])), None)

    @cached_property
    def _citations(self) -> list[tuple[int, str]]:
        return [(number, cited.casefold()) for number, cited in self._library.list_citations()]

    def find_by_name(self, folded: str) -> list[OutlineDocument]:
        """Return documents of sources that are called so: one more than are shown, if so many."""
        numbers = (
            number
            for number, cited in self._citations
            # Most are told apart by this alone, and there may be many.
            if folded in cited and "/" not in cited.rpartition(folded)[2]
            if folded in list_names(cited)
        )
        return self._find_documents(numbers)

    def find_similar(self, folded: str) -> list[OutlineDocument]:
        """Return some documents of sources that have this in what they are called."""
        return self._find_documents(number for number, cited in self._citations if folded in cited)

    def _find_documents(self, numbers: Iterable[int]) -> list[OutlineDocument]:
        first = list(islice(numbers, MOST_CANDIDATES + 1))
        return [_source_document(document) for document in self._library.find_documents(first)]

    @cached_property
    def sessions(self) -> list[ThoughtGroup]:
        """Return the conversations of more than one thought, newest first."""
        talks = [
            group for group in self.groups if is_conversation(group) and group.size >= FEWEST_TURNS
        ]
        return talks[::-1]

    @cached_property
    def topic_map(self) -> TopicMap:
        """Return the topics, which are only looked for where somebody asks for them."""
        return self._read_topics()

    def find_session(self, name: str) -> ThoughtGroup | None:
        """Return a session by its name or by what stands for it in an id."""
        group = self.catalogue.find_group(GroupKind.SESSION, name)
        if group is not None or not name.startswith("~"):
            return group
        named = (group for group in self.groups if group.bond is GroupKind.SESSION)
        return next((group for group in named if to_handle(group.name) == name), None)

    def find_tag(self, name: str) -> TagCount | None:
        """Return a tag by any spelling of it or by what stands for it in an id."""
        key = tag_key(name)
        return next(
            (tag for tag in self.tags if key == tag.key or to_handle(tag.key) == name), None
        )

    def read_opening(self, document: OutlineDocument) -> str:
        """Return how a document begins, or its title."""
        if isinstance(document.origin, BrowsedDocument):
            return document.origin.opening
        if isinstance(document.origin, ThoughtGroup):
            entries = self.catalogue.list_excerpts([document.origin.first_seq])
            return entries[0].text if entries else ""
        return "".join(chunk.content for chunk in self._read_chunks(document.origin, 1))

    def read_text(self, document: OutlineDocument) -> JoinedText:
        """Return the text of a document."""
        if document.id not in self._texts:
            self._texts[document.id] = join_pieces(self._read_pieces(document.origin))
        return self._texts[document.id]

    @property
    def has_laid_out_enough(self) -> bool:
        """Tell whether no further document should be looked through in this call."""
        return sum(text.length for text in self._texts.values()) >= MOST_LAID_OUT

    def find_section(self, document: OutlineDocument, anchor: str) -> int | None:
        """Return where a passage begins that a document's own anchor, no heading's, leads to."""
        document_group = document.origin
        return (
            self._library.find_anchor(document_group, anchor)
            if isinstance(document_group, BrowsedDocument)
            else None
        )

    def read_conversation(self, group: ThoughtGroup) -> JoinedText:
        """Return the text of a session: its turns in order."""
        entries = self.catalogue.members(group, limit=MOST_PIECES, whole=True)
        return join_pieces([to_piece(entry) for entry in entries])

    def _read_pieces(self, origin: Origin) -> list[TextPiece]:
        if isinstance(origin, BrowsedDocument):
            text, number = self._library.read_text(origin), str(origin.id)
            cited = CitationFormatter(origin.source, origin.path, text)
            return [TextPiece(number, text, origin.source, origin.dated_at, cited=cited)]
        if isinstance(origin, PracticeFile):
            return [
                TextPiece(chunk.id, chunk.content, chunk.source, chunk.timestamp)
                for chunk in self._read_chunks(origin, MOST_PIECES)
            ]
        entries = self.catalogue.members(origin, limit=MOST_PIECES, whole=True)
        return [to_piece(entry, _find_path(entry, origin)) for entry in entries]


def is_conversation(group: ThoughtGroup) -> bool:
    """Tell a conversation from a document that was imported as a session."""
    return group.bond is GroupKind.SESSION and (
        group.turns > 0 or canonical_id(group.name) is not None
    )


def to_piece(entry: ThoughtExcerpt, path: tuple[str, ...] = ()) -> TextPiece:
    """Return a thought as a piece of a text."""
    return TextPiece(entry.thought_id, entry.text, entry.contributor, entry.created_at, path)


def _find_path(entry: ThoughtExcerpt, group: ThoughtGroup) -> tuple[str, ...]:
    """Return the headings in the first line of a thought: where its id proves them, or by form."""
    line, _, rest = entry.text.partition("\n\n")
    # The id that the importer of Markdown gives follows from heading and words.
    proof = derive_id("markdown", group.name, line, rest) if rest else ""
    return parse_headings(line) if proof == entry.thought_id else parse_path(entry.text)


def _group_document(group: ThoughtGroup) -> OutlineDocument:
    return OutlineDocument(document_id(group.bond.value, group.name), group.name, group.size, group)


def _file_document(file: PracticeFile) -> OutlineDocument:
    named = document_id("practices", file.domain, file.source, file.path)
    title = file.path or file.source or file.domain or "best practices"
    return OutlineDocument(named, title, len(file.chunks), file)


def _source_document(document: BrowsedDocument) -> OutlineDocument:
    return OutlineDocument(to_node_id(document.id), document.citation, 0, document)
