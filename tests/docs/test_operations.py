"""Numbers and names in the prose of docs/operations.md, concepts.md and security.md."""

from __future__ import annotations

import re
from math import log
from pathlib import Path

import pytest

from docs.pages import rows, sections, text_of
from wellworn.domain.audit.service import CHECKPOINT_EVERY
from wellworn.domain.memory.store import KEPT_FOR_S
from wellworn.domain.spaces import SpaceSettings
from wellworn.domain.spaces.credentials import LONGEST_LIFE_S
from wellworn.domain.spaces.service import LONGEST_INVITATION_S
from wellworn.domain.thoughts import pheromone
from wellworn.domain.thoughts.drafts import LONGEST_CONTENT, LONGEST_CONTEXT
from wellworn.domain.thoughts.features import PASSAGES
from wellworn.domain.thoughts.tags import LONGEST_TAG, MOST_TAGS
from wellworn.domain.thoughts.trail import COUNTS_ONCE_PER_S, HIGHWAY_ACCESSES, HIGHWAY_AGENTS
from wellworn.engines.daemon import launch
from wellworn.interfaces.http.gate import LONGEST_BODY, LONGEST_IMPORT
from wellworn.interfaces.http.v1.transfer import MOST_LINES

OPERATIONS = "docs/operations.md"
CONCEPTS = "docs/concepts.md"
SECURITY = "docs/security.md"
TESTS = re.compile(r"`(tests/[\w/]+\.py)`")
MEBIBYTE = 1024 * 1024
DAY_S = 86_400
SPACES = SpaceSettings()
READS, WRITES = f"{SPACES.reads_a_minute:,} reading", f"{SPACES.writes_a_minute} writing"
TRANSFERS, ADMINISTRATION = SPACES.transfers_a_minute, SPACES.administration_a_minute

LIMITS = {
    "prompt, content, query": f"{LONGEST_CONTENT:,} characters",
    "context, reason": f"{LONGEST_CONTEXT:,} characters",
    "tags": f"{MOST_TAGS} of {LONGEST_TAG} characters",
    "body of a request": f"{LONGEST_BODY // MEBIBYTE} MiB; {LONGEST_IMPORT // MEBIBYTE} MiB"
    f" and {MOST_LINES:,} lines for an import",
    "answers kept for retries": f"{KEPT_FOR_S / 3600:.0f} hours",
    "life of an invitation · of a credential that ends": f"{LONGEST_INVITATION_S / DAY_S:.0f} days"
    f" · {LONGEST_LIFE_S / DAY_S / 365:.0f} years",
    "calls of a member a minute": f"{READS}, {WRITES}, {TRANSFERS} transfers,"
    f" {ADMINISTRATION} administrative",
}
SENTENCES = {
    OPERATIONS: [
        f"ends after {launch.IDLE_EXIT_S // 60} minutes without a call",
        f"at most {PASSAGES}.",
        f"At most {SPACES.most_open} are open at once",
        f"without a call for {SPACES.idle_s / 60:.0f} minutes",
        f"Every {CHECKPOINT_EVERY:,} entries",
    ],
    SECURITY: [
        f"{READS}, {WRITES}, {TRANSFERS} transfer and {ADMINISTRATION} administrative",
    ],
    CONCEPTS: [
        f"at least {HIGHWAY_ACCESSES} questions of at least {HIGHWAY_AGENTS} agents",
        f"agent and thought in {COUNTS_ONCE_PER_S / 3600:.0f} hours",
        f"A new thought has weight {pheromone.INITIAL}.",
        f"A retrieval adds {pheromone.DEPOSIT};",
        f"adds {pheromone.BONUS}, as does",
        f"`useful` adds {pheromone.USEFUL:.2f};",
        f"`irrelevant` multiplies by {pheromone.DAMPING}.",
        f"once in {pheromone.DEPOSITS_EVERY_S / 60:.0f} minutes for a thought and session",
        f"never more than {pheromone.MOST_BY_ONE_OWNER} in all",
        f"between {pheromone.FLOOR} and {pheromone.CEILING:.0f}",
        f"is multiplied by {pheromone.RETENTION_PER_HOUR}",
        f"halves it in {log(2) / pheromone.FADING_PER_HOUR:.0f} hours",
    ],
}


def test_the_limits_that_are_told_are_those_that_are_kept():
    told = {cells[0]: cells[1] for cells in rows(sections(OPERATIONS, "## ")["Sizes and limits"])}
    assert {what: told[what] for what in LIMITS} == LIMITS


@pytest.mark.parametrize(
    ("page", "sentence"), [(page, one) for page, told in SENTENCES.items() for one in told]
)
def test_a_number_in_the_prose_is_that_of_the_code(page, sentence):
    assert sentence in " ".join(text_of(page).split())


def test_everything_in_a_data_folder_is_told(server):
    told = " ".join(
        cells[0] for cells in rows(sections(OPERATIONS, "## ")["The data folder"])
    ).replace("`", "")
    names = {one.name.replace("wellworn.db-", "-") for one in server.home.iterdir()}
    names |= {f"index/{one.name}" for one in (server.home / "index").iterdir()} - {"index/LOCK"}
    assert {one for one in names if one not in told} == set()


def test_every_test_that_a_page_names_is_there():
    root = Path(__file__).resolve().parents[2]
    pages = {page.name: page.read_text("utf-8") for page in (root / "docs").rglob("*.md")}
    named = {(page, path) for page, text in pages.items() for path in TESTS.findall(text)}
    assert {page for page, _ in named} >= {"security.md"}
    assert {(page, path) for page, path in named if not (root / path).exists()} == set()
