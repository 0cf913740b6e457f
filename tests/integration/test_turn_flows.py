"""The example flows of the specification of turns, told over a site on loopback.

Source: the specification of document IO, section 14.
"""

from __future__ import annotations

import json

import pytest

from integration.turn_world import (
    ACCESS,
    FIND_SOME,
    HAMSTERS,
    LAPTOP,
    READ_HAMSTERS,
    READ_LAPTOP,
    READ_THREAD,
    THREAD,
    TITLES,
    list_quotes,
)
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns.context_document import read_sections
from wellworn.domain.turns.links import find_links
from wellworn.kit.markdown import Markdown

READS = True

# ----------------------------------------------------------- 14.1: what is known already


def test_a_follow_up_is_answered_from_what_an_earlier_turn_read(person, site):
    person.ask("My favourite hamster is Syrian.")
    person.ask(READ_HAMSTERS)
    reply = person.ask(FIND_SOME)
    analysis = person.read_analysis(reply)
    assert analysis["resolved_query"] == (
        "Can you find me some Syrian hamsters for sale online please?"
    )
    assert (analysis["query_type"], analysis["content_reference"]) == ("followup", None)
    assert (reply.turn.topic, reply.turn.intent) == ("hamsters.syrian_hamsters", "transactional")
    sections = person.read_sections(reply)
    assert [*sections] == ["0", "1", "2", "3", "5", "6"]
    assert "**Decision:** PROCEED" in sections["1"]
    assert "| favorite_hamster | Syrian | Turn 1 |" in sections["2"]
    results = "**Top Results:**\n\n| Product | Price | Source |\n|---|---|---|\n"
    assert f"{results}| Syrian Hamster | $25-$35 | 127.0.0.1 |\n" in sections["2"]
    assert sections["2"].count("**Topic:** hamsters") == 1
    assert "**Assessment:** SUFFICIENT" in sections["2"]
    assert "**Route To:** synthesis" in sections["3"]
    assert "**Decision:** APPROVE" in sections["6"]
    assert "$25-$35" in reply.text
    assert site.visits["/hamsters"] == 1


def test_what_a_page_said_of_a_price_is_looked_up_again_when_it_is_old(person, site):
    person.ask("My favourite hamster is Syrian.")
    person.ask(READ_HAMSTERS)
    site.bodies["/hamsters"] = HAMSTERS.format(price="$40")
    person.clock.advance(hours=7)
    reply = person.ask(FIND_SOME)
    assert "STALE_RESEARCH" in person.read_sections(reply)["2"]
    assert site.visits["/hamsters"] == 2
    assert "$40" in reply.text
    assert "$25-$35" not in reply.text


@pytest.mark.parametrize("asked", ["Please find me a few for sale", "Where could I buy some?"])
def test_what_is_for_sale_is_told_in_whatever_words_it_is_asked(person, site, asked):
    person.ask("What does {site}/hamsters say about how long Syrian hamsters live?")
    assert "$25-$35" in person.ask(asked).text
    assert site.visits["/hamsters"] == 1


def test_a_page_whose_title_is_a_question_is_asked_about_once(person, site):
    site.titles["/thread"] = "Which glass scraper? And what about blades? | Forum"
    person.ask(READ_THREAD)
    reply = person.ask("how many pages has that discussion?")
    assert list_quotes(reply) == ["Page 1 of 3"]
    assert "Goals Identified" not in person.read(reply)
    manifest = json.loads(person.read_capture(person.ask(READ_THREAD), "manifest.json"))
    elements = ["title", "author", "comments", "products", "pagination", "headings"]
    assert manifest["content_summary"]["visible_elements"] == elements


