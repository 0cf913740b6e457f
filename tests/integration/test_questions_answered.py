"""Questions after one value: the value with its place, "not stated", or the one question to ask."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, resolving, synced
from knowledge_calls import call, sync_source
from wellworn.domain.sources import NewSource

INVENTORY = """\
# Inventory

## Servers

| Host | IP | Data IP | Gateway | Port | OS |
|---|---|---|---|---|---|
| kasm-01 | 10.0.0.21 | 10.1.0.21 | 10.0.0.1 | 8443 | Debian 12 |
| cube | 10.0.0.22 | 10.1.0.22 | 10.0.0.1 | 9000 | Ubuntu 24.04 |
"""
DOCUMENTS = {
    "inventory.md": INVENTORY,
    "kasm.md": "# kasm-01\n\nkasm-01 is the desktop server.\n\nIts serial number is on the lid.\n",
    "lamp.md": "# Lights\n\n## Frobnitz lamp\n\nIt burns oil.\n\nIts port is said to be 77.\n",
    "moved.md": "# Moved\n\n## Servers\n\n- **cube** (10.9.9.9) - the GPU server.\n",
    "motion.md": "# Cameras\n\n## Eufrigate\n\nMotion recordings are kept for 7 days.\n",
    "uuid.md": "# Boards\n\n## Finding the board_uuid\n\n```\n~/bin/query.py can0\n```\n",
    "manual.md": "# Manual\n\n## [idle_stop]\n\n```\n#delay: 600\n#   Time to wait. The default"
    " is 600 seconds.\n```\n",
    "lab/docker/compose.yml": "services:\n  borgmatic:\n    ports:\n      - 8080\n",
    "lab/k3s/borgmatic.md": "# borgmatic\n\nborgmatic makes backups.\n\n- Ports: 8200\n",
    "tables.md": "# Machines\n\n## Servers\n\n| Host | VM ID | Agent version | Status |\n"
    "|---|---|---|---|\n| zeus-9 | 109 | 4.14 | up |\n| hera-9 | 110 | 4.13 | up |\n",
    "advance.md": "# Pressure advance\n\nPressure advance makes a printer ooze less.\n",
    "printer.cfg": "[extruder]\npressure_advance: 0.0\nnozzle_diameter: 0.4\nspi_speed: 900\n",
    "north.md": "# North\n\nmirador-7 runs in the tower.\n",
    "south.md": "# South\n\nmirador-7 runs beside the quay.\n\nfanal-3 runs on oil.\n",
    "table.md": "# Inkpot\n\n| Flag | Default |\n|---|---|\n| `ink_wait` | `250ms` |\n"
    "| `KASM_01_PORT` | 444 |\n",
    "camera.md": "# Streams\n\n## go2rtc\n\n- Port: 1984\n\n## node-1\n\n- Port: 99\n",
    "gull.md": "# Gull\n\nI run Gull HX 5.3 on `fir-2` as the outgoing relay.\n\n## Setup\n\n"
    "| Item | Current value |\n|---|---|\n| Rules | `/etc/gull/rules.d` |\n"
    "| Gull edition | spring |\n"
    "| Queue limit | 5000 messages |\n| Intake address | 10.9.0.30:4711/tcp |\n",
    "talk.md": "# Wires\n\n## Servers\n\n| Server | Talk | Files |\n|---|---|---|\n"
    "| siskin-1 | 7001/udp | 7002/tcp |\n| siskin-2 | 7003/udp | 7004/tcp |\n",
    "rinse.md": '---\ntitle: Rinse the tanks\nreviewed_by: "harbour crew"\n---\n\nOpen it.\n',
    "mossbank.md": "# Mossbank pump\n\n- Flow: 18 m³/h\n- Note: restart it\n",
    "ports.md": "# Many\n\n## borea\n\n"
    + "".join(f"- URL: https://s{n}.example/{'y' * 120}\n" for n in range(40)),
}


PORTS = {"production": 6379, "staging": 6380}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("questions"), DOCUMENTS) as resolve:
        yield resolve


def values(answer):
    return [value.value for value in answer.values]


@pytest.mark.parametrize(
    ("term", "context", "expected"),
    [
        ("kasm-01 IP address", "", ["10.0.0.21"]),
        ("what is the ip of KASM 01?", "", ["10.0.0.21"]),
        ("kasm-01 data ip", "", ["10.1.0.21"]),
        ("kasm-01", "which port?", ["8443"]),
        ("default gateway of kasm-01", "", ["10.0.0.1"]),
        ("ink_wait default", "", ["250ms"]),
        ("ink wait default", "", ["250ms"]),
        ("KASM_01_PORT", "default", ["444"]),
        ("kasm-01 port", "", ["8443"]),
    ],
)
def test_the_value_that_is_asked_for_is_answered_alone(resolve, term, context, expected):
    answer = resolve(term, context)
    assert (answer.outcome, answer.found_by) == ("resolved", "facts")
    assert values(answer) == expected
    assert answer.term == term


def test_what_no_document_states_of_a_known_thing_is_told_so_with_what_is_known(resolve):
    answer = resolve("kasm-01 retention")
    assert answer.outcome == "not_stated"
    assert "10.0.0.21" in values(answer)
    assert "retention" in (answer.question or "")


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (
            "kasm-01 mac address",
            'Nothing states the "mac address" of "kasm-01" for sure. What is it',
        ),
        ("how long is kasm-01 kept for?", 'the "long kept" of "kasm-01" for sure.'),
        ("serial number of kasm-01", 'the "serial number" of "kasm-01" for sure. What is quoted'),
        ("kasm-01 flux capacitor", 'the "flux capacitor" of "kasm-01" for sure.'),
        ("idle_stop default delay", "Nothing states for sure what is asked. What is quoted"),
    ],
)
def test_what_is_not_stated_is_said_in_the_words_of_the_question(resolve, term, said):
    assert said in (resolve(term).question or "")


def test_lines_that_speak_of_both_are_quoted_where_no_fact_is_sure(resolve):
    answer = resolve("what is the serial number of kasm-01?")
    assert answer.outcome == "not_stated"
    assert answer.evidence[0].text == "Its serial number is on the lid."
    assert "no document states" not in (answer.question or "")


def test_a_conflict_blocks_only_the_attribute_it_is_about(resolve):
    assert resolve("cube ip").outcome == "ambiguous"
    assert resolve("cube").outcome == "ambiguous"
    answer = resolve("cube port")
    assert (answer.outcome, values(answer)) == ("resolved", ["9000"])


def test_an_answer_is_bounded_and_tells_how_much_more_there_is(resolve):
    answer = resolve("borea")
    assert 0 < len(answer.values) <= 10
    quotes = {quote.text for quote in answer.evidence}
    quotes |= {value.evidence.text for value in answer.values}
    assert sum(map(len, quotes)) <= 2_000
    assert len(answer.values) + answer.more_values == 40


def test_a_misspelt_name_is_asked_about_and_never_taken_for_another(resolve):
    for term in ("borrea", "what is the url of borrea?"):
        answer = resolve(term)
        assert (answer.outcome, answer.values) == ("ambiguous", ())
        assert [candidate.label for candidate in answer.candidates] == ["borea"]
    assert resolve("kasm-02 ip").outcome == "unknown"


def test_a_misspelt_name_with_a_digit_is_asked_about_too_and_another_digit_is_another(resolve):
    for term in ("go2rct", "go2rct port", "go2rtcc", "go2rt"):
        answer = resolve(term)
        assert (answer.outcome, answer.values) == ("ambiguous", ()), term
        assert [candidate.label for candidate in answer.candidates] == ["go2rtc"]
    for term in ("go3rtc port", "go22rtc port", "gortc port", "node-11 port"):
        assert resolve(term).outcome == "unknown", term


@pytest.mark.parametrize("term", ["what is pressure advance?", "pressure advance"])
def test_what_a_document_is_about_is_no_mere_setting(resolve, term):
    answer = resolve(term)
    assert (answer.outcome, answer.canonical) == ("resolved", "mytech/advance.md")
    assert values(resolve("nozzle_diameter")) == ["0.4"]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("fanal-3", {"south.md"}),
        ("mirador-7", {"north.md", "south.md"}),
    ],
)
def test_what_documents_only_speak_of_is_quoted_from_each(resolve, name, places):
    answer = resolve(f"what is {name}?")
    assert (answer.outcome, answer.values) == ("not_stated", ())
    assert {quote.path for quote in answer.evidence} == places


def test_a_value_of_what_only_search_finds_is_quoted_at_most(resolve):
    answer = resolve("what is the port of the frobnitz lamp?")
    assert (answer.outcome, answer.values) == ("not_stated", ())
    assert answer.evidence[0].text == "Its port is said to be 77."


def test_a_thing_that_is_nowhere_has_no_values_whatever_is_asked(resolve):
    answer = resolve("what is the ip of zanzibar?")
    assert (answer.outcome, answer.values) == ("unknown", ())


@pytest.mark.parametrize(
    ("term", "quoted"),
    [
        (
            "how long does eufrigate keep motion recordings?",
            "Motion recordings are kept for 7 days.",
        ),
        ("command to find the board_uuid", "~/bin/query.py can0"),
        ("idle_stop default delay", "#delay: 600"),
    ],
)
def test_the_line_that_answers_is_quoted_and_nothing_is_claimed(resolve, term, quoted):
    answer = resolve(term)
    assert answer.outcome == "not_stated"
    assert quoted in [quote.text for quote in answer.evidence]


def test_a_column_of_a_table_states_what_its_head_says(resolve):
    assert values(resolve("zeus-9 vm id")) == ["109"]
    assert values(resolve("zeus-9 status")) == ["up"]


def test_somebody_elses_value_is_no_fact_of_a_thing(resolve):
    answer = resolve("zeus-9 version")
    assert answer.outcome == "not_stated"
    assert any("zeus-9" in quote.text for quote in answer.evidence)


def test_places_that_state_other_values_are_asked_about(resolve):
    answer = resolve("borgmatic ports")
    assert answer.outcome == "ambiguous"
    assert {candidate.label for candidate in answer.candidates} == {"8080", "8200"}


def test_a_context_that_names_one_of_the_places_chooses(resolve):
    assert values(resolve("borgmatic ports", "on the k3s cluster")) == ["8200"]
    assert values(resolve("borgmatic ports", "docker on the NAS")) == ["8080"]


def test_a_name_with_two_letters_exchanged_is_asked_about_as_a_whole(resolve):
    answer = resolve("brogmatic port")
    assert answer.outcome == "ambiguous"
    assert "borgmatic" in (answer.question or "")


def test_what_is_nowhere_stays_unknown_whatever_is_asked_of_it(resolve):
    for term in ("zeppelin-7 port", "command to restart quuxd", "how long does quuxd keep logs?"):
        assert resolve(term).outcome == "unknown"


def test_the_explanation_of_a_thing_is_not_held_back_by_what_is_disputed(resolve):
    assert resolve("what is kasm-01?").outcome == "resolved"


def test_settings_of_two_environments_are_no_conflict(tmp_path):
    files = {f"{stage}/redis.yaml": f"redis:\n  port: {port}\n" for stage, port in PORTS.items()}
    with opened(tmp_path / "home") as app:
        access = local(app)
        synced(app, access, tmp_path / "docs", files)
        assert call(app, "conflicts")(access, with_closed=True) == []
        answer = app.resolve(access, "redis port")
        assert answer.outcome == "ambiguous"
        assert values(app.resolve(access, "redis port", context="in staging")) == ["6380"]


def test_namesakes_that_a_note_contradicts_are_asked_about_by_their_values(tmp_path):
    with opened(tmp_path / "home") as app:
        access = local(app)
        synced(app, access, tmp_path / "1", {"a.md": "## cube\n\n- IP: 10.0.0.5\n"}, name="one")
        synced(app, access, tmp_path / "2", {"b.md": "**cube**: 100.70.237.79\n"}, name="two")
        note = {"title": "cube", "text": "cube: 100.70.237.80"}
        source = call(app, "create_source")(access, NewSource("manual_note", "note", note))
        sync_source(app, access, source.id)
        answer = app.resolve(access, "cube ip")
        assert answer.outcome == "ambiguous"
        assert values(answer) == ["10.0.0.5", "100.70.237.79", "100.70.237.80"]
        disputed = call(app, "conflicts")(access, with_closed=False)
        assert [{claim.value for claim in each.claims} for each in disputed] == [
            {"10.0.0.5", "100.70.237.80"},
            {"100.70.237.79", "100.70.237.80"},
        ]


def test_what_is_quoted_of_a_name_of_two_places_is_of_one_of_them(tmp_path):
    with opened(tmp_path / "home") as app:
        access = local(app)
        synced(app, access, tmp_path / "1", {"a.md": "# cube\n\n- IP: 10.0.0.5\n"}, name="one")
        stated = {"b.md": "# cube\n\n- IP: 10.9.0.5\n- Owner: Olga\n"}
        synced(app, access, tmp_path / "2", stated, name="two")
        answer = app.resolve(access, "cube owner")
        assert (answer.outcome, values(answer)) == ("not_stated", [])
        assert {quote.source for quote in answer.evidence} == {"two"}


MACHINE = "# Hosts\n\n## cube\n\n- IP: 10.0.0.5\n- Port: 9000\n- OS: {}\n"


def test_what_two_sources_say_of_one_machine_is_asked_about_until_it_is_decided(tmp_path):
    with opened(tmp_path / "home") as app:
        access = local(app)
        for name, system in (("one", "Debian 12"), ("two", "Ubuntu 24")):
            documents = {f"{name}.md": MACHINE.format(system)}
            synced(app, access, tmp_path / name, documents, name=name)
        [conflict] = call(app, "conflicts")(access, with_closed=False)
        assert {claim.value for claim in conflict.claims} == {"Debian 12", "Ubuntu 24"}
        assert app.resolve(access, "cube os").outcome == "ambiguous"
        assert set(values(app.resolve(access, "cube port"))) == {"9000"}
        call(app, "decide")(access, conflict.id, "Debian 12", reason="seen there")
        answer = app.resolve(access, "cube os")
        assert answer.outcome == "resolved"
        assert values(answer) == ["Debian 12"]


@pytest.mark.parametrize(
    ("term", "context", "value"),
    [
        ("gull queue limit", "", "5000 messages"),
        ("gull", "where are its rules kept", "/etc/gull/rules.d"),
        ("gull", "edition", "spring"),
        ("siskin-1", "talk port", "7001/udp"),
        ("siskin-2", "files port", "7004/tcp"),
        ("Rinse the tanks", "who reviewed it", "harbour crew"),
    ],
)
def test_a_value_is_found_by_what_its_row_its_code_or_its_option_calls_it(
    resolve, term, context, value
):
    answer = resolve(term, context)
    assert (answer.outcome, answer.values[0].value) == ("resolved", value)


@pytest.mark.parametrize("context", ["I have to ping it", "where are the logs on the server"])
def test_what_nothing_states_is_not_answered_with_something_else(resolve, context):
    assert resolve("gull", context).outcome == "not_stated"


def test_a_configured_value_is_no_default(resolve):
    assert resolve("spi_speed", "default").outcome != "resolved"


@pytest.mark.parametrize("term", ["kasm-01 operating system", "kasm-01 ssh"])
def test_what_is_called_otherwise_never_takes_the_place_of_what_is_asked(resolve, term):
    answer = resolve(term)
    assert answer.outcome == "not_stated"
    assert answer.values


def test_which_of_two_values_of_a_type_is_meant_is_asked(resolve):
    answer = resolve("siskin-1 port")
    assert answer.outcome == "ambiguous"
    assert {candidate.label for candidate in answer.candidates} == {
        "siskin-1 talk: 7001/udp",
        "siskin-1 files: 7002/tcp",
    }


def test_a_value_of_a_list_is_answered_by_what_the_list_calls_it(resolve):
    answer = resolve("mossbank pump flow")
    assert (answer.outcome, values(answer)) == ("resolved", ["18 m³/h"])
    assert resolve("mossbank pump note").outcome == "not_stated"
