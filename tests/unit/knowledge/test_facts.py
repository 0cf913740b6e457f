"""Facts: what documents say, with the exact characters, and what they do not say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.domain.knowledge.facts import Fact, extract_facts, is_supported
from wellworn.domain.knowledge.views import DocumentView, Reading


def read(text: str, path: str = "notes.md", title: str | None = None) -> list[Fact]:
    return extract_facts(Reading(DocumentView(7, "mytech", path, title, text)))


def said(text: str, path: str = "notes.md") -> set[tuple[str, str, str]]:
    return {(fact.term, fact.fact_type, fact.value) for fact in read(text, path)}


STEP = "# Atlas\n\nThe server.\n\n## {}\n\n- Host: 10.0.0.5\n- **boreas** (10.0.0.6) - the spare\n"


@pytest.mark.parametrize(
    "title", ["Configure the network", "2. Configure the network", "Step 2: Configure the network"]
)
def test_below_what_is_to_be_done_stands_only_what_has_a_name(title):
    addresses = {fact for fact in said(STEP.format(title)) if fact[1] == "ip"}
    assert addresses == {("boreas", "ip", "10.0.0.6")}
    assert ("atlas", "ip", "10.0.0.5") in said(STEP.format("Network"))


def test_a_number_before_a_heading_is_no_part_of_its_name():
    text = "# Notes\n\n## 3. Boreas\n\n- IP: 10.0.0.6\n"
    assert ("boreas", "ip", "10.0.0.6") in said(text)


def test_what_stands_between_two_rules_is_said():
    assert ("cube", "ip", "10.0.0.5") in said("---\n\n# cube\n\n- IP: 10.0.0.5\n\n---")
    assert ("cube", "ip", "10.0.0.5") in said("---\n# cube\n- IP: 10.0.0.5\n---\n# two\n")


@pytest.mark.parametrize(
    "table",
    [
        "| Name | IP |\n|---|---|\n| cube | 10.0.0.5 |\n",
        "Servers:\n| Name | IP |\n|---|---|\n| cube | 10.0.0.5 |\n",
        "!!! note\n\n    | Name | IP |\n    |---|---|\n    | cube | 10.0.0.5 |\n",
        "- here\n\n  | Name | IP |\n  |---|---|\n  | cube | 10.0.0.5 |\n",
    ],
    ids=["plain", "below-words", "admonition", "item"],
)
def test_a_table_is_read_wherever_it_stands_but_in_code(table):
    assert ("cube", "ip", "10.0.0.5") in said(f"# Servers\n\n{table}")
    assert said(f"# Servers\n\n````\n{table}````\n") == set()


@pytest.mark.parametrize(
    "rows",
    [
        "Host     Port   Rack\ncube     9100   R1\npump     9200   R2\n",
        "Host  Port  Rack\n----  ----  ----\ncube  9100  R1\npump        R2\n",
        "Host\tPort\tRack\ncube\t9100\tR1\npump\t\tR2\n",
        "Host\t\tPort\tRack\ncube\t9100\tR1\npump\t9200\t\tR2\n",
    ],
    ids=["blanks", "rule", "tabs", "runs-of-tabs"],
)
def test_a_table_that_is_aligned_is_read_by_its_columns(rows):
    found = read(f"Of May.\n\n{rows}\nWords.\n", "hosts.txt")
    facts = {(fact.term, fact.attribute, fact.value) for fact in found}
    assert {("cube", "port", "9100"), ("cube", "rack", "R1"), ("pump", "rack", "R2")} <= facts
    assert "Rack" not in {fact.value for fact in found}
    assert {fact.snippet for fact in found} <= {*rows.splitlines()}


@pytest.mark.parametrize(
    "text", ["a\tb\tc\nd\te\nf\tg\th\ti\n", "Ana  is here\nBen  is not\nCho  is late\n", "  \n\t\n"]
)
def test_lines_without_columns_that_are_named_state_nothing(text):
    assert read(text, "notes.txt") == []


def test_toml_front_matter_says_nothing():
    assert said('+++\ntitle = "cube"\nIP = "10.0.0.5"\n+++\n\nwords\n') == set()


LINES = st.sampled_from(
    [
        "# HDRPop Operations",
        "## Servers",
        "## Analytics API",
        "- **cube** (100.70.237.79) - Home GPU server",
        "cube: Home GPU server at 100.70.237.79",
        "- Endpoint: https://hdrpop.com/api",
        "- Secret: HDRPOP_TOKEN",
        "| Name | IP | Role |",
        "| --- | --- | --- |",
        "| cube | 10.0.0.5 | Home server |",
        "Kopia is the backup tool",
        "that runs on cube.",
        "clifford listens on 10.0.0.7",
        "```",
        "<!-- cube: 1.2.3.4 -->",
        "",
        "\u0130stanbul: the caf\u00e9's box at 10.1.1.1",
    ]
)


def test_the_storys_server_has_its_address_with_its_exact_place(story):
    text = story[0].text
    [fact] = [
        fact
        for fact in extract_facts(Reading(story[0]))
        if (fact.term, fact.fact_type) == ("cube", "ip")
    ]
    assert fact.value == "100.70.237.79"
    assert (fact.start, fact.end) == (text.index("100.70"), text.index("100.70") + 13)
    assert fact.snippet == "**cube** (100.70.237.79) - Home GPU server, runs AI workloads, Frigate"


def test_the_storys_project_has_its_endpoint_header_and_secret(story):
    found = {(fact.term, fact.fact_type): fact.value for fact in extract_facts(Reading(story[2]))}
    for term in ("hdrpop", "hdrpop analytics api"):
        assert found[term, "endpoint"] == "https://hdrpop.com/api/reports/daily-analytics"
        assert found[term, "header"] == "X-Analytics-Token"
        assert found[term, "secret_ref"] == "HDRPOP_ANALYTICS_TOKEN"
    assert found["hdrpop", "email"] == "david010@gmail.com"


def test_a_metric_or_a_threshold_is_no_term_of_its_own(story):
    terms = {fact.term for fact in extract_facts(Reading(story[2]))}
    assert terms == {"hdrpop", "hdrpop analytics api", "hdrpop notification"}


@pytest.mark.parametrize(
    "text",
    [
        "**cube** (100.70.237.79) - Home GPU server",
        "- cube (100.70.237.79) \u2014 Home GPU server",
        "## Servers\n\n- cube: 100.70.237.79",
        "### cube\n\n- IP: 100.70.237.79\n- Role: Home GPU server",
        "- cube IP: 100.70.237.79",
        "| Name | IP | Role |\n| --- | --- | --- |\n| `cube` | 100.70.237.79 | Home GPU server |",
        "| Server | Address |\n|---|:---:|\n| **cube** | `100.70.237.79` |",
        "## cube\n\n| Setting | Value |\n| --- | --- |\n| IP | 100.70.237.79 |",
    ],
)
def test_an_address_is_found_however_it_is_written(text):
    assert ("cube", "ip", "100.70.237.79") in said(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "# Umami\n\n- URL: https://umami.example.com",
            ("umami", "url", "https://umami.example.com"),
        ),
        ("# Umami\n\n- Port: 3000", ("umami", "port", "3000")),
        (
            "# Umami\n\nDashboard host: umami.example.com",
            ("umami", "hostname", "umami.example.com"),
        ),
        ("# Umami\n\n- Hostname: clifford", ("umami", "hostname", "clifford")),
        ("# Umami\n\n- Network: 10.8.0.0/24", ("umami", "cidr", "10.8.0.0/24")),
        ("# Umami\n\n- Config path: /opt/umami/.env", ("umami", "path", "/opt/umami/.env")),
        ("# Umami\n\n- Region: UMAMI_REGION", ("umami", "env", "UMAMI_REGION")),
        ("# Umami\n\n- SSH: `ssh root@clifford`", ("umami", "command", "ssh root@clifford")),
        ("# Umami\n\n- Retention: 30 days", ("umami", "detail", "30 days")),
        ("# Umami\n\n- Health: GET /api/heartbeat", ("umami", "endpoint", "GET /api/heartbeat")),
        ("# Umami\n\n- API token: UMAMI_APP", ("umami", "secret_ref", "UMAMI_APP")),
    ],
)
def test_a_value_has_the_type_that_it_and_its_name_give_it(text, fact):
    found = {(one[0], one[1], one[2].removeprefix("GET ")) for one in said(text)}
    assert (fact[0], fact[1], fact[2].removeprefix("GET ")) in found


@pytest.mark.parametrize(
    "text",
    [
        "Somebody once saw 10.0.0.5 in a log of the cluster.",
        "# cube\n\nOften 10.0.0.9 and others ask for it.",
        "# cube\n\n- Example: 10.0.0.5",
        "# cube\n\n```\ncube: 10.0.0.5\n```",
        "# cube\n\n<!-- IP: 10.0.0.5 -->",
        "---\nip: 10.0.0.5\n---\n",
        "# cube\n\n- IP: <your-ip>",
        "# Getting started\n\n- IP: 10.0.0.5",
        "# Day of work\n\n- IP: 10.0.0.5",
        "# How to reach the servers from home\n\n- Somewhere: 10.0.0.5",
        "# cube\n\n- We then looked at the other one, which answers: 10.0.0.5",
    ],
)
def test_what_is_not_stated_of_something_is_no_fact(text):
    assert {value for _, kind, value in said(text) if kind != "summary"} == set()


def test_what_is_mentioned_in_passing_is_not_the_things_own_address():
    kinds = {
        kind for _, kind, _ in said("**kopia** - Backup tool, keeps its blobs on 10.0.0.9 nightly")
    }
    assert "hostname" not in kinds
    found = said("**kopia** - Backup tool, writes to nas.example.com")
    assert found == {("kopia", "summary", "Backup tool, writes to nas.example.com")}


def test_a_title_without_a_name_leaves_it_to_the_folder():
    text = "# Operations\n\n- Endpoint: https://hdrpop.com/api"
    assert ("hdrpop", "endpoint", "https://hdrpop.com/api") in said(text, "hdrpop/operations.md")


def test_a_sentence_over_two_lines_is_read_to_its_end():
    text = "Kopia is the backup tool that\nruns on cube. It is old.\n"
    [fact] = read(text)
    assert fact.value == "the backup tool that\nruns on cube"
    assert text[fact.snippet_start : fact.snippet_end] == fact.snippet


@pytest.mark.parametrize(
    "text",
    ["The cube is reachable at 10.0.0.5.", "cube runs on 10.0.0.5", "cube: once at 10.0.0.5"],
)
def test_sentences_state_no_values_until_they_are_read(text):
    assert {kind for _, kind, _ in said(f"# Servers\n\n{text}\n")} <= {"summary"}


def test_parameters_of_a_program_are_not_taken_for_things():
    text = "| Parameter | Description |\n|---|---|\n| host | Name of the server to ask |\n"
    assert read(text) == []


def test_a_plain_word_is_a_name_if_an_address_says_so():
    assert ("house", "ip", "10.0.0.3") in said("house (10.0.0.3) - backup machine\n")
    assert said("later (next year) - backup machine\n") == set()


def test_an_environment_is_a_side_of_what_has_it():
    text = (
        "# Atlas\n\n## Environments\n\n| Environment | Base URL |\n|---|---|\n"
        "| staging | https://s.atlas.example |\n| production | https://atlas.example |\n"
    )
    found = {(fact.term, fact.attribute): fact.value for fact in read(text)}
    assert found["atlas", "staging base url"] == "https://s.atlas.example"
    assert found["atlas production", "base url"] == "https://atlas.example"
    assert ("staging", "base url") not in found


def test_how_to_log_in_is_a_command_and_no_description():
    found = said("## SSH access\n\n- cube: `ssh drose@cube`\n- zerg: ssh zerg\n")
    assert {("cube", "command", "ssh drose@cube"), ("zerg", "command", "ssh zerg")} <= found
    assert "summary" not in {kind for _, kind, _ in found}


def test_what_to_do_describes_nothing():
    assert said("**kopia:** Enable the IOMMU of all hosts\n") == set()


def test_lines_that_follow_each_other_are_not_one_sentence():
    text = "cube (10.0.0.5) - Home GPU server\nzerg - Office mini PC\n"
    assert ("cube", "summary", "Home GPU server") in said(text)
    assert ("zerg", "summary", "Office mini PC") in said(text)


def test_a_fact_whose_span_does_not_hold_its_value_is_none():
    text = "cube: 100.70.237.79, home GPU server"
    fact = next(fact for fact in read(text) if fact.fact_type == "ip")
    assert is_supported(fact, text)
    assert not is_supported(replace(fact, value="100.70.237.78"), text)
    assert not is_supported(replace(fact, start=fact.start - 1), text)
    assert not is_supported(replace(fact, snippet="cube"), text)
    assert not is_supported(replace(fact, snippet_start=fact.end), text)
    assert not is_supported(fact, text[: fact.end - 1])
    assert not is_supported(replace(fact, start=-13, end=0), text)


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_every_fact_says_what_stands_at_its_span(text):
    for fact in read(text):
        assert text[fact.start : fact.end] == fact.value
        assert text[fact.snippet_start : fact.snippet_end] == fact.snippet
        assert fact.snippet_start <= fact.start < fact.end <= fact.snippet_end
        assert fact.term
        assert fact.term == " ".join(fact.term.split())


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    for fact in read(text):
        assert is_supported(fact, text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "a " * 25_000,
        "- " * 25_000,
        "* **" * 10_000,
        "|" * 50_000,
        "| a " * 10_000 + "\n" + "|-" * 10_000,
        "|a|b|\n|-|-|\n" + "|a|b|\n" * 5_000,
        "[" * 50_000,
        "[a](" * 10_000,
        "(" * 50_000,
        ": " * 25_000,
        "a: " * 15_000,
        "a is " * 10_000,
        "# " * 25_000,
        "#\n" * 10_000,
        "---\n" * 10_000,
        "<!--" * 10_000,
        "```\n" * 10_001,
        "`" * 50_000,
        "a (aka " * 8_000,
        "1. " * 15_000,
    ],
)
def test_hostile_text_is_read_in_time(text):
    assert len(read(text)) <= 2_000


# ---------------------------------------------------------------- tables in HTML

STACK = """\
# Home

