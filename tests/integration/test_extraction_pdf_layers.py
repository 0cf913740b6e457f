"""PDFs with layers: what is hidden when the file is opened is not read."""

from __future__ import annotations

import pytest

from integration.files_to_read import pdf, stream
from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor

_FONTS = b"/Font<</F1 4 0 R>>"


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def line(height, text):
    return b"BT /F1 12 Tf 72 %d Td (%s) Tj ET\n" % (height, text)


def layered(extractor, content, *, at_first=b"/OFF[8 0 R]", named=b"8 0 R", resources=b""):
    """Read a page with two layers, Draft (8) and Final (10), and a drawing (9) in one of them."""
    layers = b"/OCProperties<</OCGs[8 0 R 10 0 R]/D<<%s>>>>" % at_first
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 6 0 R%s>>" % resources
    names = b"%s/Properties<</MC0 %s>>/XObject<</X0 9 0 R>>" % (_FONTS, named)
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/OC %s/Resources<<%s>>" % (named, _FONTS)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%s>>" % layers,
        2: b"<</Type/Pages/Kids[5 0 R]/Count 1/Resources<<%s>>>>" % names,
        3: b"<<>>",
        4: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        5: page,
        6: stream(content),
        7: b"null",
        8: b"<</Type/OCG/Name(Draft)>>",
        9: stream(line(700, b"The older rate is 98 percent."), form),
        10: b"<</Type/OCG/Name(Final)>>",
    }
    made = extractor.extract(pdf(objects), name="rates.pdf")
    assert isinstance(made, Extracted)
    return made.text


_CONTENT = (
    line(760, b"The rate is 12 percent.")
    + b"/OC /MC0 BDC\n/Span <</MCID 0>> BDC\n"
    + line(730, b"The old rate is 99 percent.")
    + b"BT /F1 12 Tf 14 TL 72 715 Td (First) ' (Second) Tj ET\nEMC\nEMC\n/X0 Do\n"
    + line(670, b"Ask the office for more.")
)


@pytest.mark.parametrize(
    ("at_first", "named"),
    [
        (b"/OFF[8 0 R]", b"8 0 R"),
        (b"/BaseState/OFF/ON[10 0 R]", b"8 0 R"),
        (b"/OFF[8 0 R]", b"<</Type/OCMD/OCGs 8 0 R>>"),
        (b"/OFF[8 0 R]", b"<</Type/OCMD/OCGs[8 0 R 10 0 R]/P/AllOn>>"),
        (b"/OFF[8 0 R 10 0 R]", b"<</Type/OCMD/OCGs[8 0 R 10 0 R]>>"),
    ],
)
def test_what_a_layer_hides_is_not_read(extractor, at_first, named):
    text = layered(extractor, _CONTENT, at_first=at_first, named=named)
    assert "12 percent" in text
    assert "Ask the office" in text
    assert not any(word in text for word in ("99", "98", "First", "Second"))


@pytest.mark.parametrize(
    ("at_first", "named"),
    [
        (b"/ON[8 0 R]", b"8 0 R"),
        (b"/OFF[10 0 R]", b"8 0 R"),
        (b"/BaseState/OFF/ON[8 0 R]", b"8 0 R"),
        (b"/OFF[8 0 R]", b"<</Type/OCMD/OCGs[8 0 R 10 0 R]>>"),
        (b"/OFF[8 0 R]", b"<</Type/OCMD/OCGs 8 0 R/VE[/Not 8 0 R]>>"),
        (b"/OFF 3", b"8 0 R"),
    ],
)
def test_what_a_layer_shows_is_read(extractor, at_first, named):
    text = layered(extractor, _CONTENT, at_first=at_first, named=named)
    assert all(each in text for each in ("12 percent", "99 percent", "98 percent", "Second"))


def test_a_page_with_very_much_drawing_is_read_whole(extractor):
    lines = b"10.5 20.25 m 30.1 40.2 l n\n" * 160_000
    text = layered(extractor, _CONTENT + lines)
    assert "12 percent" in text
    assert "99 percent" in text
