"""What turns answer from files of all kinds: nothing is withheld, bent or made up on the way."""

from __future__ import annotations

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.turns import TurnQuery, TurnStatus
from wellworn.kit.neutralising import neutralise
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)
ROUTER = "# Router\n\nThe router runs OpenWrt and has the address 10.9.0.1.\n"


class Reader:
    """Somebody who asks about the files of a folder."""

    def __init__(self, app, documents) -> None:
        self._app, self._documents = app, documents

    def write(self, files):
        for path, text in files.items():
            (self._documents / path).parent.mkdir(parents=True, exist_ok=True)
            (self._documents / path).write_text(text)
        source = self._app.guard.pool.shared.sources.create(
            ACCESS, NewSource("folder", "site", {"path": str(self._documents)})
        )
        self._app.syncs.request_sync(ACCESS, source.id)
        self._app.embedding.finish()

    def ask(self, text):
        return self._app.turns.ask(ACCESS, TurnQuery(text, "henry", "Henry"))


@pytest.fixture
def reader(tmp_path):
    documents = tmp_path / "documents"
    documents.mkdir()
    app = open_app(tmp_path / "data", Settings(), embedder=HashEmbedder())
    yield Reader(app, documents)
    app.close()


@pytest.mark.parametrize(
    "path",
    ["docs/_docs/router.md", "docs/v1:new/router.md", "Docs [1].x/a\u200bb._(c)/router's.md"],
)
def test_where_a_source_stands_is_no_claim_of_the_answer(reader, path):
    reader.write({path: ROUTER})
    answer = reader.ask("Who sold us the router?")
    assert answer.turn.status is TurnStatus.FAILED
    assert "I found nothing that answers" in answer.text
    assert neutralise(path) in answer.text


def test_a_row_is_quoted_below_the_head_of_its_table(reader):
    rows = [f"| ZQ-{n} | {'impeller' if n == 250 else 'rod'} | {n + 167} |" for n in range(400)]
    head = "| Article | Part | Pieces on hand |\n|---|---|---|"
    reader.write({"stock.md": "\n".join(["# Stock list", "", head, *rows]) + "\n"})
    answer = reader.ask("How many pieces of ZQ-250 are on hand?")
    assert "> | Article | Part | Pieces on hand |" in answer.text
    assert "> | ZQ-250 | impeller | 417 |" in answer.text


@pytest.mark.parametrize("cells", ["{:<10}{:<12}{:>16}", "{}\t{}\t{}"], ids=["blanks", "tabs"])
def test_a_row_that_is_aligned_is_quoted_below_the_head_of_its_table(reader, cells):
    head = cells.format("Article", "Part", "Pieces on hand")
    rows = [cells.format(f"ZQ-{n}", "impeller" if n == 250 else "rod", n + 167) for n in range(400)]
    reader.write({"stock.txt": "\n".join(["Stock list", "", head, *rows]) + "\n"})
    answer = reader.ask("How many pieces of ZQ-250 are on hand?")
    assert f"> {head}\n" in answer.text
    assert f"> {rows[250]}" in answer.text


@pytest.mark.parametrize("text", ["???", "🙂"])
def test_a_query_without_a_word_is_asked_about(reader, text):
    assert reader.ask(text).turn.status is TurnStatus.CLARIFY


def test_what_links_of_quoted_documents_look_like_is_no_change_by_hand(reader):
    links = "see [x](/docs/y), ![y](/docs/y.png), [z](.././z) and [w](../../../../w)"
    reader.write({"kettle.md": f"# Kettle\n\nThe kettle: The port is 1, {links}.\n"})
    answer = reader.ask("What is the port of the kettle?")
    assert links in answer.text
    assert answer.edited == ()


def test_what_earlier_turns_did_not_find_is_nothing_near(reader):
    reader.write({"router.md": ROUTER})
    reader.ask("What is the address of the router?")
    for text in ("Who sold us the router?", "Who sold us the router then?", "router them?"):
        reader.ask(text)
    answer = reader.ask("Who sold us the router again?")
    assert "Who sold us" not in answer.text.replace("“Who sold us the router again?”", "")
    assert "Turn 1: What is the address of the router?" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "IP address of zed3?",
        "What's the ip of ZED-3?",
        "What IP does zed 3 have?",
    ],
)
def test_a_value_is_told_by_whatever_name_it_is_asked_for(reader, question):
    hosts = (
        "# Hosts\n\n| host | ip |\n| --- | --- |\n| zed-hp-3 | 10.9.0.78 |\n| zed3 | 10.9.0.77 |\n"
    )
    reader.write({"hosts.md": hosts})
    claims = reader.ask(question).claims
    assert "10.9.0.77" in claims[0].text
    assert "10.9.0.78" not in claims[0].text


def test_what_follows_the_paragraph_with_the_words_asked_for_is_quoted_with_it(reader):
    reader.write(
        {
            "tags.md": "# Tags\n\nUse `tag node` to convert a personal node to a tagged node.\n\n"
            "It then belongs to the user machines-of-all.\n\n" + "Tags are sorted. " * 40
        }
    )
    answer = reader.ask("How do I convert a personal node to a tagged node?")
    [claim] = answer.claims
    assert claim.text.endswith("It then belongs to the user machines-of-all.")


