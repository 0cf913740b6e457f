"""Reads what stands on a PDF's page beside its text: filled fields, lines through letters.

Source: PDF 32000-1, sections 12.5.6 (annotations) and 12.7 (forms); fpdf_annot.h of PDFium.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_float, c_ushort, sizeof
from typing import Any, Final, NamedTuple

import pypdfium2.raw

# Its names are made when the library is loaded.
_pdfium: Any = pypdfium2.raw
_MOST_ANNOTATIONS: Final = 1_000
_MOST_OBJECTS: Final = 20_000
_MOST_STRIKES: Final = 1_000
_MOST_UNITS: Final = 20_000
_THICKEST: Final = 2.5
_SHORTEST: Final = 3.0
_UNSEEN: Final = _pdfium.FPDF_ANNOT_FLAG_HIDDEN | _pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD: Final = 1 << 13
_TICKED: Final = frozenset({_pdfium.FPDF_FORMFIELD_CHECKBOX, _pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_CHOSEN: Final = frozenset({_pdfium.FPDF_FORMFIELD_COMBOBOX, _pdfium.FPDF_FORMFIELD_LISTBOX})


class Area(NamedTuple):
    """A rectangle of a page in points, from the lower left corner, with what is written in it."""

    left: float
    bottom: float
    right: float
    top: float
    text: str = ""


def turn_area(area: Area, turn: int) -> Area:
    """Return an area of a page that is turned clockwise about its lower left corner."""
    if not turn:
        return area
    turned = [_turn_point(x, y, turn) for x, y in ((area[0], area[1]), (area[2], area[3]))]
    (left, right), (bottom, top) = (sorted(each) for each in zip(*turned, strict=True))
    return Area(left, bottom, right, top, area.text)


def turn_height(x: float, y: float, turn: int) -> float:
    """Return how high a point of a page is that is turned clockwise."""
    return _turn_point(x, y, turn)[1]


def _turn_point(x: float, y: float, turn: int) -> tuple[float, float]:
    return {90: (y, -x), 180: (-x, -y), 270: (-y, x)}.get(turn, (x, y))


def read_fields(form: Any, page: Any) -> list[Area]:
    """Return what is filled in on a page: texts, `[x]` or `[ ]`, chosen options, text on top.

    Args:
        form: PDFium's environment of the document's form; None when it has none.
        page: PDFium's page.
    """
    return [
        area._replace(text=text)
        for note, area in _annotations(page)
        if (text := _read_field(form, note))
    ]


def read_strikes(page: Any) -> list[Area]:
    """Return the places where a line may go through letters: thin marks, and struck stretches.

    A struck stretch covers all of its letters.
    """
    struck = [
        area
        for note, area in _annotations(page)
        if _pdfium.FPDFAnnot_GetSubtype(note) == _pdfium.FPDF_ANNOT_STRIKEOUT
    ]
    thin: list[Area] = []
    left, bottom, right, top = (c_float() for _ in range(4))
    for number in range(min(_pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        drawn = _pdfium.FPDFPage_GetObject(page, number)
        if _pdfium.FPDFPageObj_GetType(drawn) != _pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if not _pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
            continue
        area = Area(left.value, bottom.value, right.value, top.value)
        if area.top - area.bottom <= _THICKEST and area.right - area.left >= _SHORTEST:
            thin.append(area)
    # So many are a drawing.
    return struck + thin if len(thin) <= _MOST_STRIKES else struck


def _annotations(page: Any) -> Iterator[tuple[Any, Area]]:
    box = _pdfium.FS_RECTF()
    for number in range(min(_pdfium.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
        note = _pdfium.FPDFPage_GetAnnot(page, number)
        if not note:
            continue
        try:
            is_seen = not _pdfium.FPDFAnnot_GetFlags(note) & _UNSEEN
            if is_seen and _pdfium.FPDFAnnot_GetRect(note, box):
                yield note, Area(box.left, box.bottom, box.right, box.top)
        finally:
            _pdfium.FPDFPage_CloseAnnot(note)


def _read_field(form: Any, note: Any) -> str:
    if _pdfium.FPDFAnnot_GetSubtype(note) == _pdfium.FPDF_ANNOT_FREETEXT:
        return _read_text(_pdfium.FPDFAnnot_GetStringValue, note, b"Contents")
    if form is None or _pdfium.FPDFAnnot_GetSubtype(note) != _pdfium.FPDF_ANNOT_WIDGET:
        return ""
    kind = _pdfium.FPDFAnnot_GetFormFieldType(form, note)
    if kind in _TICKED:
        shown = _read_text(_pdfium.FPDFAnnot_GetStringValue, note, b"AS")
        is_ticked = _pdfium.FPDFAnnot_IsChecked(form, note) or shown not in {"", "Off"}
        return "[x]" if is_ticked else "[ ]"
    if kind in _CHOSEN and (chosen := _read_chosen(form, note)):
        return chosen
    is_text = kind == _pdfium.FPDF_FORMFIELD_TEXTFIELD or kind in _CHOSEN
    if not is_text or _pdfium.FPDFAnnot_GetFormFieldFlags(form, note) & _PASSWORD:
        return ""
    return _read_text(_pdfium.FPDFAnnot_GetFormFieldValue, form, note)


def _read_chosen(form: Any, note: Any) -> str:
    count = min(max(_pdfium.FPDFAnnot_GetOptionCount(form, note), 0), _MOST_ANNOTATIONS)
    chosen = [
        _read_text(_pdfium.FPDFAnnot_GetOptionLabel, form, note, number)
        for number in range(count)
        if _pdfium.FPDFAnnot_IsOptionSelected(form, note, number)
    ]
    return ", ".join(filter(None, chosen))


def _read_text(ask: Any, *about: Any) -> str:
    """Return a text of PDFium on one line; it is asked for its length first."""
    count = ask(*about, None, 0) // sizeof(c_ushort)
    if not 1 < count <= _MOST_UNITS:
        return ""
    units = (c_ushort * count)()
    ask(*about, units, sizeof(units))
    return " ".join(bytes(units).decode("utf-16-le", errors="replace").rstrip("\x00").split())