def test_what_is_in_stock_is_told_of_each_thing_that_a_page_offers(person, site):
    rows = "<tr><td>Kettle, red</td><td>$64</td><td>Yes</td></tr><tr><td>Kettle, blue</td>"
    head = "<tr><th>Product</th><th>Price</th><th>In Stock</th></tr>"
    site.bodies["/laptop"] = f"<table>{head}{rows}<td>$59</td><td>No</td></tr></table>"
    person.ask(READ_LAPTOP)
    reply = person.ask("is it still in stock?")
    assert list_quotes(reply) == ["Kettle, red: Yes; Kettle, blue: No"]
    assert site.visits["/laptop"] == 2


def test_what_does_not_change_is_not_looked_up_again_however_old(person, site):
    person.ask(READ_HAMSTERS)
    person.clock.advance(hours=700)
    reply = person.ask("Do they live alone?")
    assert list_quotes(reply) == ["Syrian hamsters live alone and need a wheel."]
    assert site.visits["/hamsters"] == 1


def test_a_preference_answers_only_who_asks_for_it(person):
    person.ask("My favourite hamster is Syrian.")
    assert list_quotes(person.ask("What is my favourite hamster?")) == ["Syrian"]
    reply = person.ask("How do I care for hamsters?")
    assert not reply.claims
    assert "favorite_hamster" not in reply.text


# ---------------------------------------------------------- 14.2: a page that was visited


def test_a_visit_captures_what_later_questions_ask(person, site):
    reply = person.ask(READ_THREAD)
    manifest = json.loads(person.read_capture(reply, "manifest.json"))
    assert (manifest["url"], manifest["title"]) == (site.url("/thread"), TITLES["/thread"])
    assert (manifest["turn_number"], manifest["visited_at"]) == (1, "2026-02-23T15:01:00.000000Z")
    summary = manifest["content_summary"]
    assert (summary["type"], summary["page_info"]) == ("forum_thread", "Page 1 of 3")
    assert (summary["comment_count"], summary["has_pagination"]) == (47, True)
    assert {"how many pages", "when was it posted"} <= {*manifest["answerable_questions"]}
    data = json.loads(person.read_capture(reply, "extracted_data.json"))
    assert (data["author"], data["posted"]) == ("u/AquaristBob", "2 days ago")
    assert data["pagination"] == {"current_page": 1, "total_pages": 3}
    content = person.read_capture(reply, "page_content.md")
    assert f"**URL:** {site.url('/thread')}" in content
    assert "Flipper Max" in content.partition("## Page Text")[2]
    front = Markdown(content).front_matter
    assert front is not None
    wanted = {"session_id": "henry", "topic": "scrapers.glass_scrapers", "intent": "navigation"}
    assert {key: front.value(key) for key in wanted} == wanted
    assert front.value("topic") == json.loads(person.read(reply, "research.json"))["topic"]


def test_products_that_people_mention_are_captured_and_told_without_another_visit(person, site):
    site.bodies["/thread"] += "<p>u/NanoFan: Try the Mag-Float, or a Flipper Max.</p>"
    read = person.ask(READ_THREAD)
    data = json.loads(person.read_capture(read, "extracted_data.json"))
    assert data["products_mentioned"] == [
        {"name": "Flipper Max", "mentions": 2},
        {"name": "Mag-Float", "mentions": 1},
    ]
    manifest = json.loads(person.read_capture(read, "manifest.json"))
    assert "which products are mentioned" in manifest["answerable_questions"]
    reply = person.ask("Which products does the thread mention?")
    assert "- Flipper Max (mentioned 2 times)" in reply.text
    assert "- Mag-Float (mentioned once)" in reply.text
    assert site.visits == {"/thread": 1}


def test_a_page_on_which_nobody_talks_mentions_no_products(person, site):
    site.bodies["/laptop"] = "<p>It is better than the Lenovo Legion Five.</p>"
    data = json.loads(person.read_capture(person.ask(READ_LAPTOP), "extracted_data.json"))
    assert "products_mentioned" not in data