<table>
  <tr><th>Logo</th><th>Name</th><th>Description</th></tr>
  <tr>
    <td><img width="32" src="https://a.example/gitea.svg"></td>
    <td><a href="https://gitea.example">Gitea</a></td>
    <td>Self-hosted Git service</td>
  </tr>
  <tr><td><img src="b.svg"><td>Zorble<td>Keeps <b>most</b> of it</tr>
</table>
"""


def test_a_table_in_html_is_read_without_its_pictures():
    [fact] = read(STACK)
    assert (fact.term, fact.fact_type, fact.value) == (
        "gitea",
        "summary",
        "Self-hosted Git service",
    )
    assert fact.snippet.startswith("\n    <td><img")
    assert STACK[fact.snippet_start : fact.snippet_end] == fact.snippet


def test_a_column_of_pictures_before_the_names_is_passed_over():
    table = "| Logo | Name | IP |\n|---|---|---|\n| ![a](a.png) | cube | 10.0.0.5 |\n"
    assert said(f"# Servers\n\n{table}") == {("cube", "ip", "10.0.0.5")}


def test_a_table_in_a_code_fence_or_a_comment_says_nothing():
    assert not read(f"```html\n{STACK}```\n")
    assert not read(f"<!--\n{STACK}-->\n")


@pytest.mark.parametrize(
    "piece", ["<table>", "<table><tr>", "<tr><td>", "<td ", "<table><tr><td>x"]
)
def test_tables_that_never_end_cost_little(piece):
    assert not read("# A\n\n<table>" + piece * 20_000)


@pytest.mark.parametrize("title", ["Example", "Examples", "Example output", "Sample output"])
def test_what_stands_below_an_example_is_shown_and_not_said(title):
    text = f"# Cube\n\n## {title}\n\n### Network\n\n- IP: 10.0.0.7\n\n## Live\n\n- IP: 10.0.0.8\n"
    assert {value for _, kind, value in said(text) if kind == "ip"} == {"10.0.0.8"}


@pytest.mark.parametrize(
    "text",
    [
        "**Kopia** - the server",
        "PS: it is always good to have kopia there",
        "## Using kopia\n\nUsing kopia is the simplest way of all",
        "Theirs is the empty name of it",
    ],
)
def test_what_may_be_or_goes_on_describes_nothing(text):
    assert said(f"# Notes on\n\n{text}\n") == set()


@pytest.mark.parametrize("number", ["10.0.0.5", "105", "1"])
def test_a_table_that_begins_with_numbers_is_about_its_first_words(number):
    table = f"| IP | Device | MAC |\n|---|---|---|\n| {number} | cube | aa |\n| 7 | borea | bb |\n"
    stated = said(f"# Net\n\n{table}")
    assert not any(name in {number, "7"} for name, _, _ in stated)
    assert (number == "10.0.0.5") == (("cube", "ip", "10.0.0.5") in stated)


# ---------------------------------------------------------------- histories of changes

REVISIONS = """\
| Version | Date | Author | Description |
|---|---|---|---|
| 1.0 | 2022-03-22 | Ada Byron | First version |
| 2.1 | 2022-04-27 | Ada Byron | New contact |
"""


@pytest.mark.parametrize(
    "text",
    [
        f"# Access policy\n\n{REVISIONS}",
        f"# Access policy\n\n{REVISIONS.replace('Author', 'Author/Reviewer')}",
        "# Policy\n\n## Revision History\n\n| Author | Version |\n|---|---|\n| Ada Byron | 1.0 |\n",
        "# cube\n\n## Changelog\n\n- Version: 1.0\n- cube: 10.0.0.5\n",
    ],
)
def test_what_held_once_is_nobodys_value(text):
    assert said(text) == set()


def test_a_list_of_software_with_versions_and_days_is_no_history():
    stated = said(
        "# Apps\n\n| Name | Version | Date |\n|---|---|---|\n| gitea | 1.22.3 | 2026-05-01 |\n"
    )
    assert ("gitea", "version", "1.22.3") in stated


# ---------------------------------------------------------------- options


def test_a_list_below_an_option_states_its_default():
    text = "# Options\n\n### build.outDir\n\n- **Type:** `string`\n- **Default:** `dist`\n"
    stated = {(fact.term, fact.attribute, fact.value) for fact in read(text)}
    assert ("build.outdir", "default", "dist") in stated


OPTIONS = """\
# Inkpot

