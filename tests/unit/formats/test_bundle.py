"""A bundle: the same bytes for the same memory, and nothing read from half of one."""

from __future__ import annotations

import json

import pytest

from wellworn.application.transfer import Losses
from wellworn.engines.formats import read_bundle, write_bundle
from wellworn.errors import InvalidInput

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def thought(thought_id, content, **more):
    return {
        "record": "thought",
        "id": thought_id,
        "content": content,
        "contributor_id": "ann",
        "contributor_name": "Ann",
        "thought_type": "original",
        "source_ids": [],
        "tags": [],
        "context_metadata": None,
        "created_at": "2026-02-23T15:00:00.000000Z",
        "kind": "thought",
        "session": None,
        "position": None,
        "erased_at": None,
        **more,
    }


def turn_file(path, content=""):
    return {
        "record": "turn_file",
        "user_id": "Ann B",
        "path": path,
        "content": content,
        "turn_id": None,
    }


SESSION = {"record": "session", "id": ONE, "agent_id": "ann", "created_at": 0.1}
RECORDS = [
    thought(ONE, "Tée is hot\n# not a heading", tags=["System Architecture", "c++"]),
    thought(
        TWO,
        "so wait",
        created_at="2026-02-24T00:00:00.000000Z",
        thought_type="refinement",
        source_ids=[ONE],
    ),
    SESSION,
]


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_is_written_is_read(tmp_path):
    write_bundle(RECORDS, tmp_path / "b")
    assert list(read_bundle(tmp_path / "b")) == RECORDS


def test_records_that_come_mixed_are_read_behind_what_they_refer_to(tmp_path):
    write_bundle([SESSION, *RECORDS[:2]], tmp_path / "b")
    assert list(read_bundle(tmp_path / "b")) == RECORDS


def test_the_same_records_give_the_same_bytes(tmp_path):
    write_bundle(RECORDS, tmp_path / "a")
    write_bundle(RECORDS, tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_a_bundle_is_replaced_whole(tmp_path):
    write_bundle(RECORDS, tmp_path / "b")
    write_bundle(RECORDS[:1], tmp_path / "b")
    write_bundle(RECORDS[:1], tmp_path / "a")
    assert files(tmp_path / "b") == files(tmp_path / "a")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "thought.jsonl").write_text("mine")
    with pytest.raises(InvalidInput, match="something else"):
        write_bundle(RECORDS, tmp_path)
    assert (tmp_path / "thought.jsonl").read_text() == "mine"


def test_people_read_days_with_tags_and_links(tmp_path):
    write_bundle(RECORDS, tmp_path / "b")
    first = (tmp_path / "b" / "markdown" / "2026-02-23.md").read_text("utf-8")
    second = (tmp_path / "b" / "markdown" / "2026-02-24.md").read_text("utf-8")
    assert first == (
        f"# 2026-02-23\n\n## {ONE}\n\nAnn, 15:00:00 UTC\ntags: #System-Architecture #c\n\n"
        "> Tée is hot\n> # not a heading\n"
    )
    assert f"sources: [[2026-02-23#{ONE}]]" in second


def test_people_open_the_files_of_turns_as_a_vault(tmp_path):
    write_bundle(
        [turn_file("turns/turn_000001/manifest.json"), turn_file("turns/index.md")], tmp_path / "b"
    )
    write_bundle([turn_file("turns/turn_000001/context.md", "[[turns/index]]")], tmp_path / "b")
    [vault] = (tmp_path / "b" / "vaults").iterdir()
    assert files(vault) == {"turns/turn_000001/context.md": b"[[turns/index]]"}
    write_bundle([turn_file("turns/turn_000001/manifest.json")], tmp_path / "b")
    assert len(list(read_bundle(tmp_path / "b"))) == 1