def test_the_thread_is_one_where_people_talk_whatever_was_visited_since(person, site):
    person.ask(READ_THREAD)
    person.ask(READ_HAMSTERS)
    analysis = person.read_analysis(person.ask("how many pages is the thread?"))
    assert analysis["content_reference"]["source_url"] == site.url("/thread")
    analysis = person.read_analysis(person.ask("what is the page about?"))
    assert analysis["content_reference"]["source_url"] == site.url("/thread")


def test_a_question_about_a_page_is_answered_from_its_capture(person, site):
    person.ask(READ_THREAD)
    reply = person.ask("how many pages is the thread?")
    analysis = person.read_analysis(reply)
    assert analysis["resolved_query"] == (
        "how many pages is the 'Best glass scraper thoughts?' thread on 127.0.0.1?"
    )
    assert (analysis["query_type"], analysis["was_resolved"]) == ("specific_content", True)
    reference = analysis["content_reference"]
    assert reference["title"] == TITLES["/thread"]
    assert (reference["content_type"], reference["site"]) == ("thread", "127.0.0.1")
    assert (reference["source_turn"], reference["source_url"]) == (1, site.url("/thread"))
    assert reference["has_webpage_cache"]
    assert (person.vault / reference["webpage_cache_path"] / "manifest.json").is_file()
    sections = person.read_sections(reply)
    assert [*sections] == ["0", "1", "2", "3", "5", "6"]
    assert "- Source Turn: 1" in sections["0"]
    assert "> Page 1 of 3" in sections["2"]
    assert "**Route To:** synthesis" in sections["3"]
    assert list_quotes(reply) == ["Page 1 of 3"]
    assert site.visits["/thread"] == 1


def test_what_is_quoted_of_a_page_is_linked_in_both_ways(person):
    person.ask(READ_THREAD)
    reply = person.ask("how many pages is the thread?")
    [source] = reply.evidence
    lines = person.read(reply).splitlines()
    [line] = [each for each in lines if each.endswith("^evidence-1")]
    label, relative = source.link.removeprefix("turns/"), source.link.replace("turns/", "../")
    assert line == f"- [E1] [{label}]({relative}) | [[{source.link}|{label}]] ^evidence-1"
    targets = {link.path for link in find_links(f"{reply.turn.folder}/context.md", line)}
    assert targets == {source.link}
    assert (person.vault / source.link).is_file()


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("how many comments does the thread have?", "47"),
        ("who wrote the thread?", "u/AquaristBob"),
        (
            "how long did they use the Flipper Max?",
            "u/ReefKeeper99: I have used the Flipper Max for 3 years and it is fantastic.",
        ),
    ],
)
def test_each_level_of_a_capture_answers_what_it_holds(person, site, question, quote):
    person.ask(READ_THREAD)
    [said] = list_quotes(person.ask(question))
    assert quote in said
    assert site.visits["/thread"] == 1


def test_a_page_is_remembered_as_long_as_turns_speak_of_it(person, site):
    person.ask(READ_THREAD)
    for _ in range(4):
        reply = person.ask("how many pages is the thread?")
    assert list_quotes(reply) == ["Page 1 of 3"]
    assert person.read_analysis(reply)["content_reference"]["source_turn"] == 1
    assert site.visits["/thread"] == 1


def test_new_comments_are_looked_for_on_the_page(person, site):
    person.ask(READ_THREAD)
    site.bodies["/thread"] = THREAD.format(comments=52)
    reply = person.ask("check the thread for new comments")
    assert list_quotes(reply) == ["52"]
    assert site.visits["/thread"] == 2


# ------------------------------------------------------- 14.3: what may have changed since


