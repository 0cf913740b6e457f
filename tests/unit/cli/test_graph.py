"""What the use of a memory tells, on the command line."""

from __future__ import annotations

from unit.cli.fake_server import (
    EXPERIMENT,
    NEIGHBOURS,
    POLICY,
    SESSION,
    THOUGHT,
    TOPIC,
    TRIAL,
    VALUES,
)

FIRST = "  used of what the weights {} put first:"


def test_neighbours_are_printed_by_kind_with_their_evidence(run, fake):
    said = run("neighbours", THOUGHT, "--kind", "co_use", "--limit", "5", "--url", fake.url)
    assert said.out.splitlines() == [
        "used together: 3",
        "  boundaries help \ufffd[2Jnow",
        "      used together in 2 sessions",
        f"      {SESSION}  PDSA Agent",
        "replace one another: 1",
        "  replaced by: boundaries help \ufffd[2Jnow",
        "      stated",
        f"      {SESSION}  PDSA Agent",
    ]
    assert said.err.splitlines() == [
        "said again by Amy, last 2026-02-23 15:00 UTC",
        "found useful by 3, last 2026-02-23 15:00 UTC",
    ]
    path = f"/api/v1/thoughts/{THOUGHT}/neighbours?kind=co_use&limit=5"
    assert fake.asked == [("GET", path, None)]


def test_a_thought_that_stands_alone_says_so(run, fake):
    path = f"/api/v1/thoughts/{THOUGHT}/neighbours"
    fake.answers["GET", path] = NEIGHBOURS | {"neighbours": [], "counts": {}, "affirmed_by": []}
    assert run("neighbours", THOUGHT, "--url", fake.url).out == "nothing is tied to it yet\n"


def test_the_experiment_says_what_the_log_says_and_how_sure_it_is(run, fake):
    said = run("experiment", "--url", fake.url)
    assert said.out.splitlines() == [
        "Does what was used together tell more than what lies together?",
        "yes: of what was needed next, ten guesses found +6.1 of 100 (95 %: +1.2 to +11.0)",
        "judged on 2026-02-23 15:00 UTC, 812 sessions, and again when the log has grown by a fifth",
    ]
    assert said.err.splitlines() == [
        "before: no, +6.1 of 100 (95 %: -1.2 to +11.0), 2026-02-23 15:00 UTC, 812 sessions"
    ]


def test_too_little_is_said_with_how_much_there_is(run, fake):
    little = EXPERIMENT | {"answer": "not_enough", "sessions": 61, "verdicts": []}
    fake.answers["GET", "/api/v1/experiment"] = little
    assert run("experiment", "--url", fake.url).out.splitlines()[1:] == [
        "not enough yet: 61 of 100 sessions that used something through two questions"
    ]


def test_values_tell_who_carries_a_topic_alone(run, fake):
    said = run("values", "--limit", "1", "--url", fake.url)
    assert said.out.splitlines() == [
        "Ana: 6 uses by 3 others of 3 thoughts",
        f"  5 uses by 2 others of 2 thoughts  roles, boundaries [{TOPIC['id']}]  alone",
        "  1 uses by 2 others of 2 thoughts  in no topic",
    ]
    assert said.err.splitlines() == [
        "1 more contributors: --limit 100",
        "1 topics hang on one person alone",
    ]
    fake.answers["GET", "/api/v1/values"] = VALUES | {"values": [], "contributors": 0, "alone": 0}
    said = run("values", "--url", fake.url)
    assert (said.out, said.err) == ("nothing was used by anybody but who said it\n", "")


def test_a_learned_policy_is_told_with_what_it_was_learned_from(run, fake):
    assert run("policy", "--url", fake.url).out.splitlines() == [
        "ranks by the learned weights, version 20517009",
        "learned from 60 questions that decided: +0.100 a label (95 %: +0.020 to +0.200)",
        "  2.00 times cosine",
        (
            "of the last 100 questions, version 20517009 orders 30 lists otherwise than the "
            "shipped weights; to 7 something else comes first (4 to what was used, 1 away from it)"
        ),
        "  what helps?  (by meaning)",
        "    learned: roles help  (was used)",
        "    shipped: boundaries help  (was called irrelevant)",
    ]


