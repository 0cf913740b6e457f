from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.safety import SecretFound, redact, redact_document

KEY = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "k7Q2mZ9xW4vB8nT6yR1c" * 5
    + "\n-----END "
    + "PRIVATE KEY-----"
)
TOKEN = "npm_" + "k7Q2mZ9xW4vB8nT6yR1c" * 1 + "J5fL3dS0aPhG7kQ2"
PIECES = st.sampled_from(
    [
        *(KEY, TOKEN, "password: hunter2", "postgres://app:s3cr3t1@db/x", "| Password |\n|---|\n"),
        *("| hunter22 |", "words", " ", "\n", "\n\n", "# Title\n", "${PASSWORD}", " \u0130 "),
    ]
)
TEXTS = st.lists(PIECES, max_size=20).map("".join)


def test_a_finding_tells_kind_and_line_and_never_the_secret():
    text = f"# Access\n\n{KEY}\n\npassword: hunter2 and {TOKEN}\n"
    result = redact_document(text)
    assert result.findings == (
        SecretFound("private-key", 3),
        SecretFound("npm-token", 7),
        SecretFound("password", 7),
    )
    assert "hunter2" not in repr(result)


def test_a_secret_that_was_cut_before_is_found_once():
    text = redact(f"# Access\n\npassword: hunter2\n\n{TOKEN}\n").text
    found = SecretFound("password", 3), SecretFound("npm-token", 5)
    assert redact_document(text).findings == found


def test_the_line_is_that_of_the_document_as_it_was():
    text = f"{KEY}\n{KEY}\nx\npassword: hunter2"
    assert [one.line for one in redact_document(text).findings] == [1, 4, 8]


def test_the_name_of_a_secret_is_kept_beside_its_placeholder():
    text = f"HDRPOP_ANALYTICS_TOKEN={TOKEN}\nSecret: HDRPOP_ANALYTICS_TOKEN"
    assert redact_document(text).text == (
        "HDRPOP_ANALYTICS_TOKEN=[redacted:npm-token]\nSecret: HDRPOP_ANALYTICS_TOKEN"
    )


def test_a_place_behind_a_secret_is_found_again():
    text = f"one {TOKEN} two password: hunter2 three"
    result = redact_document(text)
    for word in ("one", "two", "three"):
        assert result.text[result.map_offset(text.index(word)) :].startswith(word)


def test_a_place_in_a_secret_is_at_its_placeholder():
    text = f"one {TOKEN} two"
    result = redact_document(text)
    assert result.text[result.map_offset(text.index(TOKEN) + 9) :].startswith(
        "[redacted:npm-token]"
    )
    assert result.map_offset(len(text)) == len(result.text)


@given(TEXTS)
def test_a_document_is_redacted_as_any_text_is(text: str):
    result = redact_document(text)
    assert result.text == redact(text).text
    assert len(result.findings) == sum(one.count for one in redact(text).secrets)


@given(TEXTS)
def test_places_keep_their_order_and_what_they_show(text: str):
    result = redact_document(text)
    moved = [result.map_offset(offset) for offset in range(len(text) + 1)]
    assert moved == sorted(moved)
    assert moved[-1] == len(result.text)
    for offset, character in enumerate(text):
        if character == "\u0130":
            assert result.text[moved[offset]] == character


@given(TEXTS)
def test_every_finding_is_on_a_line_of_the_document(text: str):
    lines = [one.line for one in redact_document(text).findings]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


def test_a_document_without_a_secret_is_as_it_was():
    text = "# Plain\n\nNothing here but ${API_KEY}.\n"
    result = redact_document(text)
    assert (result.text, result.findings, result.map_offset(5)) == (text, (), 5)
