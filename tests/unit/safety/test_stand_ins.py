"""Placeholders and references stay; nothing that looks like a secret passes for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.safety import redact

MANIFEST = "kind: Secret\ndata:\n  {}\n"


@pytest.mark.parametrize(
    "text",
    [
        MANIFEST.format("tls.crt: base64 encoded crt"),
        MANIFEST.format("tls.key: base64 encoded private key"),
        MANIFEST.format('username: "myuser"'),
        MANIFEST.format("admin-password: < grafana_admin_password | b64encode>"),
        'password: "$${env:ELASTIC_PASSWORD}"',
        "password: $${ELASTIC_PASSWORD}",
    ],
)
def test_what_says_that_a_secret_belongs_there_stays(text):
    assert redact(text).text == text


@st.composite
def secrets(draw):
    """Return letters of both cases and digits, mixed as words never are."""
    pieces = ("abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789")
    drawn = [draw(st.lists(st.sampled_from(piece), min_size=6, max_size=10)) for piece in pieces]
    return "".join(
        draw(st.permutations([char for piece in drawn for char in dict.fromkeys(piece)]))
    )


@given(secrets())
@pytest.mark.parametrize(
    "text",
    [
        MANIFEST.format("tls.key: base64 encoded {}"),
        MANIFEST.format("tls.key: {} base64 encoded"),
        MANIFEST.format("username: myuser{}"),
        "password: $${{env:{}",
        "password: b64encode{}",
    ],
)
def test_a_secret_beside_the_words_of_a_placeholder_goes(text, secret):
    if len(set(secret)) < 14:
        return
    assert secret not in redact(text.replace("{{", "{").replace("{}", secret)).text


def test_of_a_secret_of_several_words_no_word_stays():
    cut = redact(MANIFEST.format("phrase: correct horse battery staple")).text
    assert not any(word in cut for word in ("correct", "horse", "battery", "staple"))