def test_versions_are_told_and_one_switch_goes_back(run, fake):
    said = run("policy", "--questions", "0", "--url", fake.url)
    assert said.err.splitlines() == [
        "21 of them keep the shipped order, to learn from",
        "version 20517009: learned 2026-02-23 15:00 UTC",
        (
            "version 20516009: the shipped weights 2026-02-23 15:00 UTC, "
            "withdrawn 2026-02-23 15:00 UTC"
        ),
    ]
    said = run("policy", "--back", "--url", fake.url)
    assert said.out.splitlines()[0] == "ranks by the learned weights, version 20516009"


def test_what_is_missing_to_learn_is_told(run, fake):
    shipped = POLICY | {"is_on": False, "in_use": "shipped", "factors": [], "version": 9}
    shipped |= {"gain": None, "low": None, "high": None, "labelled": 61}
    shipped |= {"versions": [], "changes": None}
    fake.answers["GET", "/api/v1/policy"] = shipped
    said = run("policy", "--url", fake.url)
    assert said.out.splitlines() == [
        "ranks by the shipped weights, version 9",
        "not enough to learn from yet: 61 of 100 questions",
    ]
    assert "LEARNED_WEIGHTS=true" in said.err
    fake.answers["GET", "/api/v1/policy"] = shipped | {"labelled": 200, "is_on": True}
    said = run("policy", "--url", fake.url)
    assert said.out.splitlines()[1] == (
        "200 questions tell something; no other weights proved better by them"
    )
    assert said.err == ""


def test_a_trial_is_told_with_who_wins_and_what_each_would_have_got(run, fake):
    said = run("policy", "--try", "--url", fake.url)
    assert fake.asked[-1][:2] == ("POST", "/api/v1/policy/try")
    assert said.out.splitlines()[3:8] == [
        (
            "version 20518009 is on trial since 2026-02-23 15:00 UTC, in 412 questions: of 139 "
            "sessions it won 80, lost 50, left 9 even"
        ),
        "its lead: +0.23 a session (95 %: +0.06 to +0.39)",
        "that is sure",
        f"{FIRST.format('in use')} 25 of 100 (95 %: 20 to 30; as by 210 questions)",
        f"{FIRST.format('on trial')} 31 of 100 (95 %: 26 to 37; as by 209 questions)",
    ]
    said = run("policy", "--take", "--from", "20518009", "--url", fake.url)
    assert fake.asked[-1][:2] == ("POST", "/api/v1/policy/take?version=20518009")
    assert run("policy", "--take", "--back", "--url", fake.url).code == 2


def test_of_a_young_trial_it_is_told_what_is_missing(run, fake):
    young = TRIAL | {"wins": 30, "losses": 7, "in_use": None, "tried": None}
    young |= dict.fromkeys(("lead", "low", "high", "more"))
    fake.answers["GET", "/api/v1/policy"] = POLICY | {"trial": young}
    assert run("policy", "--url", fake.url).out.splitlines()[4:7] == [
        "not enough to tell yet: 37 of 100 sessions that either side won",
        f"{FIRST.format('in use')} cannot be said yet",
        f"{FIRST.format('on trial')} cannot be said yet",
    ]
    for more, told in (
        (120, "sure at this lead with about 120 more decided sessions"),
        (None, "no number of further sessions can be told that would make it sure"),
    ):
        fake.answers["GET", "/api/v1/policy"] = POLICY | {"trial": TRIAL | {"more": more}}
        assert told in run("policy", "--url", fake.url).out


def test_without_a_trial_it_is_told_that_nothing_was_left_to_chance(run, fake):
    shipped = POLICY | {"in_use": "shipped", "version": 9, "changes": None}
    fake.answers["GET", "/api/v1/policy"] = shipped
    assert "cannot be said: nothing is left to chance" in run("policy", "--url", fake.url).err
