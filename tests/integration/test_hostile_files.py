"""Files that mean harm, synced and sent: each costs itself alone, and says why."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from integration.files_to_read import (
    changed,
    document_xml,
    docx_of,
    endless_pdf,
    flate_bomb,
    locked,
    manual,
    page_of,
    pdf_of,
    recursive_pdf,
    scanned,
)
from integration.hostile_world import BETTER, GOOD, Kept, said_well, told_well
from integration.sources_world import LOCAL, Docs, opened
from patience import LONG_S
from wellworn.domain.sources.connectors import folder
from wellworn.engines.extraction import ExtractionSettings

LIMITS = ExtractionSettings(
    timeout_s=LONG_S, processor_s=2, memory_mb=512, most_pages=50, most_unpacked_bytes=20_000_000
)
TOP = b"<!doctype html><html><body><main><h1>Top</h1>"
NEXT = "# Next\n\nThe lantern hangs in the harbour.\n"


@cache
def bomb_of_blanks():
    return flate_bomb(gigabytes=1)


def word(said, changes=None):
    return changed(docx_of(lambda document: document.add_paragraph(said)), changes or {})


def html(said):
    return TOP + f"<p>{said}</p></main></body></html>".encode()


def pdf(said):
    return pdf_of([page_of(said)])


def markdown(said):
    return f"# Backups\n\n{said}\n".encode()


MAKES = {"pdf": pdf, "docx": word, "html": html, "md": markdown, "txt": markdown}

PASSWD = b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
LAUGHS = b'<!DOCTYPE d [<!ENTITY y "ha"><!ENTITY x "' + b"&y;" * 100 + b'">]>'
MANY = b" ".join(b"a%d=1" % number for number in range(200_000))

HARM = {
    # 22
    # A slow machine meets the limit of processor time before the depth that ends the program.
    "a drawing that draws itself": (
        "pdf",
        recursive_pdf,
        "ends the program that reads it|took longer than 2 s",
    ),
    "a bomb of blanks": ("pdf", bomb_of_blanks, "ends the program that reads it"),
    "a password": ("pdf", lambda: locked(pdf(GOOD)), "protected by a password; sync a copy"),
    "pictures only": ("pdf", scanned, "no text layer|pictures|images|scan"),
    "cut short": ("pdf", lambda: manual()[:900], "damaged or cut short; save or download it"),
    # 23
    "a packed bomb": (
        "docx",
        lambda: word(GOOD, {"word/media/x.bin": bytes(30_000_000)}),
        "unpacks to more than 20 MB; split it",
    ),
    "an outer entity": (
        "docx",
        lambda: word(GOOD, {"word/document.xml": document_xml(b"&x;", PASSWD)}),
        "declares XML entities, which Word never does; save it anew",
    ),
    "a billion laughs": (
        "docx",
        lambda: word(GOOD, {"word/document.xml": document_xml(b"&x;", LAUGHS)}),
        "declares XML entities",
    ),
    "names outside": (
        "docx",
        lambda: word(GOOD, {"../../evil": b"x"}),
        "names that point outside of it; save it anew",
    ),
    # 24
    "200,000 attributes": (
        "html",
        lambda: TOP + b"<div " + MANY + b">",
        "a tag with more than 1,000 attributes; save it anew",
    ),
    "attributes in hiding": (
        "html",
        lambda: TOP + b"<div " + b"".join(b"a%d='>'" % n for n in range(200_000)) + b">",
        "took longer than 2 s; split it, or save it anew",
    ),
    "200,000 elements in one another": (
        "html",
        lambda: TOP + b"<div>" * 200_000 + b"deep",
        "nests more than 2,000 elements",
    ),
    # 26
    "a program": ("pdf", lambda: b"\x7fELF" + bytes(4000), "not a kind of file that can be read"),
    "a program called a note": (
        "md",
        lambda: b"MZ" + bytes(range(256)) * 20,
        "not a kind of file that can be read",
    ),
    "a packed archive": (
        "txt",
        lambda: b"\x1f\x8b\x08" + bytes(range(256)) * 9,
        r"a packed file \(gzip\); save what it holds as Markdown",
    ),
}


@pytest.fixture
def world(empty, tmp_path, monkeypatch):
    monkeypatch.setattr("integration.sources_world.ExtractionSettings", lambda: LIMITS)
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    return Docs(world, tmp_path / "docs")


def spans_hold(world, found):
    """See that every passage is just what stands at its place."""
    assert found
    for one in found:
        text = world.sources.get_document(LOCAL, one.document_id).text
        assert text[one.start : one.end] == one.text
    return True


@pytest.mark.parametrize("harm", HARM)
def test_a_harmful_file_of_a_folder_costs_itself_alone_and_the_last_good_one_stays(docs, harm):
    kind, make, said = HARM[harm]
    name, good = f"guide.{kind}", MAKES[kind]
    docs.write(name, good(GOOD))
    docs.write("steady.md", "# Steady\n\nNothing ever happens to this one.\n")
    assert docs.sync().message == "2 new"
    docs.write(name, make())
    docs.write("new.md", NEXT)
    run = docs.sync()
    assert (run.status, run.message) == ("partial", "1 new, 1 unchanged; 1 could not be read")
    [problem] = run.problems
    assert problem.path == name
    said_well(problem.reason, said)
    assert docs.status().sync_error.startswith(run.message)
    found = docs.documents()
    assert {path: one.state for path, one in found.items()} == {
        name: "stale",
        "new.md": "current",
        "steady.md": "current",
    }
    assert found[name].reason == problem.reason
    assert any(GOOD in one.text and one.is_stale for one in docs.search(GOOD))
    assert any("lantern hangs" in one.text for one in docs.search("lantern harbour"))
    assert "root:" not in str(docs.search("root passwd"))
    docs.write(name, good(BETTER))
    run = docs.sync()
    assert (run.status, run.message) == ("success", "1 changed, 2 unchanged")
    assert spans_hold(docs.world, docs.search(BETTER))
    assert any(BETTER in one.text for one in docs.search(BETTER))
    assert docs.documents()[name].state == "current"


@pytest.mark.parametrize("harm", HARM)
def test_a_harmful_file_that_is_sent_is_refused_and_the_next_is_taken(world, harm):
    kind, make, said = HARM[harm]
    files = Kept(world, "upload", {}, name="files")

    def send(path, raw):
        run, _ = world.sources.upload(LOCAL, files.source.id, path, raw, media_type=None)
        return run

    assert send(f"guide.{kind}", MAKES[kind](GOOD)).message == "1 new"
    run = send(f"guide.{kind}", make())
    assert run.status == "failed"
    told_well(run, said)
    assert files.documents()[f"guide.{kind}"].state == "stale"
    assert files.says(GOOD)
    assert send("next.md", NEXT.encode()).message == "1 new"
    assert send(f"guide.{kind}", MAKES[kind](BETTER)).message == "1 changed"
    assert files.status().sync_status == "success"
    assert files.says(BETTER)
    assert {one.state for one in files.documents().values()} == {"current"}


# 22
def test_a_pdf_of_200_000_pages_is_read_up_to_the_limit_and_says_so(docs):
    docs.write("endless.pdf", endless_pdf())
    docs.write("new.md", NEXT)
    assert docs.sync().status == "success"
    about = docs.documents()["endless.pdf"].metadata
    assert about["pages"] == 50
    assert about["flags"] == ["the last pages were left out: 50 of 200,000 were read"]


# 24
def test_a_page_of_one_line_of_5_mb_is_synced_with_exact_spans(docs):
    words = " ".join(f"word{number}" for number in range(30_000))
    docs.write("line.html", TOP + f"<p>{words} {GOOD}</p>".encode())
    docs.write("line.md", f"{words} {GOOD}\n")
    docs.write("new.md", NEXT)
    assert docs.sync().message == "3 new"
    assert spans_hold(docs.world, docs.search(GOOD))
    assert any(GOOD in one.text for one in docs.search(GOOD))


# 25
TEXTS = {
    "nul.md": (f"# A\x00B\n\n{GOOD}\n".encode(), GOOD, False),
    "cr.md": (f"# A\r\r{GOOD}\r".encode(), GOOD, False),
    "mixed.md": (f"# A\r\n\r{GOOD}\n\r\nMore.\r".encode(), GOOD, False),
    "utf16.md": (f"# Größe\n\n{GOOD} Größe.\n".encode("utf-16"), "Größe", False),
    "utf16-le.txt": (f"\ufeff# Größe\n\n{GOOD}\n".encode("utf-16-le"), "Größe", False),
    "bom.md": (f"\ufeff# Größe\n\n{GOOD}\n".encode(), "Größe", False),
    "cp1252.md": ("# Caf\xe9\n\nThe na\xefve caf\xe9 \x96 open.\n".encode("latin-1"), "café", True),
    "cp932.md": (("# 港\n\n" + "灯台は港に立っている。" * 30).encode("cp932"), "灯台", True),
    "lines.md": ("# A\n\nOne\u2028two\x85three\x0bfour\x0cfive.\n".encode(), "five", False),
    "emoji.md": ("# 👩‍👩‍👧 A\n\nFamily 👩‍👩‍👧 of 🏳️‍🌈 flags.\n".encode(), "flags", False),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_in_any_writing_is_read_or_flagged_and_its_spans_are_exact(docs, name):
    raw, said, is_guessed = TEXTS[name]
    docs.write(name, raw)
    docs.write("next.md", NEXT)
    assert docs.sync().message == "2 new"
    found = docs.documents()[name]
    assert bool(found.metadata.get("flags")) is is_guessed
    text = docs.world.sources.get_document(LOCAL, found.id).text
    assert said in text
    assert "\x00" not in text
    assert "\r" not in text
    assert spans_hold(docs.world, docs.search(said))
    assert docs.sync().message == "2 unchanged"


# 25
def test_names_in_two_unicode_forms_are_two_files_that_can_each_change(docs):
    docs.write("caf\u00e9.md", "# One\n\nFirst lantern.\n")
    docs.write("cafe\u0301.md", "# Two\n\nSecond lantern.\n")
    docs.sync()
    docs.write("cafe\u0301.md", f"# Two\n\n{BETTER}\n")
    assert docs.sync().message == "1 changed, 1 unchanged"
    [best, *_] = docs.search(BETTER)
    assert best.path == "cafe\u0301.md"


# 18, 25
@pytest.mark.parametrize("name", [b"lat\xe9.md", b"new\nline.md", b"\x1b[2J.md"])
def test_a_file_whose_name_cannot_be_shown_is_named_safely_and_stops_nothing(docs, name):
    Path(os.fsdecode(os.fsencode(docs.folder) + b"/" + name)).write_bytes(markdown(GOOD))
    docs.write("next.md", NEXT)
    run = docs.sync()
    shown = [one.path for one in run.problems] + list(docs.documents())
    assert len(shown) == 2
    assert all(path.isprintable() for path in shown)
    assert docs.sync().status == run.status
    assert any(GOOD in one.text for one in docs.search(GOOD)) is (run.status == "success")


# 26
def test_a_pdf_is_read_as_one_whatever_it_is_called(docs):
    docs.write("notes.txt", pdf(GOOD))
    both = b"<html><body><script>alert(1)</script></body></html>\n" + pdf(BETTER)
    docs.write("page.html", both)
    assert docs.sync().message == "2 new"
    assert {one.metadata["kind"] for one in docs.documents().values()} == {"pdf"}
    assert "alert" not in str(docs.search("alert script"))


# 22, 24: many in a row
def test_all_harmful_files_at_once_cost_themselves_alone(docs):
    docs.write("a.md", markdown(GOOD))
    docs.write("zz.pdf", pdf(BETTER))
    for number, (kind, make, _) in enumerate(HARM.values()):
        docs.write(f"harm{number}.{kind}", make())
    run = docs.sync()
    assert run.status == "partial"
    assert run.message == f"2 new; {len(HARM)} could not be read"
    assert docs.paths() == {"a.md", "zz.pdf"}
    assert len({one.path for one in run.problems}) == len(HARM)


# 20
def test_a_folder_that_can_be_listed_in_part_only_removes_nothing(docs, monkeypatch):
    for name in ("top.md", "inner/one.md", "inner/two.md", "other/three.md"):
        docs.write(name, f"# {name}\n\n{GOOD} Here it is {name}.\n")
    assert docs.sync().message == "4 new"
    scan = os.scandir

    def refusing(place):
        if str(place).endswith("inner"):
            raise PermissionError(13, "Permission denied", str(place))
        return scan(place)

    (docs.folder / "other/three.md").unlink()
    docs.write("top.md", f"# Top\n\n{BETTER}\n")
    with monkeypatch.context() as patch:
        patch.setattr("os.scandir", refusing)
        run = docs.sync()
    assert run.status == "partial"
    [problem] = run.problems
    said_well(problem.reason, "this folder cannot be listed; check its permissions")
    assert problem.path == "inner"
    assert docs.paths() == {"top.md", "inner/one.md", "inner/two.md", "other/three.md"}
    assert any(BETTER in one.text for one in docs.search(BETTER))
    assert docs.sync().message == "1 gone, 3 unchanged"


def test_a_folder_of_more_files_than_anybody_looks_at_removes_nothing(docs, monkeypatch):
    for name in ("a.md", "inner/b.md", "z.md"):
        docs.write(name, f"# {name}\n\n{GOOD} Here it is {name}.\n")
    assert docs.sync().message == "3 new"
    for number in range(20):
        (docs.folder / f"empty{number}").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(folder, "_MOST_FILES", 10)
        run = docs.sync()
    assert run.status == "partial"
    [problem] = run.problems
    said_well(problem.reason, "of more than 10 files and folders the rest is not looked at")
    assert docs.paths() == {"a.md", "inner/b.md", "z.md"}
    assert docs.sync().message == "3 unchanged"


# 13, of folders
def test_a_folder_that_becomes_a_link_after_it_was_listed_is_not_followed(docs, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.md").write_text("# Outside\n\nThe door code is plum on walnut.\n")
    docs.write("inner/one.md", markdown(GOOD))
    connector = docs.world.kinds["folder"]
    with connector.open_snapshot(docs.source.config, secret=None, state={}) as snapshot:
        [item] = snapshot.list_items().items
        (docs.folder / "inner/one.md").unlink()
        (docs.folder / "inner").rmdir()
        (docs.folder / "inner").symlink_to(outside, target_is_directory=True)
        [(_, raw)] = snapshot.read([item])
    assert b"plum on walnut" not in (raw if isinstance(raw, bytes) else b"")


# 13, of folders
def test_special_files_of_a_folder_are_named_and_never_opened(docs):
    docs.write("good.md", markdown(GOOD))
    os.mkfifo(docs.folder / "pipe.md")
    (docs.folder / "zero.md").symlink_to("/dev/zero")
    run = docs.sync()
    assert run.message == "1 new; 2 could not be read"
    assert {one.reason for one in run.problems} == {"a link or special file is not followed"}
