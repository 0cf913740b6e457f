"""The artifacts: the specification's layouts, line by line, whatever the documents say."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import UnknownTerm
from wellworn.domain.knowledge.artifacts import (
    render_aliases,
    render_catalog,
    render_hot_terms,
    render_preamble,
    render_tree_summaries,
    render_unknowns,
)
from wellworn.domain.knowledge.digests import DocumentDigest, digest, from_dict, to_dict
from wellworn.domain.knowledge.summaries import Summary
from wellworn.domain.knowledge.terms import HotTerm, rank_hot_terms
from wellworn.domain.knowledge.views import DocumentView
from wellworn.kit.neutralising import neutralise

HOSTILE = st.text(max_size=60) | st.sampled_from(
    [
        "a | b",
        "a\n# Heading",
        "**bold**",
        "<|im_start|>system",
        "\u202egnp",
        "`|`",
        "\\|",
        "- x\r\n- y",
    ]
)


def one(source: str, path: str, summary: str, title: str = "") -> DocumentDigest:
    return DocumentDigest(1, source, path, title, Summary(summary, 0, 0))


def test_the_catalog_has_a_line_for_each_document_by_source(digests):
    assert render_catalog(digests) == (
        "# Knowledge Base Catalog\n"
        "\n"
        "## mytech\n"
        "\n"
        "- **AGENTS.md** - Main infrastructure overview: server list and SSH access patterns."
        " Covers: Servers, SSH access.\n"
        "- **backups/README.md** - Kopia is the backup tool; it runs nightly to the Bremen NAS."
        " Covers: Schedules.\n"
        "\n"
        "## projects\n"
        "\n"
        "- **hdrpop/operations.md** - Analytics API, Key Metrics, Alert Thresholds, Notification\n"
    )


def test_the_catalog_leaves_out_the_headings_of_a_template():
    covered = [
        replace(one("s", f"{name}.md", ""), summary=Summary(f"{name}.", 0, 0, ["Impact", name]))
        for name in "abcde"
    ]
    assert "- **a.md** - a. Covers: a.\n" in render_catalog(covered)
    assert "- **a.md** - a. Covers: Impact, a.\n" in render_catalog(covered[:4])


def test_hot_terms_are_a_table(digests):
    lines = render_hot_terms(rank_hot_terms([each.offer for each in digests]), digests).splitlines()
    assert lines[:2] == ["# Hot Terms", ""]
    assert re.fullmatch(r"\| Term +\| Best Reference +\| Summary +\|", lines[2])
    assert re.fullmatch(r"\| -+ \| -+ \| -+ \|", lines[3])
    rows = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in lines[4:]}
    assert rows["cube"] == "mytech/AGENTS.md#servers"
    assert rows["hdrpop"] == "projects/hdrpop/operations.md"
    assert len({line.index("|", 2) for line in lines[2:]}) == 1


def test_the_tree_has_sources_and_folders_below_them():
    tree = render_tree_summaries(
        [
            one("mytech", "AGENTS.md", "Infrastructure docs.", "Infrastructure"),
            one("mytech", "backups/README.md", "Kopia backups.", "Backups"),
            one("mytech", "monitoring/alerts.md", "Alerts.", "Alerts"),
            one("mytech", "monitoring/cron.md", "Cron.", "Cron jobs"),
            one("mytech", "a/b/c.md", "Deep.", "Deep"),
            one("docs", "https://example.com/x/y.md", "Web page.", "Page"),
        ]
    )
    assert tree == (
        "# Tree Summaries\n"
        "\n"
        "- **docs/** - Web page.\n"
        "- **mytech/** - Infrastructure docs.\n"
        "  - **a/b/** - Deep.\n"
        "  - **backups/** - Kopia backups.\n"
        "  - **monitoring/** - Alerts, Cron jobs\n"
    )


def test_unknown_terms_are_listed_with_the_reason():
    unknown = [
        UnknownTerm("prod endpoint", 2, 5),
        UnknownTerm("atlas", 1, 0),
    ]
    assert render_unknowns(unknown) == (
        "# Unknown Terms\n"
        "\n"
        "These terms appear frequently but couldn't be resolved:\n"
        "\n"
        '- **"prod endpoint"** - Asked 2 times, mentioned 5 times, explained nowhere\n'
        '- **"atlas"** - Asked once, no matching documentation\n'
    )
    assert render_unknowns([]) == "# Unknown Terms\n\nNo unknown terms.\n"


def test_learned_aliases_are_json_as_specified():
    text = render_aliases(
        [
            Alias("hdr", "projects/hdrpop/operations.md", 0.8, 3, 1734339600.0),
            Alias("cube", "mytech/AGENTS.md#cube", 0.95, 12, 1734343200.0),
        ]
    )
    assert list(json.loads(text).items()) == [
        (
            "cube",
            {
                "canonical": "mytech/AGENTS.md#cube",
                "confidence": 0.95,
                "last_used": "2024-12-16T10:00:00Z",
                "usage_count": 12,
            },
        ),
        (
            "hdr",
            {
                "canonical": "projects/hdrpop/operations.md",
                "confidence": 0.8,
                "last_used": "2024-12-16T09:00:00Z",
                "usage_count": 3,
            },
        ),
    ]


def test_the_preamble_carries_the_catalog_only_if_it_fits():
    listed = "# Knowledge Base Catalog\n\n- **a.md** - About a.\n"
    whole = render_preamble(listed, budget_tokens=400)
    assert whole.startswith("## Knowledge Base\n\nYou have access to the user's knowledge base via")
    assert whole.endswith(listed)
    assert len(whole) <= 4 * 400
    short = render_preamble(listed, budget_tokens=len(whole) // 4 - 1)
    assert listed not in short
    assert "Never guess hostnames, IPs, endpoints, or credentials." in short


@given(st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE), max_size=4))
def test_what_documents_say_cannot_leave_its_line(rows):
    digests = [one(source or "s", path or "p", said) for source, path, said in rows]
    sources = {each.source for each in digests}
    listed = render_catalog(digests).splitlines()
    assert len([line for line in listed if line.startswith("## ")]) == len(sources)
    assert len([line for line in listed if line.startswith("- **")]) == len(digests)
    assert len(listed) == 1 + 3 * len(sources) + len(digests)
    terms = [HotTerm(path, 1, "", said, 0, 0, 1.0) for _, path, said in rows]
    table = render_hot_terms(terms, digests).splitlines()
    assert len(table) == 4 + len(terms)
    for line in table[2:]:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4
    whole = "\n".join([*listed, *table, render_tree_summaries(digests)])
    assert neutralise(whole) == whole
    assert "\u202e" not in whole
    names = [UnknownTerm(path, 0, 1) for _, path, _ in rows]
    assert len(render_unknowns(names).splitlines()) == (4 + len(names) if names else 3)


def test_a_digest_goes_to_json_and_back(story):
    for view in story:
        made = digest(view)
        assert from_dict(json.loads(json.dumps(to_dict(made)))) == made


def test_a_digest_depends_on_its_document_alone(story):
    alone = digest(story[0])
    assert [digest(view) for view in reversed(story)][-1] == alone


@given(st.text(max_size=200))
def test_any_text_has_a_digest(text):
    made = digest(DocumentView(1, "s", "a.md", None, text))
    assert from_dict(json.loads(json.dumps(to_dict(made)))) == made


def list_many(folders: int, documents: int) -> list[DocumentDigest]:
    return [
        replace(
            digest(DocumentView(1, "s", "a.md", None, "# A\n\nA is what it is here.\n")), path=path
        )
        for path in (f"f{a}/sub/{b:03}.md" for a in range(folders) for b in range(documents))
    ]


def test_a_large_catalog_lists_the_first_of_each_folder_and_counts_the_others():
    listed = render_catalog(list_many(3, 50), most=40).splitlines()
    entries = [line for line in listed if line.startswith("- ")]
    assert len(entries) <= 43
    shown = sum(".md" in line for line in entries)
    more = [int(line.split(" - ")[1].split()[0]) for line in entries if "documents" in line]
    assert shown + sum(more) == 150
    assert any(line.startswith("- **f0/sub/** - ") for line in entries)


def test_the_preamble_of_a_large_base_says_what_each_folder_has():
    catalog = render_catalog(list_many(3, 50), most=40)
    preamble = render_preamble(catalog, budget_tokens=300)
    assert "- **s/** - 150 documents\n" in preamble
    assert "- **s/f1/** - 50 documents\n" in preamble
    assert len(preamble) <= 1_200
    wide = render_preamble(render_catalog(list_many(400, 3), most=40), budget_tokens=500)
    assert "- **s/** - 1200 documents\n" in wide
    assert len(wide) <= 2_000


def test_the_preamble_has_the_protocol_of_the_resolver():
    steps = render_preamble("", budget_tokens=100)
    assert steps.index("knowledge_resolve") < steps.index("knowledge_search`, and read")
    assert "one question" in steps
