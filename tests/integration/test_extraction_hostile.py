"""Files that mean harm: each is refused or read in part, and the next file is read as ever."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from threading import Timer

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
    runbook,
)
from wellworn.engines.extraction import (
    Extracted,
    ExtractionSettings,
    Extractor,
    FileKind,
    Refused,
    reader_process,
)
from wellworn.engines.extraction.docx_reader import read_docx
from wellworn.errors import ExtractionUnavailable

LIMITS = ExtractionSettings(
    timeout_s=50, processor_s=20, memory_mb=384, most_pages=50, most_unpacked_bytes=50_000_000
)
GOOD = pdf_of([page_of("All is well")])
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
IMAGE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
TOP = b"<!doctype html><html><body><main><h1>Top</h1>"


def framed(content):
    return len(content).to_bytes(8, "big") + content


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(LIMITS)
    yield made
    made.close()


@pytest.fixture
def outcome(extractor):
    """Read one file, and then see that the next is read as if nothing had been."""

    def read(raw, name="file", **claims):
        made = extractor.extract(raw, name=name, **claims)
        following = extractor.extract(GOOD, name="good.pdf")
        assert following == Extracted("All is well\n", FileKind.PDF, pages=(0,))
        return made

    return read


def word(changes):
    return changed(docx_of(runbook), changes)


@pytest.mark.parametrize("make", [recursive_pdf, lambda: flate_bomb(gigabytes=1)])
def test_a_pdf_that_ends_the_reader_is_refused(outcome, make):
    harmful = "the PDF ends the program that reads it; print it to a new PDF and sync that one"
    assert outcome(make()) == Refused(harmful)


def test_a_pdf_that_ends_the_reader_but_has_text_is_read_by_the_second_reader(
    extractor, monkeypatch
):
    # PDFium gets a name that no reader has, and so ends at once.
    read = extractor._read
    monkeypatch.setattr(
        extractor, "_read", lambda name, raw: read("gone" if name == "pdf" else name, raw)
    )
    made = extractor.extract(manual(), name="manual.pdf")
    assert "Pump 37 runs at 700 bar" in made.text
    assert made.flags == ("read by the second PDF reader, without headings; the first one failed",)


def test_a_pdf_of_200_000_pages_is_read_up_to_the_limit(outcome):
    made = outcome(endless_pdf())
    assert made.text.count("One page among very many") == len(made.pages) == 50
    assert made.flags == ("the last pages were left out: 50 of 200,000 were read",)


def test_a_pdf_with_a_password_is_refused(outcome):
    assert outcome(locked(GOOD)) == Refused(
        "the PDF is protected by a password; sync a copy without one"
    )


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_pdf_cut_short_is_refused(outcome, share):
    raw = manual()
    assert outcome(raw[: int(len(raw) * share)]) == Refused(
        "the PDF cannot be read: it is damaged or cut short; save or download it again"
    )


def test_a_word_file_that_unpacks_to_very_much_is_refused(outcome):
    assert outcome(word({"word/media/picture.bin": bytes(60_000_000)})) == Refused(
        "the DOCX file unpacks to more than 50 MB; split it or take pictures out"
    )


PARAGRAPH = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
ROW = f"<w:tr><w:tc>{PARAGRAPH}</w:tc><w:tc>{PARAGRAPH}</w:tc></w:tr>"


@pytest.mark.parametrize("body", [PARAGRAPH * 150_000, f"<w:tbl>{ROW * 75_000}</w:tbl>"])
def test_a_word_file_of_very_many_paragraphs_or_cells_is_read_up_to_the_limit(body):
    xml = document_xml(f"</w:t></w:r></w:p>{body}<w:p><w:r><w:t>".encode())
    made = read_docx(word({"word/document.xml": xml}), ExtractionSettings())
    assert isinstance(made, Extracted)
    assert made.text.count("a") in range(99_998, 100_001)
    assert made.flags == ("the end was left out: limit 100,000 paragraphs and cells",)


@pytest.mark.parametrize(
    "declaration",
    [
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE d [<!ENTITY y "ha"><!ENTITY x "' + b"&y;" * 100 + b'">]>',
    ],
    ids=["external entity", "billion laughs"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_word_file_that_declares_entities_is_refused(outcome, declaration, encoding):
    xml = document_xml(b"&x;", declaration).decode().encode(encoding)
    assert outcome(word({"word/document.xml": xml})) == Refused(
        "the DOCX file declares XML entities, which Word never does; save it anew in Word"
    )


@pytest.mark.parametrize("name", ["../../evil", "/evil", "word\\..\\..\\evil"])
def test_a_word_file_with_names_outside_of_it_is_refused(outcome, name):
    assert outcome(word({name: b"evil"})) == Refused(
        "the DOCX file holds names that point outside of it; save it anew in Word"
    )


def test_a_word_file_that_links_a_picture_is_read_without_the_picture(outcome, tmp_path):
    picture = tmp_path / "plan.txt"
    picture.write_text("quagswamp")
    linked = (
        f'<Relationships xmlns="{RELATIONSHIPS}"><Relationship Id="rId9" Type="{IMAGE}"'
        f' Target="{picture.as_uri()}" TargetMode="External"/></Relationships>'
    )
    read = outcome(word({"word/_rels/document.xml.rels": linked.encode()}))
    assert isinstance(read, Extracted)
    assert "quagswamp" not in read.text


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_word_file_cut_short_is_refused(outcome, share):
    raw = docx_of(runbook)
    assert outcome(raw[: int(len(raw) * share)]) == Refused(
        "the DOCX file is damaged or cut short; save or download it again"
    )


def test_a_tag_with_200_000_attributes_is_refused_before_it_is_parsed(outcome):
    tag = b"<div " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b">"
    assert outcome(TOP + tag, "page.html") == Refused(
        "the page has a tag with more than 1,000 attributes; save it anew"
    )


def test_a_tag_that_hides_its_attributes_meets_the_time_limit():
    hasty = Extractor(LIMITS.model_copy(update={"processor_s": 1}))
    tag = b"<div " + b"".join(b"a%d='>'" % number for number in range(200_000)) + b">"
    assert hasty.extract(TOP + tag, name="page.html") == Refused(
        "reading the file took longer than 1 s; split it, or save it anew"
    )
    assert hasty.extract(GOOD, name="good.pdf").text == "All is well\n"
    hasty.close()


def test_200_000_elements_in_one_another_are_refused(outcome):
    assert outcome(TOP + b"<div>" * 200_000 + b"deep", "page.html") == Refused(
        "the page nests more than 2,000 elements; save it anew as text or PDF"
    )


def test_a_page_on_one_line_of_5_mb_is_read(outcome):
    made = outcome(TOP + b"<p>" + b"word word " * 500_000, "page.html")
    assert made.text.startswith("# Top\n\nword word ")
    assert made.flags == ("the end was left out: limit 5,000,000 characters",)


def test_a_program_named_pdf_is_refused(outcome):
    program = b"\x7fELF\x02\x01\x01" + bytes(64)
    assert outcome(program, "invoice.pdf", media_type="application/pdf") == Refused(
        "not a kind of file that can be read: application/x-executable"
    )


def test_a_pdf_that_is_a_page_as_well_is_read_as_pdf(outcome):
    both = b"<html><body><script>alert(1)</script></body></html>\n" + GOOD
    assert outcome(both, "page.html", media_type="text/html").kind is FileKind.PDF


def test_a_file_larger_than_allowed_is_refused_unread():
    small = Extractor(ExtractionSettings(most_bytes=1_000_000))
    assert small.extract(bytes(1_000_001), name="big.pdf") == Refused(
        "the file is larger than 1 MB; split it, or raise the limit"
    )


def test_the_wall_clock_ends_what_waits_without_working(outcome, extractor, monkeypatch):
    extractor.extract(GOOD, name="good.pdf")
    monkeypatch.setattr(extractor._child, "_timeout_s", 0.2)
    os.kill(extractor._child._child.pid, signal.SIGSTOP)
    # The child that reads the next file has the time that the settings give.
    assert outcome(GOOD) == Refused(
        "reading the file took longer than 20 s; split it, or save it anew"
    )


def test_a_machine_that_is_busy_for_minutes_refuses_no_file(monkeypatch):
    class MinutesPass(Timer):
        def start(self):
            if self.interval <= 300:
                self.function()

        def join(self, timeout=None):
            pass

    monkeypatch.setattr(reader_process, "Timer", MinutesPass)
    patient = Extractor(ExtractionSettings())
    assert patient.extract(GOOD, name="good.pdf").text == "All is well\n"
    patient.close()


def test_a_child_that_was_ended_between_two_files_is_replaced(extractor):
    extractor.extract(GOOD, name="good.pdf")
    child = extractor._child._child
    child.kill()
    child.wait()
    assert extractor.extract(GOOD, name="good.pdf").flags == ()


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\x00\x7f" + bytes(5),
        framed(b'{"text": "a", "kind": "html"'),
        framed(b'{"text": "a\\u0000", "kind": "html"}'),
        framed(b'{"text": "a\\rb", "kind": "html"}'),
        framed(b'{"text": "a", "kind": "html", "pages": [2]}'),
        framed(b'{"text": "a", "kind": "html", "anchors": [{"start": -1, "id": "x"}]}'),
        framed(b'{"text": "a", "kind": "exe"}'),
    ],
    ids=["too long", "cut", "NUL", "line end", "page", "anchor", "kind"],
)
def test_a_child_that_says_what_it_may_not_is_not_believed_and_replaced(
    outcome, extractor, monkeypatch, said
):
    extractor.extract(GOOD, name="good.pdf")
    child = extractor._child
    real = child._replies
    monkeypatch.setattr(child, "_replies", BytesIO(said))
    monkeypatch.setattr("wellworn.engines.extraction.reader_process._FAREWELL_S", 0)
    assert outcome(TOP, "page.html") == Refused(
        "the file could not be read: it is damaged, or needs more memory than is allowed"
    )
    assert extractor._child is not child
    real.close()


def test_a_child_that_cannot_start_is_no_fault_of_the_file(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(ExtractionUnavailable, match="did not start"):
        Extractor(LIMITS).extract(GOOD, name="good.pdf")


def test_the_child_gets_none_of_the_secrets_around_it(extractor, monkeypatch):
    monkeypatch.setenv("WELLWORN_KEY", "secret-of-the-server")
    extractor.close()
    extractor.extract(GOOD, name="good.pdf")
    environment = Path(f"/proc/{extractor._child._child.pid}/environ")
    if not environment.exists():
        pytest.skip("only Linux tells the environment of a process")
    assert b"secret-of-the-server" not in environment.read_bytes()


def in_child(program):
    """Run a program in a process that is limited as the child is."""
    setting = "from wellworn.engines.extraction.child import limit_document, limit_process\n"
    setting += "from wellworn.engines.extraction.settings import ExtractionSettings\n"
    setting += "settings = ExtractionSettings(processor_s=1)\nlimit_process(settings)\n"
    words = [sys.executable, "-c", setting + program]
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        words, check=False, capture_output=True, env={"PYTHONPATH": path}, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_while_a_file_is_read_nothing_can_be_opened_but_modules():
    program = """
import socket
def tried(what):
    try:
        what()
    except OSError as error:
        return error.strerror
    return "done"
print(tried(lambda: open("/etc/passwd")))
with limit_document(settings):
    print(tried(lambda: open("/etc/passwd")))
    print(tried(lambda: socket.socket()))
    import wave
print(tried(lambda: open("/etc/passwd")))
"""
    full = os.strerror(errno.EMFILE)
    assert in_child(program) == (0, f"done\n{full}\n{full}\ndone\n", "")


def test_the_child_can_write_no_file(tmp_path):
    code, _, complaint = in_child(f"open({str(tmp_path / 'x')!r}, 'w', buffering=1).write('a\\n')")
    assert code != 0
    assert os.strerror(errno.EFBIG) in complaint


def test_a_file_that_takes_too_much_of_the_processor_ends_the_child():
    assert in_child("with limit_document(settings):\n    while True: pass") == (
        -signal.SIGXCPU,
        "",
        "",
    )
