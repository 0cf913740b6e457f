"""What the traces know, on the command line."""

from __future__ import annotations

import pytest

from unit.cli.fake_server import DECISIONS, SESSION, THOUGHT, TRAJECTORY

NOBODY = {"answer": "no", "agents": 3, "needed": 4, "days": 9, "regions": []}


def test_decisions_tell_what_was_shown_and_what_was_withheld(run, fake):
    said = run("decisions", "--thought", THOUGHT, "--limit", "5", "--url", fake.url)
    assert said.out.splitlines() == [
        "2026-02-23 15:00 UTC  pdsa: what \ufffd[2Jhelps?",
        "  1 shown of 12 ranked, by hybrid",
        "  nothing that has to do with it",
        f"    1. {THOUGHT[:8]}  12.35 boundaries help \ufffd[2Jnow",
        f"    - {THOUGHT[:8]}  boundaries help \ufffd[2Jnow  (replaced by {SESSION[:8]})",
        "  not stored: question",
        f"  {SESSION}",
    ]
    assert said.err == "kept since 2026-02-16 15:00 UTC\n"
    assert fake.asked == [("GET", f"/api/v1/decisions?thought_id={THOUGHT}&limit=5", None)]


def test_what_was_stored_is_told_with_what_it_replaces(run, fake):
    [decision] = DECISIONS["decisions"]
    stored = {"outcome": "stored", "contributed_id": THOUGHT, "replaces": [SESSION]}
    fake.answers["GET", "/api/v1/decisions"] = {
        "decisions": [decision | stored | {"shown": [], "withheld": [], "ranked": None}],
        "since": None,
    }
    said = run("decisions", "--session", SESSION, "--query", SESSION, "--url", fake.url)
    assert said.out.splitlines()[1] == "  0 shown, by hybrid"
    assert said.out.splitlines()[3] == f"  stored: {THOUGHT}, replaces {SESSION}"
    fake.answers["GET", "/api/v1/decisions"] = {"decisions": [], "since": None}
    assert run("decisions", "--url", fake.url).out == "no call is known\n"


def test_what_converged_is_told_with_who_found_it_by_themselves(run, fake):
    said = run("convergence", "--limit", "5", "--url", fake.url)
    assert said.out.splitlines() == [
        f"{THOUGHT[:8]}  boundaries help \ufffd[2Jnow",
        "  first by PDSA Agent; then 2 found it independently, 1 had been shown it",
        "5 agents came to one thing: boundaries, roles  (p 0.004)",
        f"  {THOUGHT[:8]}  boundaries help",
        "  asked: what helps?",
    ]
    assert said.err == "said again: 2 independently, 1 echoes, 0 not known\n"
    fake.answers["GET", "/api/v1/convergence"] = {
        "converged": [],
        "counts": {"independent": 0, "echo": 0, "unknown": 0},
        "gathered": NOBODY,
    }
    told = run("convergence", "--since", "30d", "--url", fake.url).out
    assert told == "nothing was said twice by several\n"
    assert "since=" in fake.asked[-1][1]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("not_enough_agents", "not enough agents, 3 of 4 of whom it is known what they usually"),
        ("not_enough_days", "not enough days, the log has 9 of 14"),
        ("no", "nobody beyond chance, of 3 agents"),
    ],
)
def test_where_nobody_gathered_says_why(run, fake, answer, told):
    whole = fake.answers["GET", "/api/v1/convergence"]
    fake.answers["GET", "/api/v1/convergence"] = whole | {"gathered": NOBODY | {"answer": answer}}
    assert f"gathered: {told}" in " ".join(run("convergence", "--url", fake.url).err.split())


def test_sessions_are_listed_and_the_path_of_one_is_told(run, fake):
    assert run("sessions", "--url", fake.url).out.splitlines() == [
        "2026-02-23 15:00 UTC  pdsa: 2 questions",
        f"  {SESSION}",
    ]
    said = run("sessions", SESSION, "--url", fake.url)
    assert said.out.splitlines() == [
        "2026-02-23 15:00 UTC  what helps?",
        "  0.25 from the last, 0.50 from the first",
        "undetermined: 1 of 6 questions",
    ]
    assert said.err == "two of its 1 questions are 0.38 apart on average\n"
    sure = TRAJECTORY | {"regime": "oscillatory", "p": 0.016}
    fake.answers["GET", f"/api/v1/sessions/{SESSION}/trajectory"] = sure
    told = run("sessions", SESSION, "--url", fake.url).out.splitlines()
    assert told[-1] == "oscillatory: it went back and forth (p 0.016)"
    fake.answers["GET", "/api/v1/sessions"] = {"sessions": []}
    assert run("sessions", "--url", fake.url).out == "no session is known\n"
