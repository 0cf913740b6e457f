"""Commands about sources and knowledge, beside a server that answers from a list."""

from __future__ import annotations

import io
import json

import pytest

from unit.cli import fake_knowledge as known
from unit.cli.conftest import is_two_lines
from wellworn.domain.sources import connectors

BELOW = "/api/knowledge"
KEY = "ww_abcdefghijkl_" + "a" * 52


def said_to(fake, method, what):
    """Return the bodies that were sent to a route."""
    return [body for verb, path, body in fake.asked if (verb, path) == (method, f"{BELOW}/{what}")]


def added(fake):
    [body] = said_to(fake, "POST", "sources")
    return body


# ------------------------------------------------------------------------------------ adding


@pytest.mark.parametrize(
    ("words", "source_type", "name", "config"),
    [
        (["https://x.org/ops/a.md?b=c"], "url", "a.md", {"url": "https://x.org/ops/a.md?b=c"}),
        (["HTTPS://x.org/"], "url", "x.org", {"url": "HTTPS://x.org/"}),
        (["https://ana:pw@x.org"], "url", "x.org", {"url": "https://ana:pw@x.org"}),
        (
            ["https://x.org/u/mytech.git", "--branch", "main", "--path-filter", "docs/"],
            "git_repo",
            "mytech",
            {"repo_url": "https://x.org/u/mytech.git", "branch": "main", "path_filter": "docs/"},
        ),
        (
            ["https://x.org/u/mytech", "--git"],
            "git_repo",
            "mytech",
            {"repo_url": "https://x.org/u/mytech"},
        ),
        (["git@x.org:u/a.git"], "git_repo", "a", {"repo_url": "git@x.org:u/a.git"}),
        (
            ["On call", "--note", "Ben"],
            "manual_note",
            "On call",
            {"title": "On call", "text": "Ben"},
        ),
        (["--note", "Ben"], "manual_note", "note", {"title": "note", "text": "Ben"}),
    ],
)
def test_what_is_meant_shows_from_how_it_is_written(run, fake, words, source_type, name, config):
    assert run("source", "add", *words, "--url", fake.url).code == 0
    assert added(fake) == {"source_type": source_type, "name": name, "config": config}


FEED = """
from wellworn.domain.sources.connectors import Recognition, Sign, SourceKind

def recognize(what, options):
    return Recognition(Sign.FORM, "news", what) if what.endswith(".atom") else None

KIND = SourceKind("feed", location="address", recognize=recognize)

def create_connector(context): ...
"""


def test_a_new_kind_of_source_is_one_file(run, fake, tmp_path, monkeypatch):
    (tmp_path / "feed_of_a_test.py").write_text(FEED)
    monkeypatch.setattr(connectors, "__path__", [*connectors.__path__, str(tmp_path)])
    assert run("source", "add", "https://x.org/a.atom", "--url", fake.url).code == 0
    config = {"address": "https://x.org/a.atom"}
    assert added(fake) == {"source_type": "feed", "name": "news", "config": config}


