from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.interfaces.mcp import headers

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(ANY_TEXT)
def test_any_text_survives_a_header(text):
    sent = headers.encode(text)
    assert sent.isascii()
    assert sent.isprintable()
    assert headers.decode(sent) == text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_session_id_carries_the_clients_name_and_is_a_legal_one(name):
    session_id = headers.session_of(name)
    assert all("\x21" <= character <= "\x7e" for character in session_id)
    assert headers.client_of(session_id) == name
    assert headers.session_of(name) != session_id


@pytest.mark.parametrize("foreign", ["", "abc", "abc.", "abc.!", "abc.____", "é.é"])
def test_a_session_id_of_somebody_else_names_nobody(foreign):
    assert headers.client_of(foreign) is None


@pytest.mark.parametrize("broken", ["=?base64?!?=", "=?base64?/w==?=", "\xff"])
def test_a_broken_header_has_no_text(broken):
    assert headers.decode(broken) is None
