"""Every kind of source that fetches keeps the contract of connectors, over real places."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import pytest

from contract.shelves import install_package
from integration.fetch_servers import RawServer, answer
from integration.git_servers import GitServer, Repository
from wellworn.domain.sources import connectors
from wellworn.domain.sources.connectors import (
    ConnectorContext,
    load_connectors,
    load_source_kinds,
    recognize_source,
)
from wellworn.engines.fetch import FetchSettings, WebClient
from wellworn.errors import InvalidInput
from wellworn.testing.connectors_contract import CONNECTOR_CONTRACT

FETCH = FetchSettings(private_networks=("127.0.0.0/8",), retry_waits_s=())
CONTEXT = ConnectorContext(WebClient(FETCH), FETCH, 1_000_000)
KINDS = load_connectors(CONTEXT)


@dataclass
class FolderPlace:
    root: Any
    connector: Any = field(default_factory=lambda: KINDS["folder"])

    def __post_init__(self):
        self.write("# One\n\nText.\n")
        (self.root / "other.md").write_text("# Other\n\nMore.\n")

    @property
    def config(self):
        return {"path": str(self.root)}

    def write(self, text):
        (self.root / "one.md").write_text(text)


@dataclass
class NotePlace:
    said: str = "# One\n\nText.\n"
    connector: Any = field(default_factory=lambda: KINDS["manual_note"])

    @property
    def config(self):
        return {"title": "One", "text": self.said}

    def write(self, text):
        self.said = text


class UrlPlace:
    connector = KINDS["url"]

    def __init__(self):
        self.raw = b"# One\n"
        self.server = RawServer(self._answer)
        self.config = {"url": self.server.url("/one.md")}

    def _answer(self, asked, send):
        tag = f'"{hashlib.sha256(self.raw).hexdigest()[:8]}"'
        if asked.headers.get("if-none-match") == tag:
            send(answer(304, etag=tag))
        else:
            send(answer(200, self.raw, content_type="text/markdown", etag=tag))

    def write(self, text):
        self.raw = text.encode()


class GitPlace:
    connector = KINDS["git_repo"]

    def __init__(self, folder):
        self.server = GitServer(folder)
        self.repository = Repository(folder / "docs.git")
        self.config = {"repo_url": self.server.url(), "branch": "main"}
        self.write("# One\n")

    def write(self, text):
        self.repository.commit({"one.md": text.encode(), "other.md": b"# Other\n"})


class ShelfPlace:
    """A kind that another package brings."""

    def __init__(self, folder):
        self.root = folder
        self.config = {"shelf": str(folder)}
        self.write("One.")

    @property
    def connector(self):
        return load_connectors(CONTEXT)["shelf"]

    def write(self, text):
        (self.root / "one.txt").write_text(text)


@pytest.fixture
def shelves(tmp_path, monkeypatch):
    monkeypatch.setattr(connectors, "_load_others", connectors._load_others.__wrapped__)
    monkeypatch.syspath_prepend(install_package(tmp_path / "packages"))
    return tmp_path


@pytest.fixture(params=["folder", "manual_note", "url", "git_repo", "shelf"])
def place(request, tmp_path, shelves):
    made = {
        "folder": lambda: FolderPlace(tmp_path),
        "manual_note": NotePlace,
        "url": UrlPlace,
        "git_repo": lambda: GitPlace(tmp_path),
        "shelf": lambda: ShelfPlace(tmp_path),
    }[request.param]()
    yield made
    if hasattr(made, "server"):
        made.server.close()


@pytest.mark.parametrize("check", CONNECTOR_CONTRACT)
def test_it_keeps_the_contract(check, place):
    check(place)


def test_every_module_with_a_connector_is_a_kind():
    assert {"folder", "git_repo", "manual_note", "upload", "url"} <= set(KINDS)


def test_every_connector_takes_the_fields_that_its_kind_names():
    assert set(load_source_kinds()) == set(KINDS)
    for name, kind in load_source_kinds().items():
        with pytest.raises(InvalidInput) as refused:
            KINDS[name].validate_config({"nobody knows this": ""})
        assert refused.value.message.endswith(f"this kind takes {', '.join(kind.fields)}")


def test_another_package_adds_a_kind_by_an_entry_point(shelves):
    kinds = load_source_kinds()
    assert list(kinds)[-1] == "shelf"
    kind, recognition = recognize_source("shelf:books", ())
    assert (kind.name, recognition.location) == ("shelf", "books")


def test_what_cannot_be_imported_is_reported_and_takes_no_other_kind_along(shelves, caplog):
    install_package(shelves / "packages", name="broken", module="no_such_module_of_a_test")
    assert "shelf" in load_source_kinds()
    assert "'broken' of no_such_module_of_a_test is not there" in caplog.text


def test_no_package_takes_the_place_of_a_kind_that_ships(shelves):
    text = "from shelf_of_a_test import *\nfrom shelf_of_a_test import SourceKind\n"
    text += 'KIND = SourceKind("folder")\n'
    (shelves / "packages" / "thief_of_a_test.py").write_text(text)
    install_package(shelves / "packages", name="thief", module="thief_of_a_test")
    assert load_source_kinds()["folder"].location == "path"
    assert type(load_connectors(CONTEXT)["folder"]).__name__ == "Folder"
