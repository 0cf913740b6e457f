"""What other programs keep as memory, as they wrote it, and as others may have damaged it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import zipfile
from contextlib import closing, suppress
from typing import get_args

import pytest

from unit.formats import stores
from wellworn.engines.formats import PROGRAMS, read_foreign, recognise
from wellworn.engines.formats.foreign import files
from wellworn.engines.formats.foreign.files import Inert, read_pickle
from wellworn.engines.formats.records import parse_record
from wellworn.errors import InvalidInput
from wellworn.interfaces.cli.transfer import ImportKind


def read(name, path, tell=pytest.fail, **options):
    records = list(read_foreign(name, path, tell, **options))
    for number, record in enumerate(records, start=1):
        parse_record(record, number)
    return records


def thoughts(records):
    return {each["content"]: each for each in records if each["record"] == "thought"}


def replaced(records):
    """Return what replaces what, in words."""
    words = {each["id"]: each["content"] for each in records if each["record"] == "thought"}
    return {
        words[each["replaced_id"]]: words[each["thought_id"]]
        for each in records
        if each["record"] == "replacement"
    }


def write_json(path, value):
    path.write_text(json.dumps(value), "utf-8")
    return path


# ---------------------------------------------------------------- Mem0


PORT = "The staging database listens on port {}."


def test_mem0_keeps_its_authors_tags_and_dates_and_what_was_true_before(tmp_path):
    told = []
    records = read("mem0", stores.build_mem0(tmp_path), told.append)
    assert replaced(records) == {
        PORT.format(5433): PORT.format(5544),
        PORT.format(5544): PORT.format(6000),
        "The office is closed on Fridays.": "The office is closed on Mondays.",
    }
    now = thoughts(records)[PORT.format(6000)]
    assert (now["contributor_id"], now["tags"]) == ("ana", ["infra"])
    assert now["created_at"] == "2026-11-30T09:01:36.797730Z"
    assert now["context_metadata"].startswith("mem0 0904bad3-48a3-4a3b-8849-66f5e33d92c2")
    assert thoughts(records)["Noted."]["contributor_id"] == "helper"
    assert told == ["history.db: 1 were deleted there"]
    assert not any("4711" in text for text in thoughts(records))


def test_what_mem0_gives_a_last_day_ends_then(tmp_path):
    records = read("mem0", stores.build_mem0(tmp_path), [].append)
    [end] = [each for each in records if each["record"] == "end"]
    assert end["thought_id"] == thoughts(records)["The trial licence runs."]["id"]
    assert end["expires_at"] == 1782777600.0  # 2026-06-30


def test_store_and_history_of_mem0_say_the_same_under_the_same_ids(tmp_path):
    whole = read("mem0", stores.build_mem0(tmp_path), [].append)
    store = read("mem0", tmp_path / "qdrant")
    history = read("mem0", tmp_path / "history.db", [].append)
    ids = {each["id"] for each in (*store, *history) if each["record"] == "thought"}
    assert ids == {each["id"] for each in whole if each["record"] == "thought"}


class Trap:
    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


def test_a_pickle_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    read_value = read_pickle(pickle.dumps({"data": Trap()}))
    assert isinstance(read_value["data"], Inert)
    assert not (tmp_path / "sprung").exists()
    for damaged in (
        b"",
        b"\x80\x04.",
        b"\x80\x04]\x94(",
        b"cos\nsystem\n(S'true'\ntR.",
        b"r\xff\xff\xff\x7f.",
    ):
        read_pickle(damaged)


def test_a_pickle_of_things_within_things_takes_no_longer_than_its_length():
    tower = b")" + b"2\x86" * 200
    assert read_pickle(b"\x80\x04}" + tower + b"K\x01s.") is None
    assert isinstance(read_pickle(b"\x80\x04" + tower + b"."), list)
    tagged = {"data": ("a", "b", "c"), "set": frozenset({"d"}), "one": (1,), "all": tuple("abcd")}
    assert read_pickle(pickle.dumps(tagged)) == {
        "data": ["a", "b", "c"],
        "set": ["d"],
        "one": [1],
        "all": [*"abcd"],
    }


class Point:
    def __init__(self, **fields):
        self.fields = fields

    def __reduce__(self):
        return Trap, (), {"__dict__": self.fields}


def test_what_mem0_names_by_lists_of_lists_is_named_by_nobody(tmp_path):
    tower = []
    for _ in range(200):
        tower = [tower, tower]
    named = {"data": "The kiln is hot.", "hash": "x", "user_id": tower, "run_id": 7}
    with closing(sqlite3.connect(tmp_path / "storage.sqlite")) as store:
        store.execute("CREATE TABLE points (id TEXT, point BLOB)")
        for name in (tower, 1 << 100_000):
            point = pickle.dumps(Point(id=name, payload=named))
            store.execute("INSERT INTO points VALUES ('a', ?)", (point,))
        store.commit()
    [record] = read("mem0", tmp_path)
    assert record["context_metadata"] == "mem0 , run_id: 7"
    assert record["contributor_id"] == "mem0"


def test_a_memory_of_mem0_that_came_back_to_its_words_is_true_now(tmp_path):
    with closing(sqlite3.connect(tmp_path / "history.db")) as store:
        store.execute(
            "CREATE TABLE history (memory_id, event, old_memory, new_memory, updated_at, "
            "created_at, actor_id)"
        )
        for day, (old, new) in enumerate(((None, "Port 1."), ("Port 1.", "Port 2.")), start=1):
            store.execute(
                "INSERT INTO history VALUES ('a', 'UPDATE', ?, ?, ?, '2026-01-01', '')",
                (old, new, f"2026-01-0{day}"),
            )
        store.execute(
            "INSERT INTO history VALUES ('a', 'UPDATE', 'Port 2.', 'Port 1.', '2026-01-09', "
            "'2026-01-01', '')"
        )
        store.commit()
    records = read("mem0", tmp_path / "history.db")
    assert replaced(records) == {"Port 2.": "Port 1."}
    assert thoughts(records)["Port 1."]["created_at"].startswith("2026-01-09")


def test_a_view_is_no_table_of_a_program(tmp_path):
    file = tmp_path / "history.db"
    with closing(sqlite3.connect(file)) as store:
        store.execute(
            "CREATE VIEW history AS WITH RECURSIVE endless (x) AS "
            "(SELECT 1 UNION ALL SELECT x + 1 FROM endless) SELECT x AS memory_id, "
            "'a' AS old_memory, 'b' AS new_memory, 'ADD' AS event, x AS updated_at, "
            "x AS created_at, 'z' AS actor_id FROM endless"
        )
    with pytest.raises(InvalidInput, match="not authorized"):
        read("mem0", file)


def test_words_that_are_no_text_cost_only_their_letters(tmp_path):
    file = stores.build_mcp_memory_service(tmp_path)
    with closing(sqlite3.connect(file)) as store:
        store.execute("UPDATE memories SET content = CAST(X'41FF42' AS TEXT) WHERE id = 3")
        store.commit()
    assert "A\ufffdB" in thoughts(read("mcp-memory-service", file, [].append))


def test_a_store_with_a_damaged_point_gives_the_others(tmp_path):
    stores.build_mem0(tmp_path)
    with closing(sqlite3.connect(tmp_path / "qdrant/collection/mem0/storage.sqlite")) as store:
        store.execute("UPDATE points SET point = X'8004' WHERE rowid = 1")
        store.commit()
    assert len(read("mem0", tmp_path / "qdrant")) >= 6


# ---------------------------------------------------------------- mcp-memory-service


def test_mcp_memory_service_keeps_what_it_superseded_and_not_what_it_deleted(tmp_path):
    told = []
    file = stores.build_mcp_memory_service(tmp_path)
    records = read("mcp-memory-service", file, told.append)
    assert replaced(records) == {
        "The backup job runs at 02:30 UTC.": "The backup job runs at 04:15 UTC.",
        "Alex owns the billing service.": "Robin owns the billing service.",
    }
    job = thoughts(records)["The backup job runs at 04:15 UTC."]
    assert (job["contributor_id"], job["created_at"]) == ("ops-bot", "2026-01-02T00:00:00.000000Z")
    assert job["tags"] == ["backup", "ops", "observation"]
    assert thoughts(records)["Invoices are sent on the first of the month."]["tags"] == ["note"]
    assert told == ["sqlite_vec.db: 1 were deleted there"]


def test_a_store_in_use_is_read_as_committed_and_nobody_waits(tmp_path):
    file = stores.build_mcp_memory_service(tmp_path)
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as rival:
        rival.execute("PRAGMA journal_mode = WAL")
        rival.execute("UPDATE memories SET content = 'In the log.' WHERE id = 3")
        rival.execute("BEGIN IMMEDIATE")
        rival.execute("UPDATE memories SET content = 'Not committed.' WHERE id = 3")
        reading = read_foreign("mcp-memory-service", file, [].append)
        first = next(reading)
        rival.execute("COMMIT")
        rival.execute("UPDATE memories SET content = 'Later.' WHERE id = 3")
        texts = thoughts([first, *reading])
    assert "In the log." in texts
    assert not {"Not committed.", "Later."} & texts.keys()


def test_a_store_at_rest_is_left_as_it_was(tmp_path):
    file = stores.build_mcp_memory_service(tmp_path)
    with closing(sqlite3.connect(file)) as rival:
        rival.execute("PRAGMA journal_mode = WAL")
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert read("mcp-memory-service", file, [].append)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert [each.name for each in tmp_path.iterdir()] == ["sqlite_vec.db"]


# ---------------------------------------------------------------- Basic Memory


def test_a_mark_of_a_task_is_no_category_of_basic_memory(tmp_path):
    (tmp_path / "Pump.md").write_text("# Pump\n\n- [X] oil it\n- [x] fill it\n- [>] later\n")
    [record] = read("basic-memory", tmp_path, [].append)
    assert "- [X] oil it\n- [x] fill it\n- [>] later" in record["content"]


def test_observations_and_relations_of_basic_memory_stand_alone(tmp_path):
    records = read("basic-memory", stores.build_basic_memory(tmp_path / "notes"), [].append)
    texts = thoughts(records)
    pour = texts["Coffee Brewing: The pour over takes four minutes #technique (morning)"]
    assert pour["tags"] == ["method", "technique", "coffee", "brewing", "kitchen"]
    assert pour["created_at"] == "2026-02-03T08:00:00.000000Z"
    assert "Coffee Brewing relates to Tea Ceremony" in texts
    assert "Coffee Brewing pairs well with Chocolate Tasting (in winter)" in texts
    assert "Tea Ceremony part of Kitchen Rituals" in texts
    assert any("- [ ] Buy filters" in text for text in texts)
    [boat] = [text for text in texts if text.startswith("Boat Refit\n")]
    assert "- [method] in code, which stays code" in boat
    assert "replaced in 2027" not in boat


# ---------------------------------------------------------------- chats


def say(name, text, parent=None, role="user", **more):
    message = {
        "id": name,
        "author": {"role": role},
        "create_time": 1767225600.5,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        **more,
    }
    return {name: {"id": name, "message": message, "parent": parent, "children": []}}


CHATGPT = [
    {
        "title": "Boat trip",
        "conversation_id": "6f00aaaa-1",
        "create_time": 1767225600.0,
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None},
            **say(
                "s",
                "custom instructions",
                "root",
                metadata={"is_visually_hidden_from_conversation": True},
            ),
            **say("a", "We sail on 3 May.", "s"),
            **say("b", "Noted.", "a", "assistant"),
            **say("old", "Pack four vests.", "b"),
            **say("c", "Pack six vests.", "b"),
            **say("d", "Done.", "c", "assistant"),
        },
    }
]
CLAUDE = [
    {
        "uuid": "11112222-3",
        "name": "Garden",
        "created_at": "2026-01-05T10:00:00Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "", "created_at": "2026-01-05T10:00:01Z",
             "content": [{"type": "text", "text": "The pears ripen in August."}]},
            {"uuid": "m2", "sender": "assistant", "text": "Good.", "content": []},
            {"uuid": "m3", "sender": "human", "text": "Prune in March.", "created_at": "x"},
        ],
    }
]  # fmt: skip


def test_chatgpt_gives_what_the_person_said_in_the_branch_that_it_ended_with(tmp_path):
    records = read("chatgpt", write_json(tmp_path / "conversations.json", CHATGPT), author="Ana")
    assert [each["content"] for each in records] == ["We sail on 3 May.", "Pack six vests."]
    first = records[0]
    assert (first["kind"], first["session"], first["position"]) == (
        "turn",
        "Boat trip (6f00aaaa)",
        0,
    )
    assert (first["contributor_id"], first["created_at"]) == ("Ana", "2026-01-01T00:00:00.500000Z")


def test_claude_gives_what_the_person_said_out_of_the_archive(tmp_path):
    told = []
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("conversations.json", json.dumps(CLAUDE))
    records = read("claude", tmp_path / "data.zip", told.append)
    assert [each["content"] for each in records] == [
        "The pears ripen in August.",
        "Prune in March.",
    ]
    assert records[0]["contributor_id"] == "claude"
    assert told == ["claude 11112222-3/m3: its time was not understood; it counts as said now"]


def test_an_export_that_is_cut_off_gives_what_is_whole(tmp_path):
    file, told = tmp_path / "conversations.json", []
    file.write_text(json.dumps([*CHATGPT, *CHATGPT])[:-300], "utf-8")
    assert len(read("chatgpt", file, told.append)) == 2
    assert "broken or cut off" in told[0]


# ---------------------------------------------------------------- MemPalace


def test_drawers_of_mempalace_have_their_rooms_and_facts_their_ends(tmp_path):
    records = read("mempalace", stores.build_mempalace(tmp_path))
    watered = thoughts(records)["The greenhouse is watered at seven in the evening."]
    assert (watered["contributor_id"], watered["tags"]) == ("ana", ["garden", "watering"])
    trees = thoughts(records)["The apple trees need water twice a week."]
    assert trees["context_metadata"].endswith("notes.md")
    [end] = [each for each in records if each["record"] == "end"]
    assert end["thought_id"] == thoughts(records)["Ana lives in Lisbon"]["id"]
    assert "Ana works on Greenhouse" in thoughts(records)


# ---------------------------------------------------------------- Graphiti, Letta, Hindsight


@pytest.mark.parametrize("is_bare", [True, False])
def test_facts_of_graphiti_hold_from_and_until(tmp_path, is_bare):
    edges = json.loads((stores.DUMPS / "graphiti_edges.json").read_text("utf-8"))
    shape = edges if is_bare else {"nodes": [], "edges": edges}
    file = write_json(tmp_path / "edges.json", shape)
    assert recognise(file) == "graphiti"
    lisbon, porto, end = read("graphiti", file)
    assert (porto["content"], porto["contributor_id"]) == ("Ana lives in Porto.", "team")
    assert (porto["tags"], porto["created_at"]) == (["lives in"], "2026-02-01T00:00:00.000000Z")
    assert (end["thought_id"], end["expires_at"]) == (lisbon["id"], 1769904000.0)


LETTA = {
    "agents": [
        {
            "id": "agent-0",
            "name": "Gardener",
            "messages": [
                {"id": "message-0", "role": "system", "content": "You are a gardener."},
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [{"type": "text", "text": json.dumps(
                        {"type": "user_message", "message": "The pears ripen in August."}
                    )}],
                    "created_at": "2026-01-05T10:00:00Z",
                },
                {"id": "message-2", "role": "user", "content": json.dumps({"type": "heartbeat"})},
                {"id": "message-3", "role": "user", "content": "Prune in March."},
                {"id": "message-4", "role": "assistant", "content": "Noted."},
            ],
        }
    ],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "The name of the human is Ana."},
        {"id": "block-1", "label": "persona", "value": " "},
    ],
    "groups": [],
    "tools": [],
    "created_at": "2026-02-01T00:00:00Z",
}  # fmt: skip


def test_letta_gives_its_blocks_and_what_people_said(tmp_path):
    file = write_json(tmp_path / "gardener.af", LETTA)
    assert recognise(file) == "letta"
    block, first, second = read("letta", file)
    assert (block["content"], block["tags"]) == (
        "human\n\nThe name of the human is Ana.",
        ["human"],
    )
    assert block["created_at"] == "2026-02-01T00:00:00.000000Z"
    assert (first["content"], first["kind"], first["session"]) == (
        *("The pears ripen in August.", "turn", "Gardener"),
    )
    assert (second["content"], second["position"]) == ("Prune in March.", 1)


def test_hindsight_gives_facts_with_their_entities_and_observations(tmp_path):
    file = stores.build_hindsight(tmp_path)
    assert recognise(file) == "hindsight"
    texts = thoughts(read("hindsight", file))
    ferry = texts["Ana booked the ferry to Corfu for June."]
    assert ferry["tags"] == ["trip", "ferry", "Ana", "Corfu"]
    assert ferry["created_at"] == "2026-04-01T00:00:00.000000Z"
    assert ferry["context_metadata"] == "hindsight f1, planning the summer"
    assert {"The assistant found a cheaper cabin.", "Ana travels by ferry."} < texts.keys()


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize(
    ("kind", "build"),
    [
        ("mem0", stores.build_mem0),
        ("mem0", lambda folder: stores.build_mem0(folder) / "qdrant"),
        ("mem0", lambda folder: stores.build_mem0(folder) / "history.db"),
        ("mcp-memory-service", stores.build_mcp_memory_service),
        ("mempalace", stores.build_mempalace),
        ("basic-memory", lambda folder: stores.build_basic_memory(folder / "notes")),
        ("chatgpt", lambda folder: write_json(folder / "conversations.json", CHATGPT)),
        ("chatgpt", lambda folder: write_json(folder / "conversations.json", CHATGPT).parent),
        ("claude", lambda folder: write_json(folder / "x.json", CLAUDE)),
        ("mcp-memory", lambda folder: write_json(folder / "m.json", {"type": "entity"})),
        ("transcript", lambda folder: write_json(folder / "t.json", {"speaker": "", "text": ""})),
        ("bundle", lambda folder: write_json(folder / "all.jsonl", {"record": "thought"})),
        (None, lambda folder: write_json(folder / "x.json", [1, 2])),
        (None, lambda folder: write_json(folder / "x.json", {"mapping": 1})),
        (None, lambda folder: folder),
    ],
)  # fmt: skip
def test_what_is_unmistakable_is_recognised(tmp_path, kind, build):
    assert recognise(build(tmp_path)) == kind


def test_a_folder_of_other_notes_is_plain_markdown(tmp_path):
    (tmp_path / "a.md").write_text("# Note\n\n- [idea] one\n", "utf-8")
    assert recognise(tmp_path) == "markdown"


BROKEN = [b"", b"SQLite format 3\x00" + b"\xff" * 200, b"{", b"PK\x03\x04", b"\xff\xfe"]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("raw", BROKEN)
def test_a_broken_or_foreign_file_gives_nothing_or_a_sentence(tmp_path, name, raw):
    file = tmp_path / "store.zip"
    file.write_bytes(raw)
    told = []
    with suppress(InvalidInput):
        assert recognise(file) is None
    with suppress(InvalidInput):
        assert list(read_foreign(name, file, told.append)) == []
        assert all("store.zip" in sentence for sentence in told)


def test_a_damaged_database_gives_a_sentence(tmp_path):
    file = stores.build_mcp_memory_service(tmp_path)
    file.write_bytes(file.read_bytes()[:2_000])
    with pytest.raises(InvalidInput, match=r"sqlite_vec\.db cannot be read as a database"):
        recognise(file)


def test_every_program_can_be_named_on_the_command_line():
    assert set(PROGRAMS) < set(get_args(ImportKind))


def test_a_link_out_of_a_folder_is_not_followed(tmp_path):
    outside = stores.build_mem0(tmp_path / "outside")
    folder = tmp_path / "folder"
    shutil.copytree(outside / "qdrant", folder)
    (folder / "history.db").symlink_to(outside / "history.db")
    told = []
    assert replaced(read("mem0", folder, told.append)) == {}
    assert "a link out of the folder" in told[0]


def test_a_link_out_of_an_unpacked_archive_is_not_followed(tmp_path):
    secret = write_json(tmp_path / "secret.json", [{"uuid": "c", "chat_messages": []}])
    (tmp_path / "claude").mkdir()
    (tmp_path / "claude" / "conversations.json").symlink_to(secret)
    told = []
    assert read("claude", tmp_path / "claude", told.append) == []
    assert told == ["conversations.json: a link out of the folder; it was left out"]
    assert recognise(tmp_path / "claude") is None


@pytest.mark.parametrize("created_at", [[1], {"a": 1}, True])
def test_a_time_that_is_none_costs_only_the_time(tmp_path, created_at):
    message = {
        "uuid": "\ud800",
        "sender": "human",
        "text": "Hello.",
        "created_at": created_at,
    }
    file = write_json(
        tmp_path / "conversations.json",
        [{"uuid": "\ud800", "name": "\ud800" * 300, "chat_messages": [message]}],
    )
    told = []
    [record] = read("claude", file, told.append)
    assert record["created_at"] is None
    assert len(told) == 1
    json.dumps(record, ensure_ascii=False).encode()


@pytest.mark.parametrize("packed", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_damaged_archive_gives_a_sentence(tmp_path, packed):
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w", packed) as archive:
        archive.writestr("conversations.json", json.dumps([{"uuid": str(n)} for n in range(300)]))
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(InvalidInput):
            read("claude", file, [].append)
        with suppress(InvalidInput):
            recognise(file)


def test_all_of_an_archive_together_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_JSON_BYTES", 100)
    file, told = tmp_path / "bank.zip", []
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(3):
            facts = [{"text": f"Fact {number}."}]
            archive.writestr(f"documents/{number}.json", json.dumps({"id": number, "facts": facts}))
    assert [*thoughts(read("hindsight", file, told.append))] == ["Fact 0.", "Fact 1."]
    assert told == ["bank.zip: documents/2.json goes beyond 1 GB; it was left out"]
