"""Never guess identifiers: none is in an answer that is not in a span that the answer cites."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from integration.knowledge_world import STORY, local, opened, synced
from knowledge_calls import call
from wellworn.domain.sources import find_identifiers, normalize_identifier

MORE = {
    "network.md": (
        "# Network\n\n| Host | IP | Port |\n|---|---|---|\n| atlas | 10.0.0.4 | 8443 |\n"
        "| borea | 10.0.0.5 | 9443 |\n\nThe gateway atlas-gw.lan forwards to atlas.\n"
        "atlas (aka the big one) runs postgres 15.2 at db-01.prod.internal:5432.\n"
    ),
    "hosting/network.md": "# Hosting\n\n- **atlas** (10.9.9.4) - rented VPS.\n",
    "moves.md": (
        "---\ntitle: All moves of 10.3.3.3\n---\n\n## To rack 10.7.7.7\n\nThe machine moved there"
        " as **10.1.1**.1 on the [next page](https://moves.example/2) of the "
        + "very "
        * 26
        + "long list at 10.44.55.66 and then on.\n\n## Machine db-07.prod.internal\n\nIt moved.\n"
        "\n- the machine is a box at 10.8.8.8\n\n```sh\nretired machine 10.5.5.5\n```\n"
    ),
    "frobberx.md": (
        "---\ntitle: About frobberx and others\n---\n\n## One\n\nIt is a box at 10.61.0.9.\n"
        "\n## Two\n\nNothing more.\n"
    ),
    "mails.md": "# Mails\n\nWrite to ops@example.org or call POST /api/v2/pages.\n",
}
FIXED = [
    *("cube", "clifford", "hdrpop", "kopia", "atlas", "borea", "server", "the old server"),
    *("10.0.0.4", "10.0.0.6", "db-01", "db-02", "db-01.prod.internal", "the big one"),
    *("postgres", "ops mail", "hdrpop analytics api", "HDRPOP_ANALYTICS_TOKEN", "cubes"),
    *(
        "hdrpopp",
        "gateway",
        "retired",
        "forwards",
        "write",
        "the gateway",
        "version",
        "frobberx",
    ),
    *("machine", "mails", "rack", "calls", "moved", "10.1.1", "rack 10.7.7.7", "page"),
    *("atlas port", "port 8443", "endpoint", "zanzibar", "10.0.0", "atlas-gw", "prod"),
]
TERMS = st.one_of(
    st.sampled_from(FIXED),
    st.text(min_size=1, max_size=30).filter(lambda text: text.split()),
)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    folder = tmp_path_factory.mktemp("never-guess")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", STORY | MORE)
        yield app, access


def _said(answer):
    """Return every text of an answer that did not come with the question."""
    yield answer.summary
    yield from (one.value for one in answer.values)
    yield from (one.summary for one in answer.candidates)
    yield from (one.label for one in answer.candidates)
    # A question quotes the term itself, which may be anything.
    yield (answer.question or "").replace(f'"{answer.term}"', "")


def _cited(app, access, answer):
    """Return the text of every span that an answer cites, checked against its document."""
    evidence = [*answer.evidence, *(one.evidence for one in answer.values)]
    for one in evidence:
        text = call(app, "document")(access, one.document_id).text
        assert text[one.start : one.end] == one.text
        yield one.text
    for one in answer.values:
        text = call(app, "document")(access, one.evidence.document_id).text
        assert text[one.start : one.end] == one.value


def _check(app, access, term, context=""):
    answer = app.resolve(access, term, context=context)
    cited = " \n ".join([*_cited(app, access, answer), *_places(app, access)])
    allowed = {normalize_identifier(one.value) for one in find_identifiers(cited)}
    for said in _said(answer):
        for one in find_identifiers(said):
            assert normalize_identifier(one.value) in allowed or one.value in cited, (term, said)


@settings(max_examples=150)
@given(term=TERMS, context=st.sampled_from(["", "deploying", "which port?"]))
def test_no_identifier_is_in_an_answer_that_no_cited_span_has(known, term, context):
    _check(*known, term, context)


def test_no_known_word_brings_an_identifier_that_no_cited_span_has(known):
    for term in FIXED:
        _check(*known, term)


def _places(app, access):
    """Return what citations are made of: an answer names documents, which are there."""
    documents = call(app, "documents")(access, source_id=None, offset=0, limit=100)
    return [f"{one.source}/{one.path}" for one in documents]


@pytest.mark.parametrize("term", ["10.0.0.6", "db-02", "db-10.prod.internal", "borea-gw.lan"])
def test_an_identifier_that_is_nowhere_is_unknown_however_like_it_another_is(known, term):
    app, access = known
    answer = app.resolve(access, term)
    assert answer.outcome == "unknown"
    assert answer.values == ()
    assert term in answer.question


def test_what_documents_say_differently_is_asked_about_with_both_quotes(known):
    app, access = known
    answer = app.resolve(access, "atlas")
    assert answer.outcome == "ambiguous"
    assert {one.label for one in answer.candidates} >= {"10.0.0.4", "10.9.9.4"}
    assert "network.md" in answer.question
