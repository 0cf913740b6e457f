"""What was refused is not read again while it and the rules stay as they are, and is told of."""

from __future__ import annotations

from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest

from integration.fetch_servers import answer
from integration.hostile_world import Kept, Site
from integration.sources_world import Docs, opened
from wellworn.domain.sources import Problem, SourceSettings
from wellworn.domain.sources.connectors import Listing, NotModified, SourceItem, SourceKind
from wellworn.engines.extraction import ExtractionSettings, Extractor

GUIDE = "# Guide\n\nKopia runs nightly.\n"
BROKEN = b"\x7fELF" + bytes(4000)


@pytest.fixture
def read(monkeypatch):
    """Return the names of what was read since the list was emptied last."""
    names: list[str] = []
    extract = Extractor.extract

    def noted(extractor, raw, *, name, **more):
        names.append(name)
        return extract(extractor, raw, name=name, **more)

    monkeypatch.setattr(Extractor, "extract", noted)
    return names


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    docs = Docs(world, tmp_path / "docs")
    docs.write("good.md", GUIDE)
    docs.write("bad.pdf", BROKEN)
    return docs


def told(run):
    return run.status, run.message, [(one.path, bool(one.reason)) for one in run.problems]


def test_what_was_refused_and_did_not_change_is_told_of_and_not_read(docs, read):
    first = docs.sync()
    reason = docs.documents()["bad.pdf"].reason
    read.clear()
    for _ in range(2):
        run = docs.sync()
        assert told(run) == ("partial", "1 unchanged; 1 could not be read", [("bad.pdf", True)])
        assert run.problems == first.problems
        assert docs.documents()["bad.pdf"].reason == reason
        assert docs.status().sync_status == "partial"
    assert read == []


def test_what_was_refused_is_read_again_when_it_changed(docs, read):
    docs.sync()
    read.clear()
    docs.write("bad.pdf", b"\x7fELF" + bytes(4001))
    assert told(docs.sync())[0] == "partial"
    docs.write("bad.pdf", "# Mended\n\nThe lantern hangs in the harbour.\n")
    assert told(docs.sync()) == ("success", "1 changed, 1 unchanged", [])
    assert read == ["bad.pdf", "bad.pdf"]
    assert docs.documents()["bad.pdf"].state == "current"


def test_what_was_refused_is_read_again_under_another_limit(empty, tmp_path, monkeypatch, read):
    small = ExtractionSettings(most_bytes=1_000)
    path = tmp_path / "memory.db"
    with monkeypatch.context() as patch:
        patch.setattr("integration.sources_world.ExtractionSettings", lambda: small)
        with opened(empty, path) as world:
            docs = Docs(world, tmp_path / "docs")
            docs.write("long.md", GUIDE * 100)
            assert docs.sync().status == "failed"
            read.clear()
            assert docs.sync().status == "failed"
            assert read == []
    with opened(empty, path) as later:
        docs.world = later
        assert docs.sync().status == "success"


def test_a_new_version_of_the_reader_reads_again_what_an_older_one_refused(docs, read, monkeypatch):
    docs.sync()
    read.clear()
    monkeypatch.setattr("wellworn.domain.sources.document_builder.RULES", 10_000)
    docs.sync()
    assert sorted(read) == ["bad.pdf", "good.md"]


def test_a_sync_that_is_confirmed_reads_again_what_was_refused(docs, read):
    docs.sync()
    read.clear()
    docs.sync(confirmed=True)
    assert read == ["bad.pdf"]


def test_a_refused_file_that_goes_is_gone_and_read_again_when_it_comes_back(docs, read):
    docs.sync()
    (docs.folder / "bad.pdf").rename(docs.folder.parent / "bad.pdf")
    assert told(docs.sync()) == ("success", "1 gone, 1 unchanged", [])
    (docs.folder.parent / "bad.pdf").rename(docs.folder / "bad.pdf")
    read.clear()
    assert told(docs.sync())[0] == "partial"
    assert told(docs.sync())[0] == "partial"
    assert read == ["bad.pdf"]