def test_what_may_have_changed_is_read_again_where_it_stood(person, site):
    person.ask(READ_LAPTOP)
    site.bodies["/laptop"] = LAPTOP.format(price="$697.00", stock="Sold out")
    reply = person.ask("is the laptop still in stock?")
    analysis = person.read_analysis(reply)
    assert analysis["query_type"] == "specific_content"
    assert analysis["content_reference"]["has_webpage_cache"]
    assert analysis["content_reference"]["source_url"] == site.url("/laptop")
    sections = person.read_sections(reply)
    assert [*sections] == [*"0123456"]
    assert "Cached data exists but may have changed" in sections["2"]
    assert f"{site.url('/laptop')} is there for a fresh check" in sections["2"]
    assert "**Assessment:** STALE_RESEARCH" in sections["2"]
    assert "**Route To:** coordinator" in sections["3"]
    assert f'`web.visit(url="{site.url("/laptop")}")`' in sections["4"]
    assert "**Tool Calls:** 1/20" in sections["4"]
    assert f"- Sold out ({site.url('/laptop')}) · confidence 1.00" in sections["4"]
    assert list_quotes(reply) == ["Sold out"]
    assert site.visits["/laptop"] == 2


def test_a_second_look_is_never_mixed_with_the_first(person, site):
    person.ask(READ_LAPTOP)
    site.bodies["/laptop"] = LAPTOP.format(price="$599.00", stock="Sold out")
    for question in ("is the laptop still available?", "is the laptop still available?"):
        reply = person.ask(question)
        assert list_quotes(reply) == ["Sold out"]
        assert "may have changed" not in reply.text
    prices = person.ask("what is the price of the laptop?")
    assert list_quotes(prices) == ["$599.00"]


def test_a_price_is_captured_with_what_it_is_of(person, site):
    site.bodies["/hamsters"] = HAMSTERS.format(price="$25-$35").replace(
        "</table>", "<tr><td>Roborovski Hamster</td><td>12 EUR</td><td>No</td></tr></table>"
    )
    read = person.ask(READ_HAMSTERS)
    data = json.loads(person.read_capture(read, "extracted_data.json"))
    assert data["prices"] == [
        {"name": "Syrian Hamster", "price": "$25-$35", "currency": "$", "availability": "Yes"},
        {"name": "Roborovski Hamster", "price": "12 EUR", "currency": "EUR", "availability": "No"},
    ]
    reply = person.ask("What does the Roborovski cost on that page?")
    assert "- Roborovski Hamster | 12 EUR" in list_quotes(reply)[0]


def test_it_is_the_page_that_the_turn_before_was_about(person, site):
    person.ask(READ_LAPTOP)
    site.bodies["/laptop"] = LAPTOP.format(price="$697.00", stock="Sold out")
    reply = person.ask("is it still in stock?")
    assert person.read_analysis(reply)["content_reference"]["source_url"] == site.url("/laptop")
    assert list_quotes(reply) == ["Sold out"]
    assert site.visits["/laptop"] == 2


def test_they_are_who_offers_what_the_turn_before_was_about(person, site):
    person.ask(READ_LAPTOP)
    site.bodies["/laptop"] = LAPTOP.format(price="$697.00", stock="Sold out")
    reply = person.ask("do they still have it?")
    assert reply.turn.resolved_query == "do 127.0.0.1 still have Lenovo LOQ?"
    assert list_quotes(reply) == ["Sold out"]
    assert site.visits["/laptop"] == 2
    other = person.ask("do they sell chargers?")
    assert other.turn.resolved_query == "do 127.0.0.1 sell chargers?"


def test_that_is_the_thing_on_the_page_of_the_turn_before(person, site):
    site.bodies["/laptop"] += "<p>Its charger needs the USB-C port on the left.</p>"
    person.ask(READ_LAPTOP)
    reply = person.ask("Which port does that need?")
    assert person.read_analysis(reply)["content_reference"]["source_url"] == site.url("/laptop")
    assert "USB-C port on the left" in reply.text
    assert site.visits["/laptop"] == 1


def test_what_cannot_be_read_again_is_told_as_it_was_with_a_warning(person, site):
    person.ask(READ_LAPTOP)
    del site.bodies["/laptop"]
    reply = person.ask("is the laptop still in stock?")
    assert "“In stock” [1] (may have changed)" in reply.text
    [source] = reply.evidence
    assert source.is_stale
    assert "- FAILED: " in person.read_sections(reply)["4"]
    assert site.visits["/laptop"] == 2


