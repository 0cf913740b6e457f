"""Commands about credentials, spaces and audit trails, beside a server that answers from a list."""

from __future__ import annotations

import io
import json

import pytest

from unit.cli.commands import SPACES
from unit.cli.conftest import is_two_lines
from unit.cli.fake_server import (
    ANA,
    BEN,
    INVITATION,
    KEY,
    KID,
    MEMBER,
    MEMBERS,
    OTHER_SPACE,
    SPACE,
    TEAM,
    TOKEN,
    VERDICT,
)
from wellworn.kit.clock import SystemClock, from_iso

DESTROYING = [
    "credential revoke",
    "space revoke",
    "space seal",
    "space delete",
    "space rollback",
]


def changes(fake):
    return [(method, path) for method, path, _ in fake.asked if method != "GET"]


def test_a_space_may_be_named_by_its_name(run, fake, monkeypatch):
    monkeypatch.setenv("WELLWORN_SPACE", "the team")
    assert run("highways", "--url", fake.url).code == 0
    assert fake.shown[-1] == (None, SPACE)


def test_a_name_that_no_space_has_is_one_clear_line(run, fake):
    said = run("highways", "--space", "nowhere", "--url", fake.url)
    assert is_two_lines(said, code=1)
    assert "wellworn space list" in said.err


def test_a_name_that_two_spaces_have_is_refused_and_both_are_named(run, fake):
    two = {"spaces": [TEAM, {**TEAM, "id": OTHER_SPACE}]}
    fake.answers["GET", "/api/v1/spaces"] = two
    said = run("space", "delete", "the team", "--yes", "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert SPACE in said.err
    assert OTHER_SPACE in said.err
    assert changes(fake) == []


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        ("credential create", KEY),
        ("credential rotate", KEY),
        ("space create", KEY),
        ("space join", KEY),
        ("space invite", TOKEN),
    ],
)
def test_a_secret_stands_alone_on_stdout_to_be_captured(run, fake, command, secret):
    said = run(*SPACES[command], "--url", fake.url)
    assert said.out == secret + "\n"
    assert secret not in said.err
    assert said.err


@pytest.mark.parametrize(
    ("command", "path"),
    [("space create", "/api/v1/spaces"), ("space join", "/api/v1/invitations/accept")],
)
def test_where_no_member_is_made_the_spaces_id_is_captured(run, fake, command, path):
    fake.answers["POST", path] = {**fake.answers["POST", path], "issued": None}
    assert run(*SPACES[command], "--url", fake.url).out == SPACE + "\n"


def test_what_a_credential_may_do_reaches_the_server(run, fake):
    words = ["credential", "create", "ci", "--role", "reader", "--expires", "30d"]
    run(*words, "--reach", SPACE, "--reach", "other", "--url", fake.url)
    assert fake.asked[-1][2] == {
        "name": "ci",
        "role": "reader",
        "lifetime_s": 30 * 86_400,
        "spaces": [SPACE, OTHER_SPACE],
    }


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--role", "reader"], ["reader", "ks-default"]),
        ([], ["contributor", "ks-default"]),
        (["--role", "admin", "--key", KEY], ["admin", "all spaces"]),
        (["--key", KEY], ["as its member", "all spaces"]),
    ],
)
def test_a_new_credential_is_told_with_the_role_that_was_given(run, fake, words, facts):
    said = run("credential", "create", "ana", *words, "--url", fake.url)
    assert said.err.splitlines()[0].split("  ")[:4] == [KID, "ana", *facts]


def test_json_of_a_new_member_s_key_has_the_role_that_was_given(run, fake):
    said = run("credential", "create", "ana", "--role", "reader", "--json", "--url", fake.url)
    credential = json.loads(said.out)["credential"]
    assert (credential["role"], credential["spaces"]) == ("reader", ["ks-default"])


def test_what_is_not_said_about_a_credential_is_left_to_the_server(run, fake):
    run("credential", "create", "ci", "--url", fake.url)
    assert fake.asked[-1][2] == {"name": "ci"}