def test_a_folder_is_named_by_its_whole_path(run, fake, tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    run("source", "add", "./docs", "--include", "*.md", "--url", fake.url)
    folder = str((tmp_path / "docs").resolve())
    config = {"path": folder, "include": "*.md"}
    assert added(fake) == {"source_type": "folder", "name": "docs", "config": config}


def test_a_file_is_sent(run, fake, tmp_path):
    (tmp_path / "guide.pdf").write_bytes(b"%PDF-1.7 \xff")
    fake.answers["PUT", f"{BELOW}/sources/7/files/guide%2Epdf"] = known.RUN
    run("source", "add", str(tmp_path / "guide.pdf"), "--url", fake.url)
    assert added(fake) == {"source_type": "upload", "name": "guide", "config": {}}
    assert said_to(fake, "PUT", "sources/7/files/guide%2Epdf") == [b"%PDF-1.7 \xff"]
    assert said_to(fake, "POST", "sources/7/sync") == []


def test_options_of_a_source_reach_the_server(run, fake):
    words = ["--name", "ours", "--schedule", "0 3 * * *", "--time-zone", "Europe/Berlin"]
    words += ["--agent", "ana", "--agent", "ben", "--no-sync"]
    run("source", "add", "https://x.org/a.md", *words, "--url", fake.url)
    body = added(fake)
    assert (body["name"], body["sync_schedule"]) == ("ours", "0 3 * * *")
    assert (body["time_zone"], body["agents"]) == ("Europe/Berlin", ["ana", "ben"])
    assert said_to(fake, "POST", "sources/7/sync") == []


@pytest.mark.parametrize(
    ("what", "secret", "sent"),
    [
        ("https://x.org/a.md", "abc", "Bearer abc"),
        ("https://x.org/a.md", "Basic abc", "Basic abc"),
        ("https://x.org/a.git", "abc", "abc"),
    ],
)
def test_a_token_comes_from_a_variable_or_is_asked_for(run, fake, monkeypatch, what, secret, sent):
    monkeypatch.setenv("MY_TOKEN", secret)
    said = run("source", "add", what, "--token-env", "MY_TOKEN", "--url", fake.url)
    assert added(fake)["secret"] == sent
    assert secret not in said.out + said.err
    fake.asked.clear()
    monkeypatch.setattr("typer.prompt", lambda *_, **more: secret if more["hide_input"] else "")
    run("source", "add", what, "--token", "--url", fake.url)
    assert added(fake)["secret"] == sent


def test_a_note_may_come_from_stdin(run, fake, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Ben is on call.\n"))
    run("source", "add", "On call", "--note", "-", "--url", fake.url)
    assert added(fake)["config"]["text"] == "Ben is on call."


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nowhere/to/be/found"],
        ["https://x.org/a.md", "--branch", "main"],
        ["https://x.org/a.git", "--include", "*.md"],
        ["https://x.org/a.md", "--token-env", "NOT_SET"],
        ["On call", "--note", "Ben", "--token-env", "PATH"],
        ["On call", "--note", "Ben", "--git"],
    ],
)
def test_what_cannot_be_added_is_one_clear_line(run, fake, words):
    assert is_two_lines(run("source", "add", *words, "--url", fake.url), code=2)
    assert fake.asked == []


def test_adding_says_in_one_sentence_what_the_first_sync_did(run, fake):
    said = run("source", "add", "https://x.org/a.md", "--url", fake.url)
    first, second, third = said.out.splitlines()
    assert first == "added mytech (7, folder)"
    assert second == "mytech: 1 new, 2 unchanged"
    assert third == "  a\ufffd[2J.pdf: it has no text"


# ----------------------------------------------------------------------------------- syncing


def test_a_sync_that_failed_is_told_and_fails(run, fake):
    fake.answers["POST", f"{BELOW}/sources/7/sync"] = known.FAILED
    said = run("source", "sync", "mytech", "--url", fake.url)
    assert (said.code, said.out) == (1, "mytech: the folder does not exist\n")
    said = run("source", "sync", "mytech", "--url", fake.url, "--json")
    assert (said.code, said.json[0]["status"]) == (1, "failed")


def test_vanished_documents_go_when_that_is_confirmed(run, fake):
    waits = {**known.RUN, "status": "needs_confirmation", "message": "3 of 4 vanished"}
    fake.answers["POST", f"{BELOW}/sources/7/sync"] = waits
    said = run("source", "sync", "mytech", "--url", fake.url)
    assert said.code == 1
    assert "--confirm" in said.err
    run("source", "sync", "mytech", "--confirm", "--url", fake.url)
    assert said_to(fake, "POST", "sources/7/sync") == [{"confirm": False}, {"confirm": True}]


def test_a_sync_that_takes_long_is_waited_for(run, fake, monkeypatch):
    monkeypatch.setattr("wellworn.client.calls.sources._POLL_EVERY_S", 0.0)
    goes_on = {**known.RUN, "finished_at": None, "status": "syncing"}
    fake.answers["POST", f"{BELOW}/sources/7/sync"] = goes_on
    said = run("source", "sync", "mytech", "--url", fake.url)
    assert said.code == 0
    assert said.out.startswith("mytech: 1 new, 2 unchanged\n")