def test_a_query_that_names_its_page_means_no_other(person):
    person.ask(READ_THREAD)
    reply = person.ask("What does {site}/laptop say about the glass?")
    assert reply.turn.resolved_query == reply.turn.query
    assert person.read_analysis(reply)["content_reference"] is None


def test_every_page_that_a_query_names_is_visited(person, site):
    person.ask("What do {site}/thread and {site}/laptop say about the RTX 4050?")
    assert site.visits == {"/thread": 1, "/laptop": 1}


def test_what_is_answered_is_not_searched_for(person):
    sections = person.read_sections(person.ask(READ_LAPTOP))
    assert "web.visit" in sections["4"]
    assert "knowledge.resolve" not in sections["4"]


def test_a_page_is_read_once_in_a_turn_that_looks_twice(person, site):
    reply = person.ask("What does {site}/thread say about zebras?")
    attempts = [section.attempt for section in read_sections(person.read(reply))]
    assert max(attempts) == 2
    assert not reply.claims
    assert site.visits["/thread"] == 1
    results = person.read(reply, "toolresults.md")
    assert "Flipper Max" in results
    assert "## 5. memory" in results


@pytest.mark.parametrize(
    ("path", "author", "points", "text", "more"),
    [
        (
            "/nested",
            "u/ReefKeeper99",
            1127,
            "Blades scratch; take the Flipper Max.",
            {"pagination": {"current_page": 2, "total_pages": 7}},
        ),
        ("/board", "TintHero", 41, "Steam and a plastic scraper.", {"comment_count": 2}),
    ],
)
def test_the_top_comment_is_told_without_another_visit(
    person, site, path, author, points, text, more
):
    read = person.ask(f"What does {site.url(path)} say about scrapers?")
    data = json.loads(person.read_capture(read, "extracted_data.json"))
    assert data["top_comments"][0] == {"author": author, "text": text, "points": points}
    assert more.items() <= data.items()
    for question in ("What's the top comment?", "who wrote the best reply?"):
        reply = person.ask(question)
        assert f"{author} ({points} points): {text}" in reply.text
        reference = person.read_analysis(reply)["content_reference"]
        assert (reference["source_url"], reference["source_turn"]) == (site.url(path), 1)
        assert [item.link for item in reply.evidence] == [
            f"{reference['webpage_cache_path']}/extracted_data.json"
        ]
    assert site.visits == {path: 1}


def test_a_top_comment_of_no_thread_is_looked_for_like_anything(person, site):
    person.ask(READ_LAPTOP.format(site=site.url()))
    reply = person.ask("What's the top comment?")
    assert person.read_analysis(reply)["content_reference"] is None
    assert not reply.claims


# ------------------------------------------------------------- how sources are numbered


def test_an_answer_counts_its_sources_from_one_whatever_was_seen_before_it(person, site):
    person.ask("My favourite hamster is Syrian.")
    draft = ThoughtDraft("The boats of the neighbours are painted in May.", "ann", "Ann")
    person.app.thoughts.think(ACCESS, draft)
    reply = person.ask(READ_HAMSTERS)
    document = person.read(reply)
    assert "**[near]** Ann said" in document
    assert "| Syrian Hamster | $25-$35 | Yes |\n\nSources:\n[1] " in reply.text
    assert reply.evidence[0].number == 1
    assert "**[E1]** Syrian hamsters for sale" in person.read(reply, "toolresults.md")
    claims = document.partition("### Claims Extracted")[2].partition("### Details")[0]
    [claim] = claims.strip().splitlines()
    assert claim == (
        f"- Syrian hamsters live alone and need a wheel. ({site.url('/hamsters')}) · "
        "confidence 0.90 · TTL 6h ^claim-001"
    )
