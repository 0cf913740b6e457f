"""Numbers and names in the prose of docs/operations.md and docs/concepts.md."""

from __future__ import annotations

from math import log

import pytest

from docs.pages import rows, sections, text_of
from wellworn.api.gate import LONGEST_BODY, LONGEST_IMPORT
from wellworn.api.v1.transfer import MOST_LINES
from wellworn.daemon import launch
from wellworn.memory.answering import HIGHWAY_ACCESSES, HIGHWAY_AGENTS
from wellworn.memory.contribution import LONGEST_REMARK
from wellworn.memory.store import KEPT_FOR_S
from wellworn.thoughts import pheromone
from wellworn.thoughts.index import PASSAGES
from wellworn.thoughts.tags import LONGEST_TAG, MOST_TAGS
from wellworn.thoughts.thinking import LONGEST_CONTENT, LONGEST_CONTEXT
from wellworn.thoughts.trail import COUNTS_ONCE_PER_S

OPERATIONS = "docs/operations.md"
CONCEPTS = "docs/concepts.md"
MEBIBYTE = 1024 * 1024

LIMITS = {
    "prompt, content, query": f"{LONGEST_CONTENT:,} characters",
    "context, reason": f"{LONGEST_CONTEXT:,} characters",
    "tags": f"{MOST_TAGS} of {LONGEST_TAG} characters",
    "body of a request": f"{LONGEST_BODY // MEBIBYTE} MiB; {LONGEST_IMPORT // MEBIBYTE} MiB"
    f" and {MOST_LINES:,} lines for an import",
    "answers kept for retries": f"{KEPT_FOR_S / 3600:.0f} hours",
}
SENTENCES = {
    OPERATIONS: [
        f"ends after {launch.IDLE_EXIT_S // 60} minutes without a call",
        f"at most {PASSAGES}.",
    ],
    CONCEPTS: [
        f"statement of more than {LONGEST_REMARK} characters",
        f"at least {HIGHWAY_ACCESSES} retrievals by at least {HIGHWAY_AGENTS} agents",
        f"agent and thought in {COUNTS_ONCE_PER_S / 3600:.0f} hours",
        f"A new thought has weight {pheromone.INITIAL}.",
        f"A retrieval adds {pheromone.DEPOSIT};",
        f"adds {pheromone.BONUS}, as does",
        f"`useful` adds {pheromone.USEFUL:.2f};",
        f"`irrelevant` multiplies by {pheromone.DAMPING}.",
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
