"""Documents of two services that say the same things: what of both answers is asked about."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving
from wellworn.domain.knowledge import ResolutionOutcome

AMBIGUOUS = ResolutionOutcome.AMBIGUOUS


def write_options(timeout: str, threads: str) -> str:
    return (
        "# Options\n\n| Option | Default | Meaning |\n|---|---|---|\n"
        f"| `idle_timeout` | `{timeout}` | Longest pause |\n"
        f"| `--threads` | `{threads}` | Threads that pack |\n"
    )


def write_runbook(duration: str) -> str:
    return (
        "# Runbook\n\n## Restart\n\n"
        f"A restart takes {duration}.\n\n## Stale locks\n\nA lock is stale after {duration}.\n"
    )


DOCUMENTS = {
    "plover/options.md": write_options("15s", "4"),
    "heron/options.md": write_options("45s", "9"),
    "plover/runbook.md": write_runbook("40 seconds"),
    "heron/runbook.md": write_runbook("3 minutes"),
    "heron/release-limits.md": "# Releases\n\n## Ceilings\n\nA bundle may have 30 parts.\n",
    "osprey/reference.md": "# Osprey\n\n## Packing\n\n- `squeeze`: how it packs. Default: `lz4`.\n",
    "kite/options.md": (
        "# Kite\n\n| Option | Default | Meaning |\n|---|---|---|\n"
        "| `--squeeze` | `zstd` | How it packs |\n| `--girth` | `70` | Greatest width |\n"
    ),
    "kite/kite.toml": "girth = 80\n",
    "manuals/wader-limits.md": "# Wader\n\n## Size\n\nOne archive may hold 20 volumes.\n",
    "manuals/tern-limits.md": "# Tern\n\n## Bounds\n\nOne archive may hold 64 volumes.\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("counterparts"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(
    ("term", "context", "paths"),
    [
        ("idle timeout", "", ["plover/options.md", "heron/options.md"]),
        ("restart", "how long does it take?", ["plover/runbook.md", "heron/runbook.md"]),
    ],
    ids=["setting", "section"],
)
def test_what_counterparts_say_each_in_its_way_is_asked_about(resolve, term, context, paths):
    answer = resolve(term, context)
    assert answer.outcome is AMBIGUOUS
    assert {quote.path for quote in answer.evidence} == set(paths)


@pytest.mark.parametrize(
    ("term", "context", "said"),
    [
        ("restart", "of heron: how long does it take?", "3 minutes"),
        ("when is a lock of plover stale?", "", "40 seconds"),
        ("threads", "of plover", "`4`"),
        ("how many volumes may an archive of tern hold?", "", "64 volumes"),
        ("girth", "", "`70`"),
        ("how many parts may a bundle have?", "", "30 parts"),
    ],
    ids=["section", "passage", "setting", "file", "default and what is set", "one alone"],
)
def test_what_the_question_chooses_or_one_alone_has_is_not_asked_about(
    resolve, term, context, said
):
    answer = resolve(term, context)
    assert answer.outcome is not AMBIGUOUS
    assert said in answer.evidence[0].text
