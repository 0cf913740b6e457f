"""Text in any encoding and with any line ends: decoded or flagged, and then in one form."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor, FileKind
from wellworn.engines.extraction.canonical import canonical, markdown_title
from wellworn.engines.extraction.separated import format_separated
from wellworn.kit.charset import decode, find_html_charset

EXTRACTOR = Extractor(ExtractionSettings(most_characters=2000))
JAPANESE = "データベースの接続数は百までです。再起動の前に担当者へ連絡してください。" * 4
GERMAN = "Die Pumpe läuft über das Wochenende, prüfen Sie täglich den Druck. " * 5


def read(raw, name="notes.md", **claims):
    made = EXTRACTOR.extract(raw, name=name, **claims)
    assert isinstance(made, Extracted)
    return made


def test_markdown_is_kept_as_it_was_written():
    text = "---\ntitle: Pumps\n---\n\n#  Pumps \n\n| a |\n\ttab and trailing blanks  \n\n\n\nend"
    assert read(text.encode()) == Extracted(text, FileKind.MARKDOWN, "Pumps")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\r\nb\rc\nd\r\n\re", "a\nb\nc\nd\n\ne"),
        (b"a\x00b", "a\ufffdb"),
        (b"\xef\xbb\xbf# a", "# a"),
        ("# größer".encode("utf-16"), "# größer"),
        ("# größer".encode("utf-16-be"), "# größer"),
        (b"\xff\xfe\x00\x00" + "größer".encode("utf-32-le"), "größer"),
        (unicodedata.normalize("NFD", "größer").encode(), unicodedata.normalize("NFD", "größer")),
        (b"", ""),
    ],
    ids=["line ends", "NUL", "BOM", "UTF-16", "UTF-16 without BOM", "UTF-32", "NFD", "empty"],
)
def test_every_form_of_text_becomes_the_one_form(raw, text):
    assert read(raw).text == text


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "flags"),
    [
        (JAPANESE, "cp932", "Shift_JIS", ()),
        (JAPANESE, "cp932", None, ("encoding guessed: cp932",)),
        (GERMAN, "cp1252", "ISO-8859-1", ()),
        ("“größer”", "cp1252", "iso-8859-1", ()),
        ("größer", "cp1252", None, ("encoding guessed: cp1252",)),
        ("größer", "cp1252", "utf-8", ("encoding guessed: cp1252",)),
        ("größer", "utf-8", "cp1252", ()),
        ("größer", "cp1252", "no-such-charset", ("encoding guessed: cp1252",)),
    ],
)
def test_what_is_declared_is_believed_unless_the_bytes_say_otherwise(
    text, encoding, declared, flags
):
    made = read(text.encode(encoding), charset=declared)
    assert (made.text, made.flags) == (text, flags)


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("镕基楼的值班电话是分机7744。", "gbk", "gb2312"),
        ("𠀀 7744", "gb18030", "gbk"),
        ("①髙橋さんの内線は7744", "cp932", "Shift_JIS"),
        ("①髙橋さんの内線は7744", "cp932", "x-sjis"),
        ("펲시콜라 똠방각하 7744", "cp949", "ks_c_5601-1987"),
        ("ปั๊ม “17”", "cp874", "tis-620"),
        ("Şifre “değişti” 7744", "cp1254", "iso-8859-9"),
        ("“größer” – 80 €", "cp1252", "latin1"),
        ("“größer” – 80 €", "cp1252", "us-ascii"),
        ("泵房電話7744", "big5", "big5"),
        ("鍵は机の上", "iso2022_jp", "iso-2022-jp"),
        ("naïve – “x”", "mac_roman", "macintosh"),
    ],
)
def test_a_label_is_read_as_widely_as_browsers_read_it(text, encoding, declared):
    assert decode(text.encode(encoding), declared=[declared]).text == text


def test_what_the_page_says_comes_after_what_its_server_says():
    raw = "Насос".encode("cp1251")
    assert decode(raw, declared=["utf-8", "windows-1251"]).text == "Насос"
    assert decode(raw, declared=["windows-1251", "koi8-r"]).text == "Насос"
    assert decode(raw, declared=[None, "windows-1251"]).text == "Насос"


@pytest.mark.parametrize("declared", [None, "iso-8859-1", "utf-8"])
def test_one_byte_of_another_encoding_condemns_no_text(declared):
    text = "# Réseau deux\n\nLe débit à l'entrée est élevé, par Andr"
    made = decode(text.encode() + b"\xe9.", declared=[declared])
    assert made.text == text + "\ufffd."
    assert made.flags == ("some bytes are not utf-8 and were replaced",)


def test_one_broken_byte_in_a_declared_encoding_is_replaced_alone():
    text = "十七号泵在地下室。钥匙在玛丽那里。"
    made = decode(text.encode("gbk") + b" \xff.", declared=["gb2312"])
    assert made.text == text + " \ufffd."
    assert made.flags == ("some bytes are not gb18030 and were replaced",)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Насос номер 17 стоит в подвале. Ключ у Марины Орловой.", "cp1251"),
        ("Насос номер 17 стоит в подвале. Ключ у Марины Орловой.", "koi8-r"),
        ("Насос номер 17 стоит в подвале. Ключ у Марины Орловой.", "cp866"),
        ("Ключ: Марина", "cp1251"),
        ("Η αντλία 17 βρίσκεται στο υπόγειο. Το κλειδί το έχει η Μαρία.", "cp1253"),
        ("המשאבה 17 נמצאת במרתף. המפתח אצל מרים.", "cp1255"),
        ("المضخة رقم 17 في القبو. المفتاح مع مريم.", "cp1256"),
        ("Čerpadlo číslo 17 stojí ve sklepě. Klíč má Marie Dvořáková.", "cp1250"),
        ("Pompa numer 17 stoi w piwnicy. Klucz ma Małgorzata Żółć.", "cp1250"),
        ("Pompa 17 bodrumda duruyor. Anahtar Ayşe Yıldız'da, şifre değişti.", "cp1254"),
        ("十七号泵在地下室。钥匙在玛丽那里。", "gbk"),
        ("十七號泵在地下室。鑰匙在瑪麗那裡。", "big5"),
        ("鍵は机の上", "cp932"),
        ("十七番ポンプは地下室にあります。", "euc_jp"),
        ("17번 펌프는 지하실에 있습니다.", "cp949"),
        ("Die Pumpe 17 steht im Keller. Den Schlüssel hat Frau Müller.", "cp1252"),
        ("Å, ä och ö är bokstäver", "cp1252"),
        ("naïve café", "cp1252"),
        ("½ cup", "cp1252"),
        ("Price: 5 € – “quoted” text’s", "cp1252"),
    ],
)
def test_a_short_text_is_guessed_and_says_so(text, encoding):
    made = decode(text.encode(encoding))
    assert made.text == text
    assert made.flags[0].startswith("encoding guessed: ")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "Насос номер 17 стоит в подвале.\n",
        "十七号泵在地下室。\n钥匙在玛丽那里。\n",
        "größer als 5 €\n",
        "שלום עולם\n",
    ],
)
def test_utf_16_without_a_mark_is_found_in_every_script(text, encoding):
    assert read(text.encode(encoding)).text == text


@pytest.mark.parametrize("name", ["idna", "punycode", "unicode_escape", "utf-7", "rot13", "zlib"])
def test_codecs_that_are_no_charset_of_documents_are_not_used(name):
    made = decode(b"\\u0041 +AEE- gr\xf6\xdfer", declared=[name])
    assert made.text == "\\u0041 +AEE- größer"


def test_a_text_in_utf_8_with_one_broken_line_stays_utf_8():
    raw = GERMAN.encode() + b"cut \xc3\n"
    made = read(raw)
    assert made.text == GERMAN + "cut \ufffd\n"
    assert made.flags == ("some bytes are not utf-8 and were replaced",)


@given(st.binary())
@example(b"\xff\xfe\x00\xd8")
@example(b"\xef\xbb\xbf\xff")
def test_any_bytes_decode_to_what_can_be_stored(raw):
    text = canonical(decode(raw).text)
    assert text.encode("utf-8").decode() == text
    assert "\x00" not in text
    assert "\r" not in text


@given(st.text())
def test_the_one_form_is_reached_at_once(text):
    assert canonical(canonical(text)) == canonical(text)


def test_a_text_beyond_the_limit_ends_after_a_line_and_says_so():
    made = read(b"a line of a log\n" * 1000)
    assert made.text == "a line of a log\n" * 125
    assert made.flags == ("the end was left out: limit 2,000 characters",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ndate: 1\ntitle: 'The plant'\n---\n# Pumps", "The plant"),
        ('+++\ntitle = "The plant"\n+++\n# Pumps', "The plant"),
        ("---\ndate: 1\n---\n\n# Pumps #\n", "Pumps"),
        ("[![badge](x.svg)](y)\n\n# The `cube` [pump](pump.md) <a id='x'></a>\n", "The cube pump"),
        ("```\n# no\n```\n\nPumps\n=====\n", "Pumps"),
        ("---\ntitle: never closed", None),
        ("no heading", None),
        ("", None),
        ("# ~~Old~~ New rules", "New rules"),
        ("# ~~Old rules~~", "Old rules"),
        ("---\ntitle: Untitled\n---\n# Plant rules", "Plant rules"),
        ("# " + "long " * 100, ("long " * 40).strip()),
    ],
)
def test_a_markdown_text_has_the_title_it_gives_itself(text, title):
    assert markdown_title(text) == title


def test_a_comment_at_the_top_of_a_program_is_no_title():
    assert read(b"# Copyright\nimport os\n", "tool.py") == Extracted(
        "# Copyright\nimport os\n", FileKind.TEXT
    )


@pytest.mark.parametrize(
    ("page", "declared"),
    [
        (b'<meta charset="Shift_JIS">', "Shift_JIS"),
        (b"<META http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?><html>", "koi8-r"),
        (b'<meta charset="utf-16">', None),
        (b"<p>charset=koi8-r", None),
    ],
)
def test_the_charset_of_a_page_is_found(page, declared):
    assert find_html_charset(page) == declared


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('{"a": "caf\\u00e9 \\ud83d\\ude00"}', '{"a": "café 😀"}'),
        ('{"a": "\\u041f\\u0440\\u0438"}', '{"a": "При"}'),
        (r'{"a": "c:\\u00e9", "b": "\\\u00e9"}', r'{"a": "c:\\u00e9", "b": "\\é"}'),
        (
            r'{"a": "\u0022 \u003c \u0000 \ud83d \u202e"}',
            r'{"a": "\u0022 \u003c \u0000 \ud83d \u202e"}',
        ),
    ],
)
def test_letters_that_json_names_by_number_are_written_out(written, shown):
    assert read(written.encode(), "a.json").text == f"```json\n{shown}\n```\n"


def test_a_configuration_that_knows_no_such_numbers_stays_as_it_is():
    assert r"\u00e9" in read(rb"a: \u00e9", "a.yaml").text


@pytest.mark.parametrize(
    ("name", "written", "rows"),
    [
        (
            "a.csv",
            'id,title\nX1,"Water, clean"\nX2,"one\r\ntwo\n"\n',
            "| id | title |\n| --- | --- |\n| X1 | Water, clean |\n| X2 | one; two |",
        ),
        (
            "a.csv",
            "\ufeffName;Preis\nMutter;0,75\n",
            "| Name | Preis |\n| --- | --- |\n| Mutter | 0,75 |",
        ),
        (
            "a.csv",
            'of;by;to\n1;"TADEX" TADEU;"a ""b"""\n2;"CO";"c"\n',
            '| of | by | to |\n| --- | --- | --- |\n| 1 | "TADEX" TADEU | a "b" |\n| 2 | CO | c |',
        ),
        (
            "a.csv",
            "sep=;\r\nBerth;Depth\r\nNorth 1;6,5 m, at ebb\r\n",
            "| Berth | Depth |\n| --- | --- |\n| North 1 | 6,5 m, at ebb |",
        ),
        ("a.csv", '"SEP=^"\na^b\n1^2,3\n', "| a | b |\n| --- | --- |\n| 1 | 2,3 |"),
        ("a.tsv", "a\tb\n1, 2\tx|y\n", "| a | b |\n| --- | --- |\n| 1, 2 | x\\|y |"),
        (
            "a.csv",
            'part,size\nnail,20"\ndriver,"6 long\noil,1\n',
            '| part | size |\n| --- | --- |\n| nail | 20" |\n| driver | "6 long |\n| oil | 1 |',
        ),
    ],
)
def test_a_table_of_separated_values_keeps_its_head(name, written, rows):
    made = read(written.encode(), name)
    assert (made.text, made.kind) == (f"{rows}\n", FileKind.MARKDOWN)


