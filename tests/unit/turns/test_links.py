"""Links of documents that move, among whatever Markdown a document quotes."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.domain.turns.links import relocate_links

TURN, ARCHIVED = "turns/turn_000007", "archive/2026-01/turn_000007"
HERE, THERE = f"{TURN}/context.md", f"{ARCHIVED}/context.md"
_PARTS = st.sampled_from(
    ["", ".", "..", "docs", "a.md", "turns", "turn_000007", "turn_000006", "é b", "(c)", "x\\y"]
)
_STARTS = st.sampled_from(
    ["", "/", "./", "../", "//", "#", "mailto:", "ftp://", "https://", "C:\\"]
)
_ADDRESSES = st.tuples(_STARTS, st.lists(_PARTS, max_size=7).map("/".join)).map("".join)
_LINKS = st.tuples(
    st.sampled_from(["[x](", "![x](", "[", "[[", "[x](<", "> [x]("]),
    _ADDRESSES,
    st.sampled_from([")", "#^b)", '?q=1#b "t")', "]", "]]", ">)", "|x]]", "\n"]),
).map("".join)


@given(st.lists(_LINKS, max_size=4).map(" ".join))
@example("see [x](/docs/y) and ![z](/a.png)")
@example("[x](../../../../../../../../../../../../z) [y](.././docs)")
@example("[x](../../turns) [y](../../archive/turns) [z](./../../turns/a.md)")
@example("[x](././../../turns) [y](./../turn_000006/a.md) [z](../turn_000006/a.md)")
def test_what_moves_nowhere_or_back_is_as_it_was(text):
    assert relocate_links(text, HERE, HERE, TURN) == text
    moved = relocate_links(text, HERE, THERE, TURN)
    assert relocate_links(moved, THERE, HERE, ARCHIVED) == text


def test_links_to_other_documents_lead_there_from_the_archive():
    text = "[a](../turn_000006/context.md#^b) [own](toolresults.md) [top](../../facts.md) [w](/d)"
    assert relocate_links(text, HERE, THERE, TURN) == (
        "[a](../../../turns/turn_000006/context.md#^b) [own](toolresults.md) "
        "[top](../../../facts.md) [w](/d)"
    )