# ---------------------------------------------------------------- with a text from before


@pytest.fixture
def spoilt(docs):
    """Return a document whose new version cannot be read, beside one that is well."""
    docs.write("bad.pdf", "# Lantern\n\nThe lantern hangs in the harbour.\n")
    docs.sync()
    docs.write("bad.pdf", BROKEN)
    return docs


def test_a_document_that_stays_as_it_was_is_told_of_and_not_read_again(spoilt, read):
    first = spoilt.sync()
    assert told(first) == ("partial", "1 unchanged; 1 could not be read", [("bad.pdf", True)])
    assert read == ["bad.pdf"]
    before = spoilt.documents()["bad.pdf"]
    for _ in range(2):
        spoilt.world.clock.advance(60)
        run = spoilt.sync()
        assert (*told(run), run.problems) == (*told(first), first.problems)
        assert spoilt.documents()["bad.pdf"] == before
    assert before.state == "stale"
    assert read == ["bad.pdf"]
    assert spoilt.search("lantern")[0].is_stale


def test_a_document_that_is_again_what_it_was_is_current(spoilt):
    spoilt.sync()
    spoilt.write("bad.pdf", "# Lantern\n\nThe lantern hangs in the harbour.\n")
    for _ in range(2):
        assert told(spoilt.sync()) == ("success", "2 unchanged", [])
        found = spoilt.documents()["bad.pdf"]
        assert (found.state, found.reason) == ("current", None)


def test_a_document_that_stays_as_it_was_is_read_again_when_something_changes(
    spoilt, read, monkeypatch
):
    spoilt.sync()
    read.clear()
    spoilt.sync(confirmed=True)
    assert read == ["bad.pdf"]
    spoilt.write("bad.pdf", BROKEN + bytes(1))
    spoilt.sync()
    assert read == ["bad.pdf"] * 2
    monkeypatch.setattr("wellworn.domain.sources.document_builder.RULES", 10_000)
    spoilt.sync()
    spoilt.sync()
    assert sorted(read) == ["bad.pdf"] * 3 + ["good.md"]
    spoilt.write("bad.pdf", GUIDE.replace("Kopia", "Restic"))
    assert spoilt.sync().message == "1 changed, 1 unchanged"
    assert spoilt.documents()["bad.pdf"].state == "current"


def test_a_document_that_comes_back_unreadable_is_not_served(spoilt, read):
    (spoilt.folder / "bad.pdf").unlink()
    assert spoilt.sync().counts["gone"] == 1
    spoilt.embed()
    spoilt.write("bad.pdf", BROKEN)
    read.clear()
    for _ in range(2):
        assert told(spoilt.sync())[1] == "1 unchanged; 1 could not be read"
        assert [one.path for one in spoilt.search("lantern")] == ["good.md"]
    assert read == ["bad.pdf"]
    spoilt.write("bad.pdf", "# Lantern\n\nThe lantern hangs in the harbour.\n")
    assert spoilt.sync().status == "success"
    spoilt.embed()
    assert spoilt.search("lantern")[0].path == "bad.pdf"


# ---------------------------------------------------------------- for another reason


def test_what_could_not_be_read_for_a_reason_outside_of_it_is_tried_again(
    world, docs, read, monkeypatch
):
    docs.sync()
    file = docs.write("new.md", GUIDE.replace("Kopia", "Restic"))
    with monkeypatch.context() as patch:
        patch.setattr("wellworn.domain.sources.connectors.folder._open_beneath", denied)
        assert told(docs.sync())[0] == "partial"
    read.clear()
    assert docs.sync().counts["changed"] == 1
    assert read == [file.name]


def denied(*_):
    raise PermissionError


def test_what_the_quota_left_out_is_read_when_there_is_room(empty, tmp_path):
    with opened(empty, tmp_path / "m.db", settings=SourceSettings(most_documents=1)) as world:
        docs = Docs(world, tmp_path / "docs")
        docs.write("a.md", GUIDE)
        docs.write("b.md", GUIDE.replace("Kopia", "Restic"))
        for _ in range(2):
            assert docs.sync().status == "partial"
            assert docs.paths() == {"a.md"}
    with opened(empty, tmp_path / "m.db") as later:
        docs.world = later
        assert docs.sync().message == "1 changed, 1 unchanged"


