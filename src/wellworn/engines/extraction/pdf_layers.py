"""PDFs with layers that are off when the file is opened: what these show is taken out of it.

PDFium draws a page by its layers, but reads the text of all. So pypdf, which is slow, writes a copy
of a file that has such a layer, and of no other.

Source: PDF 32000-1, section 8.11 (optional content).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Set
from io import BytesIO
from typing import Any, Final

import pypdf
from pypdf.errors import PyPdfError
from pypdf.generic import IndirectObject

_LAYERS: Final = b"/OCProperties"
_LARGEST_BYTES: Final = 10_000_000
_MOST_DRAWN_BYTES: Final = 4_000_000
"""What pypdf reads in about four seconds of a processor, of the twenty that a file has."""
_SHOWING: Final = frozenset({b"Tj", b"TJ", b"Do"})
_SHOWING_ON_THE_NEXT_LINE: Final = frozenset({b"'", b'"'})
_MOST_PARENTS: Final = 50


def remove_hidden_layers(raw: bytes) -> bytes:
    """Return a PDF without what its layers hide when it is opened; itself where nothing is hidden.

    A file that pypdf cannot read stays as it is, and so do pages behind four megabytes of drawing.
    """
    if _LAYERS not in raw or len(raw) > _LARGEST_BYTES:
        return raw
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        if not _list_hidden(pypdf.PdfReader(BytesIO(raw)).root_object):
            return raw
        writer = pypdf.PdfWriter(clone_from=BytesIO(raw))
        hidden = _list_hidden(writer.root_object)
        left = _MOST_DRAWN_BYTES
        for page in writer.pages:
            left -= _hide(page, hidden, left)
        copy = BytesIO()
        writer.write(copy)
    except (PyPdfError, ValueError, LookupError, TypeError, AttributeError, RuntimeError):
        return raw
    return copy.getvalue()


def _list_hidden(root: Any) -> Set[int]:
    """Return the numbers of the layers that are off at first."""
    layers = root.get(_LAYERS.decode(), {}).get_object()
    at_first = layers.get("/D", {}).get_object()
    off = _list_numbers(at_first.get("/OFF"))
    if at_first.get("/BaseState") == "/OFF":
        off |= _list_numbers(layers.get("/OCGs")) - _list_numbers(at_first.get("/ON"))
    return off


def _list_numbers(layers: Any) -> set[int]:
    listed: Any = layers.get_object() if layers is not None else []
    return {each.idnum for each in listed if isinstance(each, IndirectObject)}


def _hide(page: Any, hidden: Set[int], most: int) -> int:
    """Take out of a page what stands in hidden layers; return how many bytes were looked at."""
    resources = _find_resources(page)
    properties = set(_find_hidden(resources, "/Properties", hidden))
    drawings = set(_find_hidden(resources, "/XObject", hidden))
    contents = page.get_contents() if properties or drawings else None
    size = len(contents.get_data()) if contents is not None else 0
    if contents is None or size > most:
        return 0
    kept: list[tuple[Any, bytes]] = []
    marks: list[bool] = []
    for operands, operator in contents.operations:
        if operator in {b"BMC", b"BDC"}:
            is_layer = operator == b"BDC" and operands[0] == "/OC" and operands[1] in properties
            marks.append(is_layer or any(marks[-1:]))
        elif operator == b"EMC" and marks:
            marks.pop()
        is_hidden = any(marks[-1:]) or (operator == b"Do" and operands[0] in drawings)
        if is_hidden and operator in _SHOWING_ON_THE_NEXT_LINE:
            kept.append(([], b"T*"))
        elif not (is_hidden and operator in _SHOWING):
            kept.append((operands, operator))
    contents.operations = kept
    page.replace_contents(contents)
    return size


def _find_resources(page: Any) -> Any:
    """Return what a page, or the closest node above it, names for its content."""
    node = page
    for _ in range(_MOST_PARENTS):
        if "/Resources" in node or "/Parent" not in node:
            break
        node = node["/Parent"]
    return node.get("/Resources", {}).get_object()


def _find_hidden(resources: Any, kind: str, hidden: Set[int]) -> Iterator[str]:
    """Yield the names of layers, or of drawings in one, that are hidden."""
    named = resources.get(kind)
    entries: Any = named.get_object() if named is not None else {}
    for name in entries:
        layer: Any = entries.raw_get(name)
        if kind == "/XObject":
            drawing = layer.get_object()
            layer = drawing.raw_get("/OC") if "/OC" in drawing else None
        if layer is not None and _is_hidden(layer, hidden):
            yield name


def _is_hidden(layer: Any, hidden: Set[int]) -> bool:
    """Tell whether a layer, or all of a group of them, is off; a group by a formula never is."""
    if getattr(layer, "idnum", None) in hidden:
        return True
    group = layer.get_object()
    if group.get("/Type") != "/OCMD" or "/VE" in group or "/OCGs" not in group:
        return False
    members = group.raw_get("/OCGs")
    several: Any = members.get_object()
    if isinstance(several, dict):
        return members.idnum in hidden
    off = [each.idnum in hidden for each in several]
    return bool(off) and (any(off) if group.get("/P") == "/AllOn" else all(off))
