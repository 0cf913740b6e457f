"""Research documents: read back as they were written, edited by hand, aged and promoted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.domain.turns.links import find_links
from wellworn.domain.turns.listings import ProductListing
from wellworn.domain.turns.models import Intent
from wellworn.domain.turns.research.documents import (
    Research,
    ResearchFact,
    ResearchScope,
    ResearchSource,
    amend_research,
    format_research,
    read_research,
)
from wellworn.domain.turns.research.lifecycle import ResearchState, find_state, promote, replaces
from wellworn.domain.turns.research.writing import ReadPage, find_facts, find_listings

HOUR = 3_600
MADE = 1_771_858_800.0
CAPTURE = "turns/turn_000759/webpage_cache/shop_abc12345"
SHOP = ResearchSource(
    "https://shop.example/hamsters",
    "Hamsters for sale",
    "shop.example",
    "page",
    0.85,
    MADE,
    CAPTURE,
)
CLUB = ResearchSource("https://club.example/care", "Care", "club.example", "thread", 0.5, MADE)
RESEARCH = Research(
    id="research_759_abc123",
    turn=759,
    user_id="henry",
    query="Syrian hamsters for sale online",
    topic="hamster.syrian_hamster",
    intent=Intent.TRANSACTIONAL,
    quality=0.85,
    created_at=MADE,
    expires_at=MADE + 6 * HOUR,
    sources=(SHOP, CLUB),
    facts=(ResearchFact("Syrian hamsters live alone.", 2),),
    listings=(
        ProductListing("Syrian Hamster", "$25-$35", "Yes", 1),
        ProductListing("Cage", "$40", "", 1),
    ),
    used_by=(760, 763),
)

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).filter(
    lambda text: text != "-"
)
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)


@given(line=lines, product=lines, query=lines)
@example(line="## 5. Synthesis | [2] ^fact-009", product="a | b \\| c", query='say "no": yes')
def test_a_document_is_read_as_it_was_written(line, product, query):
    written = replace(
        RESEARCH,
        query=query,
        facts=(ResearchFact(line, 2), ResearchFact("Two of them fight.", 1)),
        listings=(ProductListing(product, "$1", "No", 1),),
    )
    read = read_research(format_research(written))
    assert read is not None
    # What commands a terminal is written in another way, once and for all.
    assert read_research(format_research(read)) == read
    assert [fact.source for fact in read.facts] == [2, 1]
    assert (len(read.listings), read.used_by, read.sources) == (1, (760, 763), written.sources)
    assert replace(read, facts=(), listings=(), query="") == replace(
        written, facts=(), listings=(), query=""
    )


def test_a_document_of_plain_words_is_read_word_for_word():
    assert read_research(format_research(RESEARCH)) == RESEARCH


def test_its_links_lead_to_the_capture_and_to_every_turn_that_used_it():
    targets = {link.path for link in find_links(RESEARCH.path, format_research(RESEARCH))}
    assert targets == {
        f"{CAPTURE}/page_content.md",
        *(f"turns/turn_{number:06d}/context.md" for number in (759, 760, 763)),
    }


def test_what_people_add_is_read_and_survives_what_the_life_of_a_document_changes():
    text = format_research(RESEARCH).replace(
        "### General Facts\n", "### General Facts\n- They sleep by day.\n"
    )
    text += "\n## My notes\nAsk the breeder.\n"
    changed = replace(
        RESEARCH,
        scope=ResearchScope.USER,
        superseded_by="research_764_def456",
        used_by=(760, 763, 764),
    )
    amended = amend_research(text, changed)
    read = read_research(amended)
    assert read is not None
    assert read.facts[0] == ResearchFact("They sleep by day.", 0)
    assert (read.scope, read.superseded_by, read.used_by) == (
        ResearchScope.USER,
        "research_764_def456",
        (760, 763, 764),
    )
    assert amended.endswith("## My notes\nAsk the breeder.\n")
    assert "- **Scope:** user\n- **Superseded By:** research_764_def456\n" in amended
    assert amend_research(amended, changed) == amended


@pytest.mark.parametrize("text", ["", "# no front matter", "---\nid: x\nturn_number: many\n---\n"])
def test_what_is_no_research_document_is_none(text):
    assert read_research(text) is None


# ----------------------------------------------------------- what is kept of a page

PAGE = """# Hamsters for sale

Syrian hamsters live alone and need a wheel. They sleep by day.

| Product | Price | In Stock |
| --- | --- | --- |
| Syrian Hamster | $25-$35 | Yes |
| Retired Breeder | $10.00 | No |

