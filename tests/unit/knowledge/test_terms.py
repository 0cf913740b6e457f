"""Hot terms: what is special here, where it is explained, and the owner's pins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wellworn.domain.knowledge.commonness import is_common, share, stem
from wellworn.domain.knowledge.digests import digest
from wellworn.domain.knowledge.entities import is_special, name_in
from wellworn.domain.knowledge.terms import HotTerm, rank_hot_terms
from wellworn.domain.knowledge.views import DocumentView
from wellworn.domain.sources import format_citation


def hot(digests, **wishes) -> list[HotTerm]:
    return rank_hot_terms([one.offer for one in digests], **wishes)


def made(*texts: str):
    views = (
        DocumentView(number, "s", f"{number}.md", None, text) for number, text in enumerate(texts)
    )
    return [digest(view) for view in views]


def names(found: list[HotTerm]) -> list[str]:
    return [one.term for one in found]


def test_the_story_gives_the_rows_of_the_specification(digests):
    places = {one.document: one for one in digests}
    rows = {
        one.term: (
            format_citation(places[one.document].source, places[one.document].path, one.anchor)
        )
        for one in hot(digests)
        if one.document
    }
    assert rows["cube"] == "mytech/AGENTS.md#servers"
    assert rows["clifford"] == "mytech/AGENTS.md#servers"
    assert rows["hdrpop"] == "projects/hdrpop/operations.md"
    assert rows["kopia"] == "mytech/backups/README.md"


def test_a_term_is_summed_up_with_its_main_identifier(digests):
    about = {one.term: one.summary for one in hot(digests)}
    assert about["cube"] == "Home GPU server (100.70.237.79), runs AI workloads, Frigate"
    assert "https://hdrpop.com/api/reports/daily-analytics" in about["hdrpop"]


def test_a_summary_is_made_from_the_span_it_names(story, digests):
    texts = {view.id: view.text for view in story}
    for one in hot(digests):
        assert one.document is not None
        span = texts[one.document][one.start : one.end]
        assert one.summary.split()[0].strip(",.") in span


def test_plain_english_is_not_hot(digests):
    plain = {"the", "server", "home", "check", "token", "traffic", "key metrics"}
    assert not plain & set(names(hot(digests)))


def test_what_is_spread_over_documents_comes_before_what_is_not():
    lone = "# Frobnitz\n\nFrobnitz is the billing box.\n"
    spread = "# Zorkmid\n\nZorkmid is the mail box.\n"
    found = names(hot(made(lone, spread, "Ask zorkmid.\n", "See zorkmid there.\n")))
    assert found.index("zorkmid") < found.index("frobnitz")


def test_what_agents_resolve_often_becomes_hot(digests):
    before = names(hot(digests))
    after = names(hot(digests, resolutions={"Kopia": 50}))
    assert before.index("kopia") > 0
    assert after[0] == "kopia"


def test_pins_come_first_in_their_order_and_are_never_cut(digests):
    found = hot(digests, pins=["kopia", "Frigate", "nobody knows"], most=1)
    assert names(found) == ["kopia", "frigate", "nobody knows"]
    assert [one.document for one in found] == [2, 1, None]
    assert names(hot(digests, pins=["kopia", "KOPIA"])).count("kopia") == 1


def test_forms_of_a_word_are_one_term():
    found = names(hot(made("# Toolsets\n\nToolsets are sets.\n", "# More\n\nA toolset is kept.\n")))
    assert len([name for name in found if name.startswith("toolset")]) == 1


def test_the_document_that_is_about_a_term_is_its_best_reference():
    listed = "# Index\n\n## Links\n\n- [Umami](umami.md) - analytics of all the sites\n"
    page = "# Umami\n\nUmami counts the visits of all sites.\n"
    [umami] = [one for one in hot(made(listed, page)) if one.term == "umami"]
    assert umami.document == 1


def test_a_definition_comes_before_a_link_to_one():
    linked = "- [Umami](https://umami.example) - analytics of all the sites\n"
    defined = "**Umami** - counts the visits of all sites\n"
    [umami] = [one for one in hot(made(linked, defined)) if one.term == "umami"]
    assert umami.document == 1


def test_values_stand_in_for_a_description_that_is_missing():
    text = "| Host | VPN IP | OS |\n|---|---|---|\n| bremen | 10.9.0.2 | DSM 7 |\n"
    [bremen] = [one for one in hot(made(text)) if one.term == "bremen"]
    assert bremen.summary == "vpn ip 10.9.0.2, os DSM 7"


def test_the_main_identifier_is_not_the_one_of_staging():
    text = (
        "# Atlas\n\nAtlas is our geocoding service.\n\n- Staging URL: https://s.atlas.example\n"
        "- URL: https://atlas.example\n"
    )
    [atlas] = [one for one in hot(made(text)) if one.term == "atlas"]
    assert "(https://atlas.example)" in atlas.summary


def test_the_order_depends_on_nothing_but_the_documents(digests):
    assert hot(digests) == hot(list(reversed(digests)))
    moved = [replace(one) for one in digests]
    assert hot(moved) == hot(digests)


def test_no_documents_have_no_hot_terms_but_pins():
    assert hot([]) == []
    assert names(hot([], pins=["cube"])) == ["cube"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("HDRPop Operations", "hdrpop"),
        ("Kopia", "kopia"),
        ("The Umami Runbook", "umami"),
        ("The Umami Dashboard", "umami dashboard"),
        ("Umami cache runbook", "umami cache"),
        ("Server umami", "umami"),
        ("Hugging Face", "hugging face"),
        ("db-01 (primary)", "db-01"),
        ("Frigate: the cameras", "frigate"),
        ("How to deploy Umami", ""),
        ("Umami on clifford", ""),
        ("Analytics API", ""),
        ("Getting started", ""),
        ("1.2.3", ""),
        ("", ""),
    ],
)
def test_a_title_names_what_is_special_in_it(title, name):
    assert name_in(title) == name


def test_common_words_are_told_from_names():
    assert all(map(is_common, ["the", "server", "servers", "house", "endpoint", "troubleshooting"]))
    assert not any(map(is_common, ["kopia", "cube", "clifford", "hdrpop", "hetzner"]))
    assert is_special("db-01")
    assert not is_special("2.0.1")
    assert share(stem("house")) > share(stem("hetzner"))


def runbook(name: str) -> str:
    meaning = f"## Meaning\n\n{name} fires at last.\n\n"
    return f"# {name}\n\n{meaning}## Zorbling\n\nZorble all of it by hand.\n"


def test_a_heading_of_every_document_of_a_template_is_no_term():
    names_of_alerts = [f"Alert{letter}Fires" for letter in "abcdef"]
    found = names(hot(made(*map(runbook, names_of_alerts))))
    assert not {"zorbling", "meaning"} & set(found)
    assert {name.casefold() for name in names_of_alerts} <= set(found)


def test_a_heading_of_a_template_is_no_term_though_a_document_is_called_so():
    texts = [runbook(f"Alert{letter}Fires") for letter in "abcdef"]
    texts.append("# Zorbling\n\nZorbling is done by hand.\n")
    assert "zorbling" not in names(hot(made(*texts)))


def test_a_heading_of_two_documents_is_a_term():
    assert "zorbling" in names(hot(made(runbook("AlertA"), runbook("AlertB"))))


@pytest.mark.parametrize(
    "path", ["LICENSE", "docs/CHANGELOG.md", "a/license.txt", "COPYING.md", "b/OWNERS"]
)
def test_a_licence_or_a_list_of_changes_offers_no_terms_and_no_facts(path):
    text = "# Zorble\n\n- **Zorble** (10.0.0.1) - it fizzles\n\nZorble is what fizzles here.\n"
    told = digest(DocumentView(1, "s", path, None, text))
    assert not told.candidates
    assert not told.facts
    assert told.summary.text == "Zorble is what fizzles here."
    assert digest(DocumentView(1, "s", "changing.md", None, text)).facts


def test_documents_in_a_folder_do_not_explain_what_it_is_called():
    views = [
        DocumentView(
            number,
            "s",
            f"zorble/{name}.md",
            None,
            f"# {name} it all at once, or not\n\n{name} is done by hand.\n",
        )
        for number, name in enumerate(("Restart", "Restore", "Remove"))
    ]
    assert "zorble" not in names(hot([digest(view) for view in views]))
    index = DocumentView(9, "s", "zorble/index.md", None, "# Overview\n\nThe tool for all of it.\n")
    assert "zorble" in names(hot([digest(view) for view in [*views, index]]))


def alerts(*names_of_them: str) -> list[DocumentView]:
    return [
        DocumentView(
            number,
            "s",
            f"runbooks/zorblex/{name}.md",
            None,
            f"# Zorblex {name}\n\nIt fired at {name}.\n",
        )
        for number, name in enumerate(names_of_them)
    ]


def test_the_page_that_defines_what_several_are_about_is_its_best_reference():
    views = alerts("Bad Config", "Failed Reload", "Members Inconsistent")
    views.append(DocumentView(9, "s", "a.md", None, "# Tools\n\nZorblex is a mill for zorbles.\n"))
    [zorblex] = [one for one in hot([digest(view) for view in views]) if one.term == "zorblex"]
    assert zorblex.document == 9
    assert zorblex.summary == "a mill for zorbles"


def test_a_name_in_sentences_about_something_else_is_not_hot():
    texts = ["# Alerts\n\nIt fires when Zorblex is down. Call for Zorblex then.\n"] * 4
    assert "zorblex" not in names(hot(made(*texts)))


@pytest.mark.parametrize(
    "title",
    ["Create Zorblex", "Remove Zorblex", "Using Zorblex", "Keep Zorblex up"],
)
def test_an_instruction_names_nothing(title):
    assert name_in(title) == ""
    text = f"# Notes\n\n## {title}\n\nThere is one way to do all of this.\n"
    assert not [name for name in names(hot(made(text))) if "zorblex" in name]


def test_a_document_of_nothing_but_its_title_says_nothing_of_a_plain_word():
    views = [DocumentView(1, "s", "networking.md", None, "# Networking\n\n```\ncode\n```\n")]
    assert names(hot([digest(view) for view in views])) == []


def many(*texts: str, others: int = 20):
    return made(*texts, *(f"# Note {number}\n\nNothing of it.\n" for number in range(others)))


OUTCOME = "- **Outcome**: all is well now, and stays so.\n\nIt had {} outcome.\n"


def test_a_word_that_is_said_as_one_of_many_is_no_name():
    texts = [f"# Zork {n}\n\n## Outcome\n\n{OUTCOME.format('an')}" for n in range(4)]
    assert "outcome" not in names(hot(many(*texts)))


def test_a_name_is_told_by_how_it_is_written():
    mention = "The load is on Zorblex now. We asked Zorblex for it, see `zorblex`.\n"
    text = "# Tools\n\nZorblex is a mill for zorbles.\n"
    assert "zorblex" in names(hot(many(text, mention, mention)))
    lower = mention.replace("Zorblex", "zorblex").replace("`", "")
    assert "zorblex" not in names(hot(many(text, lower, lower)))


def test_a_machine_that_one_reaches_is_hot_in_small_letters():
    table = "# Hosts\n\n## Servers\n\n| Host | IP |\n|---|---|\n| frobnitz | 10.0.0.5 |\n"
    assert "frobnitz" in names(hot(many(table, *["It runs on frobnitz.\n"] * 3)))


def test_a_plain_word_is_hot_if_a_document_is_called_so_and_others_write_it_as_a_name():
    page = DocumentView(90, "s", "log.md", None, "# Log\n\nLog writes down all requests.\n")
    uses = ["We turn on `log` here.\n", "The use of `log` is free.\n"]
    assert "log" in names(hot([*many(*uses), digest(page)]))
    assert "log" not in names(hot([*many("We log it.\n"), digest(page)]))


def test_two_spellings_of_a_name_are_one_row():
    page = "# {}\n\n{} is a mill for zorbles. We like the Zorb-mill, or call it Zorb Mill.\n"
    spelt = [page.format(name, name) for name in ("Zorb-mill", "Zorb Mill")]
    assert len([name for name in names(hot(many(*spelt))) if name.startswith("zorb")]) == 1


def test_settings_of_a_program_are_no_terms():
    view = DocumentView(
        1, "s", "people.json", None, '```json\n{"testers": [{"name": "Zorba", "port": 99}]}\n```\n'
    )
    assert hot([digest(view)]) == []


def test_remarks_of_a_makefile_are_no_terms():
    view = DocumentView(1, "s", "Makefile", None, "# Zorblex\n\nZorblex is what runs all of it.\n")
    assert hot([digest(view)]) == []
