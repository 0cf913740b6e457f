"""Files without an ending, in folders and repositories: read when they are text, else counted."""

from __future__ import annotations

import os

import pytest

from integration.git_servers import SUBMODULE, SYMLINK, GitServer, Repository
from integration.sources_world import LOCAL, Docs, opened
from wellworn.domain.sources.connectors import (
    ConnectorContext,
    Listing,
    ListingFailed,
    load_connectors,
)
from wellworn.domain.sources.connectors.file_kinds import LONGEST_PLAIN
from wellworn.engines.fetch import FetchSettings, WebClient

FETCH = FetchSettings(private_networks=("127.0.0.0/8",), retry_waits_s=())
KINDS = load_connectors(ConnectorContext(WebClient(FETCH), FETCH, 1_000_000))
PROGRAM = b"\x7fELF\x02\x01\x01\x00\x00"
FILES = {
    "Dockerfile": b"FROM debian\nRUN apt install lantern\n",
    "etc/hosts": "10.0.0.7 cube # K\u00fcche\n".encode(),
    "LICENSE": b"Do what you like.\n",
    "guide.md": b"# Guide\n",
    "bin/tool": PROGRAM,
    "data": b"a" * (LONGEST_PLAIN + 1),
    "main.py": b"print()\n",
    ".netrc": b"no\n",
    ".husky/hook": b"no\n",
}
READ = {"Dockerfile", "etc/hosts", "LICENSE", "guide.md"}
TOLD = (
    "3 files were passed over: 2 without an ending, 1 .py; "
    "hidden, and passed over: .husky/ (the option hidden includes them)"
)


@pytest.fixture
def docs(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        made = Docs(world, tmp_path / "docs")
        for path, raw in FILES.items():
            made.write(path, raw)
        yield made


@pytest.fixture
def repository(tmp_path):
    server = GitServer(tmp_path)
    made = Repository(tmp_path / "docs.git")
    made.url = server.url()
    yield made
    server.close()


def listed(kind: str, config: dict[str, str]) -> Listing | ListingFailed:
    connector = KINDS[kind]
    config = connector.validate_config(config)
    with connector.open_snapshot(config, secret=None, state={}) as snapshot:
        found = snapshot.list_items()
        if isinstance(found, Listing):
            assert {item.path for item, _ in snapshot.read(found.items)} == paths(found)
        return found


def paths(found: Listing) -> set[str]:
    return {item.path for item in found.items}


def test_texts_of_a_folder_without_an_ending_are_documents(docs):
    run = docs.sync()
    assert (run.status, run.counts["new"], run.problems) == ("success", 4, ())
    assert docs.paths() == READ
    [best, *_] = docs.search("apt install lantern")
    assert best.path == "Dockerfile"
    whole = docs.world.sources.get_document(LOCAL, best.document_id).text
    assert whole[best.start : best.end] == best.text


def test_a_folder_tells_what_was_passed_over(docs):
    found = listed("folder", {"path": str(docs.folder)})
    assert (paths(found), found.skipped) == (READ, TOLD)


SAYS = "# K\u00fcche: der Sch\u00fcssel h\u00e4ngt an der T\u00fcr\nport = 8317\n"
ENCODED = {
    "latin/notes": SAYS.encode("latin-1"),
    "latin/app.ini": SAYS.encode("latin-1"),
    "wide/notes": SAYS.encode("utf-16"),
    "wide/app.conf": SAYS.encode("utf-16-be"),
}


def test_texts_in_another_encoding_are_documents(empty, tmp_path, repository):
    repository.commit(ENCODED)
    assert paths(listed("git_repo", {"repo_url": repository.url})) == set(ENCODED)
    with opened(empty, tmp_path / "memory.db") as world:
        docs = Docs(world, tmp_path / "docs")
        for path, raw in ENCODED.items():
            docs.write(path, raw)
        assert docs.sync().message == "4 new"
        for document in world.sources.list_documents(LOCAL):
            assert SAYS in world.sources.get_document(LOCAL, document.id).text
            flags = document.metadata.get("flags", ["a mark tells"])
            assert ("encoding guessed" in flags[0]) == (document.path != "wide/notes")


def test_a_pattern_is_the_only_thing_that_counts_where_there_is_one(docs):
    found = listed("folder", {"path": str(docs.folder), "include": "*.py"})
    assert (paths(found), found.skipped) == ({"main.py"}, "")


def test_links_and_pipes_without_an_ending_are_not_opened(docs, tmp_path):
    (tmp_path / "secret").write_text("The lantern is under the mat.\n")
    (docs.folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(docs.folder / "pipe")
    found = listed("folder", {"path": str(docs.folder)})
    assert paths(found) == READ
    assert found.problems == ()


def test_texts_of_a_repository_without_an_ending_are_documents(repository):
    commit = repository.commit(FILES)
    repository.commit(
        {
            **FILES,
            "link": (SYMLINK, repository.blob(b"LICENSE")),
            "vendor": (SUBMODULE, commit),
        }
    )
    found = listed("git_repo", {"repo_url": repository.url})
    others = "submodules, and not fetched: vendor (add them as sources)"
    assert (paths(found), found.skipped) == (READ, f"{TOLD}; {others}")
    assert found.problems == ()


def test_of_a_repository_only_what_is_below_the_filter_is_told(repository):
    repository.commit(FILES)
    found = listed("git_repo", {"repo_url": repository.url, "path_filter": "etc/"})
    assert (paths(found), found.skipped) == ({"etc/hosts"}, "")


def test_a_folder_without_documents_says_so_and_what_it_has(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        docs = Docs(world, tmp_path / "pictures")
        docs.write("picture.png", b"\x89PNG")
        assert docs.sync().message == "no documents; 1 file was passed over: 1 .png"