@pytest.mark.parametrize("path", ["../mine.md", "/mine.md", "turns/../../../mine.md"])
def test_no_file_of_a_turn_leaves_its_vault(tmp_path, path):
    with pytest.raises(InvalidInput, match="leads out"):
        write_bundle([turn_file(path)], tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_an_erased_thought_is_shown_as_such(tmp_path):
    write_bundle([thought(ONE, "", erased_at="2026-02-25T00:00:00.000000Z")], tmp_path / "b")
    assert "*erased*" in (tmp_path / "b" / "markdown" / "2026-02-23.md").read_text("utf-8")


def test_markdown_changed_by_hand_does_not_matter(tmp_path):
    write_bundle(RECORDS, tmp_path / "b")
    (tmp_path / "b" / "markdown" / "2026-02-23.md").write_text("mine")
    assert list(read_bundle(tmp_path / "b")) == RECORDS


def test_one_file_of_records_is_read_as_well(tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    assert list(read_bundle(path)) == RECORDS


@pytest.mark.parametrize(
    "wrong",
    [
        f'{{"record":"session","id":"{ONE}","agent_id":"ann","created_at":{moment}}}'
        for moment in ("NaN", "Infinity", "-Infinity", "1e400", "1e300", "-1e12")
    ]
    + [json.dumps(thought(ONE, "x", created_at="99999-01-01T00:00:00Z")), "{"],
)
def test_a_record_that_no_memory_takes_is_named_and_the_rest_is_read(tmp_path, wrong):
    path = tmp_path / "all.jsonl"
    before, after = RECORDS[0], {**SESSION, "id": TWO}
    path.write_text(f"{json.dumps(before)}\n\n{wrong}\n{json.dumps(after)}\n")
    told = []
    assert list(read_bundle(path, told.append, check=Losses().check)) == [before, after]
    [sentence] = told
    assert sentence.startswith("all.jsonl, line 3: ")
    with pytest.raises(InvalidInput, match=r"^all.jsonl, line 3: "):
        list(read_bundle(path, check=Losses().check))


def test_what_comes_from_a_record_that_is_left_out_is_imported_without_it(tmp_path):
    path = tmp_path / "all.jsonl"
    wrong = {**RECORDS[0], "created_at": "noonish"}
    path.write_text(f"{json.dumps(wrong)}\n{json.dumps(RECORDS[1])}\n")
    losses, told = Losses(), []
    [left] = read_bundle(path, told.append, check=losses.check)
    whole = losses.drop_lost_sources(left)
    assert (whole["source_ids"], whole["thought_type"]) == ([], "original")
    assert told == ["all.jsonl, line 1: created_at must be an ISO 8601 time"]


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "manifest.json"),
        (lambda folder: cut(folder / "manifest.json"), "manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "manifest.json"),
        (lambda folder: (folder / "session.jsonl").unlink(), "session.jsonl"),
        (lambda folder: cut(folder / "session.jsonl"), "session.jsonl, line 1"),
        (lambda folder: (folder / "session.jsonl").write_text(""), "session.jsonl has 0"),
        (
            lambda folder: (folder / "session.jsonl").write_text('{"record":"thought"}\n'),
            "session.jsonl, line 1",
        ),
        (lambda folder: (folder / "session.jsonl").write_bytes(b"\xff\n"), "session.jsonl"),
    ],
)
def test_a_damaged_bundle_is_refused_by_the_name_of_the_file(tmp_path, damage, named):
    write_bundle(RECORDS, tmp_path / "b")
    damage(tmp_path / "b")
    with pytest.raises(InvalidInput) as refused:
        list(read_bundle(tmp_path / "b"))
    assert refused.value.message.startswith(named)
    assert str(tmp_path) not in refused.value.message


def test_a_bundle_of_a_newer_version_is_refused(tmp_path):
    write_bundle(RECORDS, tmp_path / "b")
    manifest = tmp_path / "b" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 2'))
    with pytest.raises(InvalidInput, match="newer version"):
        list(read_bundle(tmp_path / "b"))


def test_a_write_that_fails_leaves_nothing(tmp_path):
    def failing():
        yield RECORDS[0]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        write_bundle(failing(), tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_breaks_off_leaves_the_earlier_bundle_and_what_else_is_there(tmp_path):
    folder = tmp_path / "bundle"
    write_bundle([RECORDS[0]], folder)
    (folder / "my-notes.txt").write_text("mine")

    def broken():
        yield RECORDS[0]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        write_bundle(broken(), folder)
    assert list(read_bundle(folder)) == RECORDS[:1]
    write_bundle([RECORDS[0]], folder)
    assert (folder / "my-notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
