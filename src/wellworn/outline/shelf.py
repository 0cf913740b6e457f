"""What a space holds at one moment, sorted into documents, sessions, tags and topics.

A document is a file that notes or best practices were read from, or a session that was imported and
is no conversation: nothing in it was said as a turn, and its name is no id. The rest are sessions.

Source: issue 4, point 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wellworn.kit.ids import canonical_id, named_id
from wellworn.knowledge import Chunk, PracticeFile
from wellworn.outline.names import document_id, handle
from wellworn.outline.texts import Piece, Whole, headings_in, path_of, whole
from wellworn.thoughts import Bond, Catalogue, Entry, Group, Label, Laid, tag_key

MOST_PIECES = 5_000
"""Thoughts or chunks of one text that are read; what comes after them is not outlined."""
FEWEST_TURNS = 2
"""Sessions of fewer are not listed: each is a thought that was stored by itself."""

ReadChunks = Callable[[PracticeFile, int], Sequence[Chunk]]


@dataclass(frozen=True, slots=True)
class Document:
    """A document, before anything of its text is read."""

    id: str
    title: str
    size: int
    origin: Group | PracticeFile


class Shelf:
    """A space at the moment of a transaction; what is read once is kept for the call."""

    def __init__(
        self,
        catalogue: Catalogue,
        files: Sequence[PracticeFile],
        read_chunks: ReadChunks,
        read_topics: Callable[[], Laid],
    ) -> None:
        self.catalogue = catalogue
        self._files = files
        self._read_chunks = read_chunks
        self._read_topics = read_topics
        self._texts: dict[str, Whole] = {}

    @cached_property
    def groups(self) -> list[Group]:
        return self.catalogue.groups()

    @cached_property
    def labels(self) -> list[Label]:
        return self.catalogue.labels()

    @cached_property
    def documents(self) -> list[Document]:
        """Return every document, in the order in which they came; best practices last."""
        groups = [_group_document(group) for group in self.groups if not is_talk(group)]
        return groups + [_file_document(file) for file in self._files]

    @cached_property
    def sessions(self) -> list[Group]:
        """Return the conversations of more than one thought, newest first."""
        talks = [one for one in self.groups if is_talk(one) and one.size >= FEWEST_TURNS]
        return talks[::-1]

    @cached_property
    def laid(self) -> Laid:
        """Return the topics, which are only looked for where somebody asks for them."""
        return self._read_topics()

    def session(self, name: str) -> Group | None:
        """Return a session by its name or by what stands for it in an id."""
        found = self.catalogue.group(Bond.SESSION, name)
        if found is not None or not name.startswith("~"):
            return found
        named = (one for one in self.groups if one.bond is Bond.SESSION)
        return next((one for one in named if handle(one.name) == name), None)

    def label(self, name: str) -> Label | None:
        """Return a tag by any spelling of it or by what stands for it in an id."""
        key = tag_key(name)
        return next((one for one in self.labels if key == one.key or handle(one.key) == name), None)

    def opening(self, document: Document) -> str:
        """Return how a document begins."""
        if isinstance(document.origin, Group):
            entries = self.catalogue.entries([document.origin.first_seq])
            return entries[0].text if entries else ""
        return "".join(chunk.content for chunk in self._read_chunks(document.origin, 1))

    def text(self, document: Document) -> Whole:
        """Return the text of a document."""
        if document.id not in self._texts:
            self._texts[document.id] = whole(self._pieces(document.origin))
        return self._texts[document.id]

    def talk(self, group: Group) -> Whole:
        """Return the text of a session: its turns in order."""
        entries = self.catalogue.members(group, limit=MOST_PIECES, whole=True)
        return whole([piece_of(entry) for entry in entries])

    def _pieces(self, origin: Group | PracticeFile) -> list[Piece]:
        if isinstance(origin, PracticeFile):
            return [
                Piece(chunk.id, chunk.content, chunk.source, chunk.timestamp)
                for chunk in self._read_chunks(origin, MOST_PIECES)
            ]
        entries = self.catalogue.members(origin, limit=MOST_PIECES, whole=True)
        return [piece_of(entry, _path(entry, origin)) for entry in entries]


def is_talk(group: Group) -> bool:
    """Tell a conversation from a document that was imported as a session."""
    return group.bond is Bond.SESSION and (group.turns > 0 or canonical_id(group.name) is not None)


def piece_of(entry: Entry, path: tuple[str, ...] = ()) -> Piece:
    """Return a thought as a piece of a text."""
    return Piece(entry.thought_id, entry.text, entry.contributor, entry.created_at, path)


def _path(entry: Entry, group: Group) -> tuple[str, ...]:
    """Return the headings in the first line of a thought: where its id proves them, or by form."""
    line, _, rest = entry.text.partition("\n\n")
    # The id that the importer of Markdown gives follows from heading and words.
    proof = named_id("markdown", group.name, line, rest) if rest else ""
    return headings_in(line) if proof == entry.thought_id else path_of(entry.text)


def _group_document(group: Group) -> Document:
    return Document(document_id(group.bond.value, group.name), group.name, group.size, group)


def _file_document(file: PracticeFile) -> Document:
    named = document_id("practices", file.domain, file.source, file.path)
    title = file.path or file.source or file.domain or "best practices"
    return Document(named, title, len(file.chunks), file)
