"""What reading a file costs beyond its parser, once the process that reads is warm.

The same real text becomes a file of each kind. The parser is timed in this process, the whole way
through `Extractor`, which passes files to a child and checks what comes back.
"""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from io import BytesIO

import docx

from benchmarks.figures import Figure, median
from benchmarks.knowledge_texts import Docs
from benchmarks.run import Run
from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor
from wellworn.engines.extraction.child import READERS

_CHARACTERS = 60_000
_SAMPLES = 30
_LINES_A_PAGE = 50
_LONGEST_LINE = 90


def measured(run: Run, docs: Docs) -> list[Figure]:
    """Return the milliseconds of each kind beyond its parser."""
    paragraphs = "\n\n".join(docs.texts.values())[:_CHARACTERS].split("\n\n")
    files = {
        "markdown": "\n\n".join(paragraphs).encode(),
        "html": _html(paragraphs),
        "pdf": _pdf(paragraphs),
        "docx": _docx(paragraphs),
    }
    with closing(Extractor(ExtractionSettings())) as extractor:
        return [_beyond(run, extractor, kind, raw) for kind, raw in files.items()]


def _beyond(run: Run, extractor: Extractor, kind: str, raw: bytes) -> Figure:
    count = run.samples(_SAMPLES)

    def whole() -> None:
        found = extractor.extract(raw, name=f"a.{'md' if kind == 'markdown' else kind}")
        if not isinstance(found, Extracted):
            raise TypeError(f"{kind}: {found.reason}")

    took = _milliseconds(whole, count)
    parser = 0.0 if kind == "markdown" else _milliseconds(_parser(kind, raw), count)
    note = f"{len(raw) / 1e3:.0f} KB; {took:.1f} ms in all, {parser:.1f} of them the parser's"
    return Figure.at_most(f"extraction of {kind} beyond its parser", took - parser, 50, "ms", note)


def _parser(kind: str, raw: bytes) -> Callable[[], object]:
    module, name = READERS[kind]
    read = getattr(import_module(module), name)
    return lambda: read(raw, ExtractionSettings())


def _milliseconds(call: Callable[[], object], count: int) -> float:
    took: list[float] = []
    for _ in range(count + 1):  # the first one warms up
        began = time.perf_counter()
        call()
        took.append(1e3 * (time.perf_counter() - began))
    return median(took[1:])


def _html(paragraphs: Sequence[str]) -> bytes:
    body = "".join(f"<p>{html.escape(one)}</p>\n" for one in paragraphs)
    return f"<!doctype html><html><title>Docs</title><body><main>{body}</main>".encode()


def _docx(paragraphs: Sequence[str]) -> bytes:
    made, out = docx.Document(), BytesIO()
    for one in paragraphs:
        made.add_paragraph("".join(letter for letter in one if letter.isprintable()))
    made.save(out)
    return out.getvalue()


def _pdf(paragraphs: Sequence[str]) -> bytes:
    """Put lines on pages in one font, and the pages together with a cross-reference table."""
    text = "\n".join(paragraphs).encode("latin-1", "replace").decode("latin-1")
    lines = [line[:_LONGEST_LINE] for line in text.splitlines() if line.strip()]
    pages = [lines[at : at + _LINES_A_PAGE] for at in range(0, len(lines), _LINES_A_PAGE)]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        fonts = "/Resources << /Font << /F1 3 0 R >> >>"
        place = f"/Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R"
        content = "\n".join(map(_shown, range(len(page)), page)).encode("latin-1")
        objects.append(f"<< /Type /Page {place} {fonts} >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _numbered(objects)


def _shown(row: int, line: str) -> str:
    safe = "".join(f"\\{letter}" if letter in "\\()" else letter for letter in line)
    return f"BT /F1 9 Tf 50 {800 - 15 * row} Td ({safe}) Tj ET"


def _numbered(objects: Sequence[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), list[int]()
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out + trailer % (len(objects) + 1, start))
