"""A word that documents only mention: shown where it stands, and never guessed at."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call
from wellworn.domain.knowledge import ArtifactName

DOCUMENTS = {
    "news.md": (
        "# What changed\n\n- The vault moved to another rack.\n"
        "- When it was done a picture of it went to all who had asked.\n"
    ),
    "secrets.md": (
        "# Secrets\n\n## Rotation\n\nSecrets come from the vault\nevery night. Nothing else does.\n"
        "\n## Empty the vault\n\nCall somebody before that.\n"
    ),
    "network.md": (
        "# Network\n\nThe garden is the rack below the desk. It has 24 ports.\n"
        "\n## Below\n\nThe server is a blue box. Another server is red.\n"
    ),
    "tools.md": "# Tools\n\nAsk frobnitz first.\n\n## More\n\nThen call frobnitz again.\n",
}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mentions")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", DOCUMENTS, name="notes")

        def resolve(term):
            answer = app.resolve(access, term)
            for one in answer.evidence:
                assert call(app, "document")(access, one.document_id).text[one.start : one.end] == (
                    one.text
                )
            return answer

        resolve.unknowns = lambda: call(app, "unknowns")(access)
        resolve.file = lambda: app.read_artifact(access, ArtifactName.UNKNOWNS).content
        yield resolve


def test_a_plain_word_that_is_only_mentioned_is_unknown_with_the_places_that_say_it(known):
    answer = known("vault")
    assert (answer.outcome, answer.found_by) == ("unknown", "search")
    assert (answer.values, answer.canonical, answer.confidence) == ((), None, 0.0)
    assert {one.text for one in answer.evidence} == {
        "Secrets come from the vault",
        "- The vault moved to another rack.",
    }
    assert "not explained" in answer.question
    assert "notes/secrets.md#rotation" in answer.question


@pytest.mark.parametrize("term", ["garden", "server"])
def test_what_one_sentence_says_of_a_plain_word_is_quoted_and_is_no_explanation(known, term):
    answer = known(term)
    assert (answer.outcome, answer.values) == ("unknown", ())
    assert answer.evidence[0].text.startswith(f"The {term} is ")


def test_a_name_that_is_only_mentioned_is_quoted_from_every_place(known):
    answer = known("frobnitz")
    assert (answer.outcome, answer.values) == ("not_stated", ())
    assert {one.text for one in answer.evidence} == {
        "Ask frobnitz first.",
        "Then call frobnitz again.",
    }


def test_what_is_nowhere_has_no_places(known):
    answer = known("zanzibar")
    assert (answer.outcome, answer.found_by) == ("unknown", "nothing")
    assert (answer.evidence, answer.candidates) == ((), ())
    assert "is not in the knowledge base" in answer.question


def test_a_mention_is_noted_as_a_gap_and_not_learned(known):
    assert known("vault") == known("vault")
    assert "vault" in [one.term for one in known.unknowns()]
    assert "mentioned 3 times, explained nowhere" in known.file()