- Wheel, wooden - $19.50 - in stock
- Bedding of hemp

### Glass tank 125

€1,299.00

Sold out

Shipping is free above $100.
"""


def test_listings_are_rows_items_and_what_a_heading_names():
    listings = find_listings(ReadPage(1, "Hamsters", PAGE))
    assert [(each.product, each.price, each.stock) for each in listings] == [
        ("Syrian Hamster", "$25-$35", "Yes"),
        ("Retired Breeder", "$10.00", "No"),
        ("Wheel, wooden", "$19.50", "in stock"),
        ("Glass tank 125", "€1,299.00", ""),
        ("Shipping is free above", "$100", ""),
    ]


@pytest.mark.parametrize(
    ("price", "currency"),
    [("€ 12", "EUR"), ("£12-£15", "GBP"), ("12 USD", "USD"), ("$12", "$"), ("free", "")],
)
def test_a_currency_is_the_one_that_the_price_states(price, currency):
    assert ProductListing("a hamster", price, "", 1).currency == currency


def test_facts_are_sentences_about_the_query_without_prices():
    facts = find_facts(ReadPage(3, "Hamsters", PAGE), "Do Syrian hamsters need a wheel?")
    assert facts == [ResearchFact("Syrian hamsters live alone and need a wheel.", 3)]


def test_a_page_whose_title_says_it_all_gives_its_first_sentences():
    text = "They sleep by day and run at night.\n\nOne to a cage, or they fight."
    facts = find_facts(ReadPage(1, "Syrian hamsters", text), "Tell me about Syrian hamsters")
    assert [fact.text for fact in facts] == [
        "They sleep by day and run at night.",
        "One to a cage, or they fight.",
    ]


def test_a_page_about_something_else_gives_nothing():
    page = ReadPage(1, "Ships", "The hull is made of oak and painted white.")
    assert find_facts(page, "Do Syrian hamsters need a wheel?") == []


# ----------------------------------------------------------- its life


@pytest.mark.parametrize(
    ("hours", "state"),
    [
        (0, ResearchState.ACTIVE),
        (5.9, ResearchState.ACTIVE),
        (6, ResearchState.STALE),
        (173.9, ResearchState.STALE),
        (174, ResearchState.EXPIRED),
    ],
)
def test_listings_grow_stale_and_expire(hours, state):
    now, stale_s = MADE + hours * HOUR, 168 * HOUR
    ages = {"expires_at": MADE + 6 * HOUR, "now": now, "stale_s": stale_s}
    assert find_state(superseded_by=None, **ages) is state
    assert find_state(superseded_by="research_9_x", **ages) is ResearchState.SUPERSEDED


def test_what_has_no_listings_stays_active():
    ages = {"expires_at": None, "now": MADE + 1e9, "stale_s": 1.0}
    assert find_state(superseded_by=None, **ages) is ResearchState.ACTIVE


@pytest.mark.parametrize(
    ("trust", "uses", "hours", "is_read", "scope"),
    [
        (0.5, 3, 1, False, ResearchScope.USER),
        (0.49, 3, 1, False, ResearchScope.NEW),
        (0.5, 2, 1, False, ResearchScope.NEW),
        (0.5, 3, 0.9, False, ResearchScope.NEW),
        (0.8, 10, 24, True, ResearchScope.GLOBAL),
        (0.8, 10, 24, False, ResearchScope.USER),
        (0.79, 10, 24, True, ResearchScope.USER),
        (0.8, 9, 24, True, ResearchScope.USER),
        (0.8, 10, 23.9, True, ResearchScope.USER),
    ],
)
def test_a_scope_is_earned_by_trust_use_and_age(trust, uses, hours, is_read, scope):
    earned = promote(
        ResearchScope.NEW, trust=trust, uses=uses, age_s=hours * HOUR, is_read_by_others=is_read
    )
    assert earned is scope


@pytest.mark.parametrize("scope", ResearchScope)
def test_a_scope_is_never_lost(scope):
    assert promote(scope, trust=0.0, uses=0, age_s=0.0, is_read_by_others=False) is scope


def test_a_later_document_replaces_one_whose_every_page_it_read():
    later = replace(RESEARCH, id="research_760_x", turn=760)
    assert replaces(later, RESEARCH)
    assert not replaces(RESEARCH, later)
    assert not replaces(replace(later, sources=(SHOP,)), RESEARCH)
    assert replaces(later, replace(RESEARCH, sources=(SHOP,)))