class Links:
    """A kind of source with a good page and a link that is not followed, the same for ever."""

    kind = SourceKind("links")
    is_scheduled = True

    def validate_config(self, config):
        return dict(config)

    @contextmanager
    def open_snapshot(self, _config, *, secret, state):
        assert secret is None
        yield SimpleNamespace(list_items=lambda: self.listing(state), read=self.read)

    def listing(self, state):
        if state == {"seen": True}:
            return NotModified()
        problem = Problem("link.md", "a link is not followed")
        return Listing((SourceItem("good.md", "1"),), (problem,), state={"seen": True})

    def read(self, items):
        for item in items:
            yield item, GUIDE.encode()


def test_what_could_not_even_be_listed_is_told_every_time(empty, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "integration.sources_world.load_connectors", lambda _means: {"links": Links()}
    )
    with opened(empty, tmp_path / "m.db") as world:
        links = Kept(world, "links", {})
        for _ in range(2):
            run = links.sync()
            assert [one.path for one in run.problems] == ["link.md"]


def test_a_page_that_became_unreadable_stays_stale_and_is_told_while_it_does_not_change(
    world, read
):
    said = {"etag": '"v1"', "body": GUIDE.encode()}

    def conditional(asked, send):
        is_known = asked.headers.get("if-none-match") == said["etag"]
        send(answer(304) if is_known else answer(200, said["body"], etag=said["etag"]))

    with closing(Site()) as site:
        site.pages["/a"] = conditional
        page = Kept(world, "url", {"url": site.url("/a")})
        assert page.sync().status == "success"
        said |= {"etag": '"v2"', "body": BROKEN}
        read.clear()
        told = []
        for _ in range(3):
            run = page.sync()
            told.append((run.status, run.message, run.problems))
            assert [one.path for one in run.problems] == [site.url("/a")]
            assert [one.state for one in page.documents().values()] == ["stale"]
        assert told == [told[0]] * 3
        assert site.asked[-1].headers["if-none-match"] == '"v2"'
        assert len(read) == 1


def test_a_failure_of_the_site_does_not_hide_why_a_page_is_stale(world, read):
    said = {"body": GUIDE.encode(), "etag": '"v1"'}
    with closing(Site()) as site:
        site.pages["/a"] = lambda _asked, send: send(answer(200, said["body"], etag=said["etag"]))
        page = Kept(world, "url", {"url": site.url("/a")})
        page.sync()
        said |= {"etag": '"v2"', "body": BROKEN}
        reasons = [one.reason for one in page.sync().problems]
        site.pages["/a"] = lambda _asked, send: send(answer(503, b""))
        assert page.sync().problems == ()
        site.pages["/a"] = lambda _asked, send: send(answer(200, said["body"], etag=said["etag"]))
        read.clear()
        assert [one.reason for one in page.sync().problems] == reasons
        assert read == []


def test_a_page_that_was_refused_is_not_fetched_again_until_it_changes(world, read):
    said = {"etag": '"v1"', "body": BROKEN}

    def conditional(asked, send):
        is_known = asked.headers.get("if-none-match") == said["etag"]
        send(answer(304) if is_known else answer(200, said["body"], etag=said["etag"]))

    with closing(Site()) as site:
        site.pages["/a"] = conditional
        page = Kept(world, "url", {"url": site.url("/a")})
        first = page.sync()
        assert first.status == "failed"
        read.clear()
        run = page.sync()
        assert (run.status, run.message, run.problems) == ("failed", first.message, first.problems)
        assert site.asked[-1].headers["if-none-match"] == '"v1"'
        assert read == []
        said |= {"etag": '"v2"', "body": GUIDE.encode()}
        assert page.sync().message == "1 changed"