## Timing

| Flag | Type | Required | Default |
|---|---|---|---|
| `ink_wait` | duration | no | `30s` |
| `--ink-level` | int | | "7" |
| `inkAge` | `string` | yes | n/a |
| `inkFlow` | float | no | `9`, if dry |
"""


def test_a_table_of_options_states_what_stands_beside_their_names():
    assert {fact for fact in list_stated(OPTIONS) if fact[0] != "inkpot"} == {
        ("ink_wait", "type", "duration"),
        ("ink_wait", "required", "no"),
        ("ink_wait", "default", "30s"),
        ("--ink-level", "type", "int"),
        ("--ink-level", "default", "7"),
        ("inkage", "type", "string"),
        ("inkage", "required", "yes"),
        ("inkflow", "type", "float"),
        ("inkflow", "required", "no"),
    }


@pytest.mark.parametrize(
    "table",
    [
        "| Step | Default |\n|---|---|\n| ink_wait | `3` |\n",
        "| Flag | Default |\n|---|---|\n| ink_wait \\| ink_hold | `3` |\n",
        "| Flag | Description |\n|---|---|\n| ink_wait | `3` |\n",
        "| Flag | For | Default |\n|---|---|---|\n| ink_wait | a | 3 |\n| ink_wait | b | 4 |\n",
    ],
    ids=["names-no-option", "two-names", "no-defaults", "several-cases"],
)
def test_no_default_is_read_from_other_tables(table):
    assert "default" not in {attribute for _, attribute, _ in list_stated(table)}


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["-", "n/a", "N/A", "\u2014", "`-`", "none", "*(unset)*", "", "Required"])
    )
)
def test_an_empty_cell_states_no_default(cells):
    rows = "".join(f"| ink_{number}x | {cell} |\n" for number, cell in enumerate(cells))
    assert list_stated(f"| Option | Default |\n|---|---|\n{rows}") == set()


def list_stated(text: str) -> set[tuple[str, str, str]]:
    return {(fact.term, fact.attribute, fact.value) for fact in read(text)}


def test_a_tag_is_the_version_where_it_looks_like_one():
    table = (
        "| Service | Tag |\n|---|---|\n| inkd-1 | 1.25.3 |\n| inkd-2 | nas |\n| inkd-3 | 16-al |\n"
    )
    stated = said(f"# Services\n\n{table}")
    assert {("inkd-1", "version", "1.25.3"), ("inkd-2", "detail", "nas")} <= stated
    assert {value for name, _, value in stated if name == "inkd-3"} == {"16-al"}


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("IP | Host", ".76 | inkd-1"),
        ("IP | Host", "192.168.1.* | inkd-1"),
        ("Host | IP", "inkd-1 | .76"),
        ("Host | IP", "inkd-1 | x.x.x.12"),
        ("Host | LAN address", "inkd-1 | 10.0.0.x"),
        ("Host | IP", "inkd-1 | 10.0.0.x/24"),
    ],
)
def test_half_an_address_is_none(head, row):
    whole = "10.0.0.9 | inkd-1" if head.startswith("IP") else "inkd-1 | 10.0.0.9"
    text = f"# Hosts\n\n| {head} |\n|---|---|\n| {row} |\n| {whole} |\n"
    assert {value for _, _, value in said(text)} == {"10.0.0.9"}


@pytest.mark.parametrize("line", ["- Listen address: 127.0.0.1:4711", "- Bind: [x](y)"])
def test_what_a_program_listens_at_has_its_port(line):
    stated = list_stated(f"# inkd-1\n\n{line}\n")
    assert stated == ({("inkd-1", "listen address", "127.0.0.1:4711")} if "4711" in line else set())
