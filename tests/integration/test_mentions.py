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
    "CHANGELOG.md": (
        "# Changelog\n\n- 1.2.3: the rack is new\n- picture of a picture\n- the ledger, too\n"
    ),
    "deploying.md": "# Deploying\n\nRun it:\n\n```sh\nmake ledger HOST=10.0.0.9\n```\n",
    "network.md": (
        "# Network\n\nThe garden is the rack below the desk. It has 24 ports.\n"
        "\n## Below\n\nThe server is a blue box. Another server is red.\n"
    ),
    "tools.md": "# Tools\n\nAsk frobnitz first.\n\n## More\n\nThen call frobnitz again.\n",
    "kopia.md": "# Kopia\n\nKopia keeps copies at https://kopia.example/api of all.\n",
    "front.md": "---\ntitle: All about bridges\n---\n\n## Meaning\n\nThey turn around for ever.\n",
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
    assert {one.summary for one in answer.candidates} == {
        "Secrets come from the vault every night.",
        "The vault moved to another rack.",
        "Call somebody before that.",
    }
    assert [one.citation for one in answer.evidence] == [one.citation for one in answer.candidates]
    assert "not explained" in answer.question
    assert "notes/secrets.md#empty-the-vault" in answer.question


def test_the_section_whose_heading_has_the_word_comes_first(known):
    assert known("vault").candidates[0].label == "Secrets: Empty the vault"


def test_a_word_of_a_title_leads_to_the_first_sentence_of_its_document(known):
    [candidate] = known("bridges").candidates
    assert candidate.summary == "They turn around for ever."


def test_code_and_lists_of_changes_come_last(known):
    cited = [one.citation for one in known("picture").candidates]
    assert cited == ["notes/news.md", "notes/CHANGELOG.md"]


def test_a_sentence_that_says_what_a_plain_word_is_answers_without_being_sure(known):
    answer = known("garden")
    assert (answer.outcome, answer.confidence) == ("resolved", 0.5)
    assert answer.summary == "The garden is the rack below the desk."
    assert answer.canonical == "notes/network.md"


def test_a_word_for_a_kind_of_thing_is_never_one_of_them(known):
    answer = known("server")
    assert answer.outcome == "unknown"
    assert answer.candidates[0].summary == "The server is a blue box."


def test_a_name_that_several_places_say_is_asked_about(known):
    answer = known("frobnitz")
    assert answer.outcome == "ambiguous"
    assert {one.summary for one in answer.candidates} == {
        "Ask frobnitz first.",
        "Then call frobnitz again.",
    }


def test_what_is_nowhere_has_no_places(known):
    answer = known("zanzibar")
    assert (answer.outcome, answer.found_by) == ("unknown", "nothing")
    assert (answer.evidence, answer.candidates) == ((), ())
    assert "is not in the knowledge base" in answer.question


def test_a_label_names_nothing_that_no_quote_has(known):
    for term in ("ledger", "rack", "kopai"):
        answer = known(term)
        quoted = " ".join(one.text for one in answer.evidence)
        for one in answer.candidates:
            assert "1.2.3" not in one.label or "1.2.3" in quoted
            assert "https://" not in one.summary or "https://kopia.example" in quoted


def test_a_mention_is_noted_as_a_gap_and_not_learned(known):
    assert known("vault") == known("vault")
    assert "vault" in [one.term for one in known.unknowns()]
    assert "mentioned 3 times, explained nowhere" in known.file()
    assert known("garden").found_by == "search"