@pytest.mark.parametrize(
    "words", [["source", "sync", "mytech"], ["source", "add", "https://x.org/a.md"]]
)
def test_who_stops_waiting_is_told_how_to_see_a_sync_that_goes_on(run, fake, monkeypatch, words):
    def interrupted(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("wellworn.client.Wellworn.sync_source", interrupted)
    said = run(*words, "--url", fake.url)
    assert said.code == 130
    assert said.err == (
        "the sync continues in the server; wellworn source runs 7 shows how it ends\n"
    )


def test_each_sync_is_told_when_it_is_over_not_when_all_are(run, fake):
    fake.answers["GET", f"{BELOW}/sources"] = {
        "sources": [known.SOURCE, {**known.SOURCE, "id": 9, "name": "gone"}]
    }
    said = run("source", "sync", "--all", "--url", fake.url)
    assert said.code == 1
    assert said.out.startswith("mytech: 1 new, 2 unchanged\n")
    assert "\nerror: there is no such" in said.err


def test_files_that_were_sent_are_told_when_a_later_one_is_refused(run, fake, tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(name)
    fake.answers["PUT", f"{BELOW}/sources/7/files/a%2Emd"] = known.RUN
    files = [str(tmp_path / "a.md"), str(tmp_path / "b.md")]
    said = run("source", "upload", "mytech", *files, "--url", fake.url)
    assert said.code == 1
    assert said.out.startswith("a.md: 1 new, 2 unchanged\n")
    assert said.err.startswith("error: there is no such")


def test_all_are_synced_but_those_that_are_paused(run, fake):
    assert run("source", "sync", "--all", "--url", fake.url).code == 0
    assert [path for verb, path, _ in fake.asked if verb == "POST"] == [f"{BELOW}/sources/7/sync"]


def test_where_there_is_no_source_yet_all_of_them_are_synced_at_once(run, fake):
    fake.answers["GET", f"{BELOW}/sources"] = {"sources": []}
    said = run("source", "sync", "--all", "--url", fake.url)
    assert (said.code, said.out) == (0, "")
    assert "wellworn source add" in said.err
    assert run("source", "sync", "--all", "--url", fake.url, "--json").json == []


@pytest.mark.parametrize("words", [[], ["mytech", "--all"]])
def test_one_source_or_all_are_synced(run, fake, words):
    assert is_two_lines(run("source", "sync", *words, "--url", fake.url), code=2)
    assert fake.asked == []


def test_files_are_sent_one_by_one_into_a_folder_of_the_source(run, fake, tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(name)
        path = f"{BELOW}/sources/7/files/guides/{name.replace('.', '%2E')}"
        fake.answers["PUT", path] = known.RUN
    files = [str(tmp_path / "a.md"), str(tmp_path / "b.md")]
    said = run("source", "upload", "mytech", *files, "--into", "/guides/", "--url", fake.url)
    assert said.code == 0
    assert [line for line in said.out.splitlines() if not line.startswith(" ")] == [
        "guides/a.md: 1 new, 2 unchanged",
        "guides/b.md: 1 new, 2 unchanged",
    ]


# ------------------------------------------------------------------------------------ naming


@pytest.mark.parametrize(("text", "number"), [("mytech", 7), ("7", 8), ("8", 8)])
def test_a_source_is_named_by_its_name_or_its_number_and_the_name_comes_first(
    run, fake, text, number
):
    fake.answers["GET", f"{BELOW}/sources/{number}/runs"] = known.RUNS
    assert run("source", "runs", text, "--url", fake.url).code == 0
    assert fake.asked[-1][1] == f"{BELOW}/sources/{number}/runs?limit=20"


def test_a_name_that_no_source_has_is_one_clear_line(run, fake):
    said = run("source", "sync", "nowhere", "--url", fake.url)
    assert is_two_lines(said, code=1)
    assert "wellworn source list" in said.err


def test_a_name_that_two_sources_have_is_refused_and_both_are_named(run, fake):
    twins = {"sources": [known.SOURCE, {**known.OTHER, "name": "mytech"}]}
    fake.answers["GET", f"{BELOW}/sources"] = twins
    said = run("source", "remove", "mytech", "--yes", "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert "7, 8" in said.err
    assert said_to(fake, "DELETE", "sources/7") == []


@pytest.mark.parametrize(("word", "is_done"), [("n", False), ("y", True)])
def test_removing_asks_first_and_says_how_much_goes(run, fake, monkeypatch, word, is_done):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{word}\n"))
    said = run("source", "remove", "mytech", "--url", fake.url)
    assert "with 2 documents" in said.err
    assert said.code == (0 if is_done else 1)
    assert len(said_to(fake, "DELETE", "sources/7")) == is_done


@pytest.mark.parametrize(("command", "is_paused"), [("pause", True), ("resume", False)])
def test_a_schedule_rests_and_is_taken_up_again(run, fake, command, is_paused):
    assert run("source", command, "mytech", "--url", fake.url).code == 0
    [body] = said_to(fake, "PUT", "sources/7")
    assert body["is_paused"] is is_paused


# ------------------------------------------------------------------------------------ asking


def test_a_listing_has_status_schedule_and_what_to_do(run, fake):
    first, second, _third = run("source", "list", "--url", fake.url).out.splitlines()
    assert "mytech (7, folder)  partial  2 documents" in first
    assert "at 03:00 every day (UTC)" in first
    assert second.strip() == "1 could not be read \ufffd[2J"


def test_found_passages_are_told_with_where_they_stand(run, fake):
    said = run("knowledge", "search", "cube", "--source", "mytech", "--url", fake.url)
    assert "source_id=7" in fake.asked[-1][1]
    assert "mytech/AGENTS.md#servers, characters 20 to 44, to the letter" in said.out
    assert "stale" in said.out


@pytest.mark.parametrize("is_weak", [True, False], ids=["weak", "close"])
def test_when_nothing_found_is_close_it_is_said_first(run, fake, is_weak):
    [found] = known.FOUND["results"]
    results = [{**found, "weak": True}, {**found, "weak": is_weak}]
    fake.answers["GET", f"{BELOW}/search"] = {**known.FOUND, "results": results}
    said = run("knowledge", "search", "cube", "--url", fake.url).out
    assert said.startswith("nothing known is close to this") is is_weak
    assert said.count("(weak)") == 1 + is_weak


def test_an_answer_has_each_value_with_its_place(run, fake):
    said = run("knowledge", "resolve", "cube", "--agent", "ada", "--url", fake.url)
    assert "ip: 100.70.237.79  (mytech/AGENTS.md#servers)" in said.out
    assert fake.asked[-1][2]["agent_id"] == "ada"


def test_the_name_before_an_answer_is_that_of_the_thing(run, fake):
    asked = {**known.ANSWER, "term": "cube ip"}
    fake.answers["POST", f"{BELOW}/resolve"] = asked
    assert run("knowledge", "resolve", "cube ip", "--url", fake.url).out.startswith("cube: ")
    fake.answers["POST", f"{BELOW}/resolve"] = {**asked, "term": "Cube", "values": []}
    assert run("knowledge", "resolve", "Cube", "--url", fake.url).out.startswith("Cube: ")


@pytest.mark.parametrize("outcome", ["resolved", "not_stated"])
def test_what_chose_is_printed_with_what_was_passed_over(run, fake, outcome):
    answer = {**known.ANSWER, "outcome": outcome, "chosen_by": [known.CHOICE]}
    fake.answers["POST", f"{BELOW}/resolve"] = answer
    lines = run("knowledge", "resolve", "cube", "--url", fake.url).out.splitlines()
    assert lines[-3:] == [
        "chosen by decision of ada: it moved \ufffd[2J; passed over and 2 more:",
        "  cube: a clock",
        "      lab/old.md",
    ]


def test_what_is_not_clear_is_one_question_with_what_it_may_mean(run, fake):
    fake.answers["POST", f"{BELOW}/resolve"] = known.ASKED
    lines = run("knowledge", "resolve", "cube", "--url", fake.url).out.splitlines()
    assert lines[0] == "Which cube is meant?"
    assert "mytech/AGENTS.md#servers" in lines[2]


def test_a_page_of_a_document_is_its_text_alone_on_stdout(run, fake):
    said = run("knowledge", "read", "12", "--url", fake.url)
    assert said.out == "# Servers\n\ufffd[2Jcube\n\n"
    assert "--offset 20" in said.err


def test_a_file_for_agents_is_printed_as_it_is(run, fake):
    said = run("knowledge", "artifact", "hot_terms.md", "--url", fake.url)
    assert said.out == "# Hot Terms\n\n| cube \ufffd[2J |\n"
    said = run("knowledge", "artifact", "hot_terms.md", "--url", fake.url, "--json")
    assert said.json == {"name": "hot_terms.md", "content": known.HOT_TERMS}
    assert "catalog.md" in run("knowledge", "artifact", "--url", fake.url).out


@pytest.mark.parametrize("name", ["", "../catalog.md", "a/b"])
def test_what_cannot_be_a_file_for_agents_is_one_clear_line(run, fake, name):
    assert is_two_lines(run("knowledge", "artifact", name, "--url", fake.url), code=2)


def test_nothing_of_a_type_is_not_nothing_at_all(run, fake):
    fake.answers["GET", f"{BELOW}/provenance"] = {"term": "cube", "values": []}
    said = run("knowledge", "provenance", "cube", "--type", "owner", "--url", fake.url)
    assert said.out == "nothing of the type owner is known about cube\n"
    said = run("knowledge", "provenance", "cube", "--url", fake.url)
    assert said.out == "nothing is known about cube\n"


def test_what_was_guessed_or_left_out_is_said_below_the_document(run, fake):
    about = {**known.DOCUMENT["metadata"], "flags": ["encoding guessed: cp1251", "\x1b[2Jcut"]}
    document = {**known.DOCUMENT, "metadata": about}
    fake.answers["GET", f"{BELOW}/documents"] = {"documents": [document], "next_offset": None}
    said = run("knowledge", "documents", "--url", fake.url)
    assert said.out.splitlines()[1:] == ["      encoding guessed: cp1251", "      \ufffd[2Jcut"]
    fake.answers["GET", f"{BELOW}/documents/12"] = {**known.PAGE, "document": document}
    said = run("knowledge", "read", "12", "--url", fake.url)
    assert "encoding guessed: cp1251" in said.err.splitlines()


def test_behind_the_end_of_a_document_one_is_told_where_that_is(run, fake):
    page = {**known.PAGE, "text": "", "offset": 5_000, "next_offset": None}
    fake.answers["GET", f"{BELOW}/documents/12"] = page
    said = run("knowledge", "read", "12", "--offset", "5000", "--url", fake.url)
    assert said.err.splitlines()[-1] == "the document ends before that: it has 900 characters"


def test_an_empty_name_is_not_taken_for_none(run, fake):
    run("source", "add", "https://x.org/a.md", "--name", "", "--url", fake.url)
    assert added(fake)["name"] == ""


def test_pins_are_listed_when_no_term_is_named(run, fake):
    assert run("knowledge", "pin", "--url", fake.url).out == "cube \ufffd[2J\n"
    assert fake.asked[-1][:2] == ("GET", f"{BELOW}/pins")


def test_options_of_questions_reach_the_server(run, fake):
    run("knowledge", "provenance", "cube", "--type", "ip", "--url", fake.url)
    assert fake.asked[-1][1].endswith("provenance?term=cube&fact_type=ip")
    run("knowledge", "decide", "3", "100.70.237.80", "--reason", "it moved", "--url", fake.url)
    assert fake.asked[-1][2] == {"resolution": "100.70.237.80", "reason": "it moved"}
    run("knowledge", "compile", "--all", "--url", fake.url)
    assert fake.asked[-1][2] == {"all_anew": True}
    run("knowledge", "preamble", "--budget", "500", "--url", fake.url)
    assert fake.asked[-1][1].endswith("preamble?budget_tokens=500")


def test_a_conflict_is_named_by_its_term_where_that_is_clear(run, fake):
    run("knowledge", "decide", "cube", "both", "--url", fake.url)
    assert fake.asked[-1][:2] == ("POST", f"{BELOW}/conflicts/3/decision")
    assert is_two_lines(run("knowledge", "decide", "zebra", "both", "--url", fake.url), code=1)
    [conflict] = fake.answers["GET", f"{BELOW}/conflicts"]["conflicts"]
    several = {"conflicts": [conflict, {**conflict, "id": 4}]}
    fake.answers["GET", f"{BELOW}/conflicts"] = several
    assert is_two_lines(run("knowledge", "decide", "cube", "both", "--url", fake.url), code=2)


def test_a_missing_document_has_its_own_remedy(run, fake):
    error = {"error": {"code": "DOCUMENT_NOT_FOUND", "message": "no document has this id"}}
    fake.reply = lambda *_: (404, json.dumps(error).encode())
    said = run("knowledge", "read", "99", "--url", fake.url)
    assert is_two_lines(said, code=1)
    assert "wellworn knowledge documents" in said.err
