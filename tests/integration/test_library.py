"""Documents of sources as the outline lists them, over a real database."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from integration.sources_world import LOCAL, Docs, opened
from wellworn.domain.sources.store import Library


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    return Docs(world, tmp_path / "docs")


def listed(docs, *, offset=0, limit=100):
    with docs.world.database.read() as transaction:
        found = Library(transaction, LOCAL).list_documents(
            docs.source.id, offset=offset, limit=limit
        )
        return [one.path for one in found]


def filled(docs, count):
    for number in range(count):
        docs.write(f"d{number:02}.md", f"# Lantern {number}\n\nIt hangs in hall {number}.\n")
    docs.sync()


def test_what_went_out_of_step_is_listed_and_what_is_gone_is_not(docs):
    filled(docs, 9)
    gone = docs.documents()["d01.md"].id
    docs.write("d00.md", b"\x7fELF" + bytes(4000))
    (docs.folder / "d01.md").unlink()
    docs.write("broken.pdf", b"%PDF-1.7 broken")
    docs.sync()
    states = {path: one.state for path, one in docs.documents().items()}
    assert (states["d00.md"], states["broken.pdf"]) == ("stale", "refused")
    assert listed(docs) == [f"d{number:02}.md" for number in range(9) if number != 1]
    with docs.world.database.read() as transaction:
        library = Library(transaction, LOCAL)
        assert [one.documents for one in library.sources] == [8]
        assert len(library.list_citations()) == 8
        numbers = {path: one.id for path, one in docs.documents().items()}
        [found] = library.find_documents([gone, numbers["broken.pdf"], numbers["d00.md"]])
        assert library.read_text(found).startswith("# Lantern 0")


def test_pages_are_cut_by_the_database_and_only_their_rows_are_read(docs):
    filled(docs, 12)
    rows = []

    def note(_connection, cursor, *_more):
        rows.append(cursor)

    with docs.world.database.read() as transaction:
        library = Library(transaction, LOCAL)
        assert library.sources
        event.listen(transaction, "after_cursor_execute", note)
        found = library.list_documents(docs.source.id, offset=5, limit=4)
        words = [one.opening for one in found]
    assert words == [f"Lantern {number}" for number in range(5, 9)]
    # One statement finds the page, one reads its rows, however many documents there are.
    assert len(rows) == 2
    assert listed(docs, offset=10) == ["d10.md", "d11.md"]
    assert listed(docs, offset=12) == []