def test_rotating_without_a_number_renews_the_key_in_use(run, fake):
    run("credential", "rotate", "--key", KEY, "--url", fake.url)
    assert changes(fake) == [("POST", f"/api/v1/credentials/{KID}/rotate")]
    assert is_two_lines(run("credential", "rotate", "--url", fake.url), code=2)


@pytest.mark.parametrize(
    ("text", "seconds"), [("45s", 45), ("90m", 5_400), ("12h", 43_200), ("2w", 1_209_600)]
)
def test_lengths_of_time_are_read(run, fake, text, seconds):
    run("space", "invite", SPACE, "--role", "reader", "--expires", text, "--url", fake.url)
    assert fake.asked[-1][2] == {"role": "reader", "lifetime_s": seconds}


@pytest.mark.parametrize("text", ["", "30", "d", "1.5d", "-1d", "0d", "30 d", "tomorrow"])
def test_what_is_no_length_of_time_is_one_clear_line(run, fake, text):
    said = run("space", "invite", SPACE, f"--expires={text}", "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert fake.asked == []


@pytest.mark.parametrize("command", DESTROYING)
def test_destroying_asks_first_and_no_means_no(run, fake, monkeypatch, command):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    words = [word for word in SPACES[command] if word != "--yes"]
    said = run(*words, "--url", fake.url)
    assert said.code == 1
    assert "nothing was done" in said.err
    done = [path for _, path, body in fake.asked if body is None or not body.get("dry_run")]
    assert not set(done) & {path for _, path in changes(fake)}


@pytest.mark.parametrize("command", DESTROYING)
def test_destroying_happens_after_a_yes(run, fake, monkeypatch, command):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    words = [word for word in SPACES[command] if word != "--yes"]
    assert run(*words, "--url", fake.url).code == 0
    assert changes(fake)


@pytest.mark.parametrize(
    ("whom", "path"),
    [
        ("ana", f"members/{ANA}"),
        (ANA, f"members/{ANA}"),
        (BEN, f"members/{BEN}"),
        (INVITATION, f"invitations/{INVITATION}"),
    ],
)
def test_a_member_or_an_invitation_is_revoked_by_id_or_name(run, fake, whom, path):
    assert run("space", "revoke", SPACE, whom, "--yes", "--url", fake.url).code == 0
    assert changes(fake) == [("DELETE", f"/api/v1/spaces/{SPACE}/{path}")]


def test_a_member_is_appointed_by_name_and_the_new_key_is_told(run, fake):
    said = run("space", "appoint", SPACE, "ana", "reader", "--url", fake.url)
    [(method, path, body)] = [one for one in fake.asked if one[0] != "GET"]
    assert (method, path) == ("PUT", f"/api/v1/spaces/{SPACE}/members/{ANA}")
    assert body == {"role": "reader"}
    assert said.out == f"ana ({ANA}, reader)\n"
    assert "the space has a new key" in said.err
    assert run("space", "appoint", SPACE, "ana", "owner", "--url", fake.url).code == 2


@pytest.mark.parametrize("name", ["ana", INVITATION])
def test_what_fits_several_is_revoked_by_its_id_alone(run, fake, name):
    twin = {**MEMBER, "member_id": BEN, "name": name}
    known = {**MEMBERS, "members": [MEMBER, twin]}
    fake.answers["GET", f"/api/v1/spaces/{SPACE}/members"] = known
    said = run("space", "revoke", SPACE, name, "--yes", "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert BEN in said.err
    assert changes(fake) == []


def test_nobody_of_that_name_is_one_clear_line(run, fake):
    said = run("space", "revoke", SPACE, "zoe", "--yes", "--url", fake.url)
    assert is_two_lines(said, code=1)
    assert "wellworn space members" in said.err


def test_a_rollback_shows_what_would_go_before_it_is_asked_for(run, fake, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    words = ["space", "rollback", SPACE, "ana", "--since", "2026-02-23T15:00:00Z"]
    said = run(*words, "--url", fake.url)
    bodies = [body for method, _, body in fake.asked if method == "POST"]
    assert [body["dry_run"] for body in bodies] == [True, False]
    assert {body["owner"] for body in bodies} == {ANA}
    assert {body["since"] for body in bodies} == {"2026-02-23T15:00:00.000000Z"}
    assert "3 thoughts" in said.err


def test_a_dry_run_takes_nothing_back_and_asks_nothing(run, fake):
    words = ["space", "rollback", SPACE, "agent-7", "--since", "2h", "--dry-run"]
    said = run(*words, "--url", fake.url)
    [body] = [body for method, _, body in fake.asked if method == "POST"]
    assert body["dry_run"] is True
    assert body["owner"] == "agent-7"
    assert SystemClock().now() - from_iso(body["since"]) == pytest.approx(7_200, abs=600)
    assert said.out.startswith("would remove 3 thoughts")


def test_a_token_may_come_from_stdin(run, fake, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(TOKEN + "\n"))
    run("space", "join", "-", "--as", "ben", "--url", fake.url)
    assert fake.asked[-1][2] == {"token": TOKEN, "name": "ben"}


def test_members_are_told_with_their_fingerprints(run, fake):
    lines = run("space", "members", SPACE, "--url", fake.url).out.splitlines()
    assert "1234 5678" in lines[0]
    assert "ben\ufffd[2J" in lines[1]
    assert INVITATION in lines[2]


def test_a_trail_that_does_not_hold_is_told_and_is_a_failure(run, fake):
    bad = {**VERDICT, "ok": False, "first_bad_seq": 5, "reason": "changed"}
    fake.answers["GET", "/api/v1/audit/verify"] = bad
    said = run("audit", "verify", "--url", fake.url)
    assert said.code == 1
    assert said.out.startswith("WRONG: changed at entry 5")


def trail(*hashes, space=SPACE):
    lines = [json.dumps({"audit": space, "format": 1})]
    lines += [
        json.dumps({"entry": {}, "hash": one, "seq": seq}) for seq, one in enumerate(hashes, 1)
    ]
    return "".join(line + "\n" for line in lines)


A, B, C, D = ("0" * 63 + str(digit) for digit in range(4))
IN_LOG = f"2026-02-23 INFO audit checkpoint {SPACE} 2 {B} {'1' * 128} 1.5 {'2' * 64}\n"


@pytest.mark.parametrize(
    ("kept", "now", "verdict"),
    [
        (trail(A, B), trail(A, B, C), "ok"),
        (trail(A, B, C), trail(A, B), "WRONG: truncated at entry 3"),
        (trail(A, B, C), trail(), "WRONG: truncated at entry 1"),
        (trail(A, D), trail(A, B, C), "WRONG: rewritten at entry 2"),
        (IN_LOG, trail(A, B, C), "ok"),
        (IN_LOG, trail(A), "WRONG: truncated at entry 2"),
        (IN_LOG, trail(A, C), "WRONG: rewritten at entry 2"),
    ],
)
def test_what_was_kept_elsewhere_tells_what_the_trail_itself_cannot(
    run, fake, tmp_path, kept, now, verdict
):
    fake.answers["GET", "/api/v1/audit/export"] = now.encode()
    (tmp_path / "kept").write_text(kept)
    said = run("audit", "verify", "--kept", str(tmp_path / "kept"), "--url", fake.url)
    assert said.out.startswith(verdict)
    assert said.code == (verdict != "ok")


@pytest.mark.parametrize("kept", ["", "hello\n", trail(A, space=OTHER_SPACE), trail()])
def test_a_file_that_vouches_for_nothing_is_no_evidence(run, fake, tmp_path, kept):
    fake.answers["GET", "/api/v1/audit/export"] = trail(A, B).encode()
    (tmp_path / "kept").write_text(kept)
    said = run("audit", "verify", "--kept", str(tmp_path / "kept"), "--url", fake.url)
    assert is_two_lines(said, code=2)


def test_an_exported_trail_is_written_as_it_came(run, fake, tmp_path):
    fake.answers["GET", "/api/v1/audit/export"] = trail(A, B).encode()
    run("audit", "export", str(tmp_path / "trail.jsonl"), "--url", fake.url)
    assert (tmp_path / "trail.jsonl").read_text() == trail(A, B)
    assert run("audit", "export", "-", "--url", fake.url).out == trail(A, B)