def test_what_a_server_calls_a_table_is_one_and_what_has_unlike_rows_stays_text():
    assert read(b"a,b\n1,2\n", "page", media_type="text/csv; charset=utf-8").text.startswith("| a")
    for text in ("one word a line\nno cells\n", "a,b,c\nx\n1,2\n", '"open,a\n', ""):
        assert read(text.encode(), "a.csv").text == text


@pytest.mark.parametrize(
    "text",
    [
        "note\n" + "hello, world\n" * 20,
        ",".join(f"c{place}" for place in range(250)) + "\n" + ",".join("1" * 250) + "\n",
        "a,b\n" * 200 + "," * 199 + "\n",
        "a\tb\n" + "1\t2\n" * 9 + '"5 inch\tp\n1\n',
        'a;b;c\n1;"TADEX; Sp" TADEUSZ;2\n',
        "sep=;\na,b\n1,2\n",
    ],
)
def test_what_would_lose_cells_or_tear_them_stays_text(text):
    assert read(text.encode(), "a.csv").text == text


def test_decimal_commas_part_no_cells():
    rows = "".join(f"{hour:02d}:00;1,5;1,7\n" for hour in range(9))
    made = read(f"Zeit;Wert1;Wert2\n{rows}".encode(), "a.csv")
    assert made.text.startswith("| Zeit | Wert1 | Wert2 |\n")
    assert "| 08:00 | 1,5 | 1,7 |" in made.text


@given(st.text())
def test_any_text_is_a_table_or_none(text):
    made = format_separated(canonical(text), most_characters=1000)
    assert made is None or made.text.startswith("| ")