def test_documents_that_disagree_are_both_quoted(reader):
    reader.write(
        {
            "hosts.md": "# Hosts\n\n## cube\n\n- IP: 10.0.0.5\n",
            "network.md": "# Network\n\n| host | ip |\n| --- | --- |\n| cube | 10.0.0.6 |\n",
        }
    )
    answer = reader.ask("What is the IP of cube?")
    assert {"10.0.0.5", "10.0.0.6"} <= set(" ".join(c.text for c in answer.claims).split())
    assert "hosts.md" in answer.text
    assert "network.md" in answer.text


@pytest.mark.parametrize(
    "question", ["What was my editor previously?", "What was my editor before?"]
)
def test_what_never_changed_says_nothing_of_the_past(reader, question):
    reader.ask("My editor is Helix.")
    assert reader.ask(question).claims == ()
    assert reader.ask("What is my editor?").claims[0].text == "Helix"


def test_small_talk_is_never_what_is_meant(reader):
    reader.ask("My editor is Helix.")
    reader.ask("What is my editor?")
    for text in ("Ok, thanks!", "Good morning"):
        assert reader.ask(text).turn.status is TurnStatus.DONE
    assert reader.ask("What about it?").turn.resolved_query == "What about editor?"


def test_a_quote_is_backed_whatever_its_numbers_are_part_of(reader):
    reader.write({"rules.md": "# Rules\n\nThe shop rule `save.{2,5}` blocks old offers.\n"})
    answer = reader.ask("Which shop rule blocks old offers?")
    assert answer.turn.status is TurnStatus.DONE
    assert "{2,5}" in answer.claims[0].text


LYNX = {
    "lynx.md": "# Lynx\n\nLynx is the order database.\n\n- Owner: Maja\n- Port: 8080\n",
    "lynx-mirror.md": "# Lynx mirror\n\nLynx mirror is a copy of it.\n\n- Disk: 2 TB\n",
    "wigeon.md": "# Wigeon\n\nWigeon is owned by Tomas and stands beside Lynnx.\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "What is the disk of Lynx?",
        "Who is the owner of the Lynx mirror?",
        "Which port does the Lynx mirror use?",
        "What disk is in the Lynx?",
    ],
)
def test_what_no_document_states_of_a_thing_is_not_answered_with_anothers(reader, question):
    reader.write(LYNX)
    answer = reader.ask(question)
    assert answer.claims == ()
    assert answer.text.startswith("I found nothing that answers")


def test_what_comes_nearest_is_quoted_where_nothing_answers(reader):
    reader.write(LYNX)
    text = reader.ask("Which port does the Lynx mirror use?").text
    assert "What comes nearest, and may not answer it:" in text
    assert "  > - Disk: 2 TB" in text


def test_what_comes_nearest_may_hold_code(reader):
    code = "```python\ndataset.to_file('my_tests.yaml', path='{stem}.schema.json')\n```"
    reader.write({"serialization.md": f"# Datasets\n\n## Path templates\n\n{code}\n"})
    answer = reader.ask("Who invented the path templates of the lighthouse?")
    assert answer.turn.status is TurnStatus.FAILED
    assert "{stem}.schema.json" in answer.text


def test_what_is_stated_of_each_of_them_is_answered(reader):
    reader.write(LYNX)
    assert "2 TB" in reader.ask("What is the disk of the Lynx mirror?").text
    assert "Maja" in reader.ask("Who is the owner of Lynx?").text
    assert "Tomas" in reader.ask("Who owns Wigeon?").text


def test_a_misspelt_name_is_read_as_documents_spell_it_and_the_answer_says_so(reader):
    reader.write(LYNX)
    answer = reader.ask("Who is Wigoen owned by?")
    assert answer.text.startswith("Your question was read as “Who is wigeon owned by?”.")
    assert "Tomas" in answer.claims[0].text


def test_a_name_that_a_document_has_is_not_read_as_another_one(reader):
    reader.write({"heron.md": "# Heron\n\nHeron is the gate.\n", "b.md": "Ask Herom for help.\n"})
    assert "read as" not in reader.ask("Where is Herom?").text
    assert "read as" in reader.ask("Where is Herron?").text


def test_another_number_of_a_name_is_no_misspelling(reader):
    reader.write(LYNX)
    assert "read as" not in reader.ask("Who owns the wigeons?").text


def test_a_page_is_named_as_near_whatever_its_path(reader):
    """A blank within a path divides it into two words, of which each is like a name."""
    reader.write(
        {"Galaxy PXE/Source/README.md": "# Machines\n\nThe registry of machines is live.\n"}
    )
    answer = reader.ask("Which machine of the registry holds the chess server?")
    assert answer.text.startswith("I found nothing that answers")
    assert "Galaxy PXE/Source/README.md" in answer.text


def test_what_holds_is_quoted_before_what_a_page_of_the_past_said(reader):
    rules = "Visitors stay until {} in the evening, and quiet time is from noon.\n"
    past = "# Visitor rules 2023\n\n> Outdated! Superseded by [the rules](rules.md).\n\n"
    reader.write(
        {
            "a.md": past + rules.format("seven"),
            "rules.md": "# Visitor rules\n\n" + rules.format("eight"),
        }
    )
    answer = reader.ask("Until when do visitors stay in the evening?")
    [claim] = answer.claims
    assert "until eight" in claim.text
