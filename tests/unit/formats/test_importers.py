"""What others hold, read as records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.formats import (
    read_markdown,
    read_mcp_memory,
    read_practices,
    read_transcript,
)
from wellworn.engines.formats.pieces import split_into_pieces
from wellworn.engines.formats.records import parse_record
from wellworn.errors import InvalidInput


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def lines(path, *items):
    return written(path, "".join(json.dumps(item) + "\n" for item in items))


# ---------------------------------------------------------------- markdown


def test_each_section_is_a_thought_that_names_its_headings(tmp_path):
    written(tmp_path / "notes" / "a.md", "intro\n\n# Tea\n\nhot\n\n## Green\n\n70 degrees\n")
    contents = [record["content"] for record in read_markdown(tmp_path / "notes")]
    assert contents == ["intro", "Tea\n\nhot", "Tea > Green\n\n70 degrees"]


def test_folders_and_front_matter_give_tags_and_author(tmp_path):
    text = "---\nauthor: Mo\ntags: [x, '#y']\n---\nbody\n"
    written(tmp_path / "notes" / "kitchen" / "tea" / "a.md", text)
    [record] = read_markdown(tmp_path / "notes")
    assert record["contributor_name"] == "Mo"
    assert record["tags"] == ["x", "y", "kitchen", "tea"]
    assert record["content"] == "body"


@pytest.mark.parametrize(
    ("front", "date"),
    [
        ("created: 2020-05-05", "2020-05-05T00:00:00.000000Z"),
        ("created: 2020-05-05\nupdated: 2023-12-06 11:11:37Z", "2023-12-06T11:11:37.000000Z"),
        ('date: "2026-05-26"', "2026-05-26T00:00:00.000000Z"),
        ("date: last spring", None),
    ],
)
def test_a_note_keeps_the_date_of_its_front_matter(tmp_path, front, date):
    [record] = read_markdown(written(tmp_path / "a.md", f"---\n{front}\n---\nbody"), [].append)
    assert record.get("created_at") == date


def test_a_title_names_what_no_heading_does_and_a_description_is_kept(tmp_path):
    front = "---\ntitle: 'Re: October booking'\ndescription: It is for four people.\n---\n"
    path = written(tmp_path / "a.md", f"{front}body\n\n# Rooms\n\ntwo\n")
    records = list(read_markdown(path))
    assert [record["content"] for record in records] == [
        "Re: October booking\n\nbody",
        "Rooms\n\ntwo",
        "Re: October booking\n\nIt is for four people.",
    ]
    plain = list(read_markdown(written(path, "body\n\n# Rooms\n\ntwo\n")))
    assert [record["id"] for record in plain] == [record["id"] for record in records[:2]]


def test_without_an_author_the_folder_is_the_contributor(tmp_path):
    written(tmp_path / "notes" / "README.md", "body")
    [record] = read_markdown(tmp_path / "notes")
    assert record["contributor_id"] == "notes"


def test_the_same_folder_gives_the_same_ids_and_another_file_others(tmp_path):
    written(tmp_path / "notes" / "a.md", "# T\n\nbody")
    first = [record["id"] for record in read_markdown(tmp_path / "notes")]
    assert [record["id"] for record in read_markdown(tmp_path / "notes")] == first
    written(tmp_path / "notes" / "b.md", "# T\n\nbody")
    both = [record["id"] for record in read_markdown(tmp_path / "notes")]
    assert both[0] == first[0]
    assert both[1] != first[0]


def test_a_comment_in_code_is_no_heading(tmp_path):
    text = "# Real\n\n```sh\n# not one\n```\n\nafter"
    path = written(tmp_path / "a.md", text)
    assert [record["content"] for record in read_markdown(path)] == [text.replace("# ", "", 1)]


@pytest.mark.parametrize(
    "front",
    [
        "---\ntags:\n  - one\n  - two\nowner: x\n---\n",
        "---\ntags: [one, two]\ntitle: {{ x }}\n---\n",
        '+++\ntags = ["one", "two"]\n+++\n',
    ],
    ids=["yaml", "template", "toml"],
)
def test_lists_in_front_matter_are_read(tmp_path, front):
    [record] = read_markdown(written(tmp_path / "a.md", f"{front}\nbody"), [].append)
    assert record["tags"] == ["one", "two"]
    assert record["content"] == "body"


@pytest.mark.parametrize(
    "front",
    [
        "---\ntags: pump, valve , north hall\n---\n",
        "---\ntags: '#pump, #valve, north hall,'\n---\n",
        "---\ntags: '#pump #valve, north hall'\n---\n",
        "---\ntags: pump, valve , north hall\ntitle: {{ x }}\n---\n",
        "---\ntags: [pump, valve, north hall]\n---\n",
        "---\ntag: pump, valve, north hall\n---\n",
        '+++\ntags = "pump, valve, north hall"\n+++\n',
    ],
)
def test_tags_in_one_text_are_divided_by_commas(tmp_path, front):
    [record] = read_markdown(written(tmp_path / "a.md", f"{front}\nbody"))
    assert record["tags"] == ["pump", "valve", "north hall"]


def test_a_list_item_with_a_comma_is_one_tag(tmp_path):
    path = written(tmp_path / "a.md", "---\ntags: ['one, two', three]\n---\nbody")
    [record] = read_markdown(path)
    assert record["tags"] == ["one, two", "three"]


FENCE = """```yaml
services:
  gauge:
    image: gauge:4.2

  windvane:
    image: vane:1.7

    ports:
      - "8088:80"
```"""


@pytest.mark.parametrize("filler", [0, 400])
def test_fenced_code_and_list_items_keep_their_indentation(tmp_path, filler):
    text = f"# Compose\n\n{'word ' * filler}\n\n{FENCE}\n\nSteps:\n\n1. Stop it.\n\n   Wait.\n"
    contents = [record["content"] for record in read_markdown(written(tmp_path / "a.md", text))]
    assert sum(FENCE in content for content in contents) == 1
    assert any("1. Stop it.\n\n   Wait." in content for content in contents)


def test_long_code_is_one_piece_and_longer_code_is_cut_between_lines(tmp_path):
    for count in (200, 2_000):
        code = "```\n" + "\n\n".join(f"    line {number}" for number in range(count)) + "\n```"
        contents = [
            record["content"]
            for record in read_markdown(written(tmp_path / "a.md", f"# T\n\nbefore\n\n{code}\n"))
        ]
        assert (f"T\n\n{code}" in contents) == (count == 200)
        assert all("\nline" not in content for content in contents)


def test_a_very_long_heading_is_kept_whole(tmp_path):
    heading = "very " * 80 + "long"
    [record] = read_markdown(written(tmp_path / "a.md", f"# {heading}\n\nbody\n"))
    assert heading in record["content"]


@pytest.mark.parametrize("read", [read_markdown, read_practices])
@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        ("utf-16", []),
        ("utf-16-le", ["a.md: encoding guessed: utf-16-le"]),
        ("cp1252", ["a.md: encoding guessed: cp1252"]),
        ("cp1251", ["a.md: encoding guessed: cp1251"]),
    ],
)
def test_a_text_in_another_encoding_is_read(tmp_path, read, encoding, told):
    says = "Das Café öffnet um neun, wenn die Tür für Gäste offen steht."
    says = "Насос номер 17 стоит в подвале, и ключ у Анны." if encoding == "cp1251" else says
    (tmp_path / "a.md").write_bytes(says.encode(encoding))
    heard = []
    [record] = read(tmp_path, heard.append)
    assert record["content"] == says
    assert heard == told


@pytest.mark.parametrize("read", [read_markdown, read_practices])
def test_a_byte_that_is_no_text_is_marked_and_told(tmp_path, read):
    (tmp_path / "a.md").write_bytes("Das Café öffnet früh, für Gäste".encode() + b" caf\xe9.")
    heard = []
    [record] = read(tmp_path, heard.append)
    assert record["content"] == "Das Café öffnet früh, für Gäste caf\ufffd."
    assert heard == ["a.md: some bytes are not utf-8 and were replaced"]


@pytest.mark.parametrize("text", ["---\nno end", "---\n\n# Cube\n\nwords\n\n---\n\nmore"])
def test_a_rule_at_the_top_is_no_front_matter(tmp_path, text):
    contents = [record["content"] for record in read_markdown(written(tmp_path / "a.md", text))]
    assert contents == (["---\nno end"] if "end" in text else ["Cube\n\nwords\n\n---\n\nmore"])


def test_hidden_folders_are_not_read(tmp_path):
    written(tmp_path / ".git" / "a.md", "hidden")
    written(tmp_path / "b.md", "seen")
    assert [record["content"] for record in read_markdown(tmp_path)] == ["seen"]


def test_a_folder_without_markdown_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="no markdown"):
        list(read_markdown(tmp_path))


@given(st.text(max_size=4_000), st.integers(10, 300))
def test_pieces_are_short_and_lose_no_word(text, longest):
    made = split_into_pieces(text, longest)
    assert all(0 < len(piece) <= longest for piece in made)
    assert "".join("".join(made).split()) == "".join(text.split())
    assert all(piece in text for piece in made)


@given(st.text(max_size=2_000))
def test_whatever_a_file_holds_every_thought_of_it_is_valid(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("notes")
    (folder / "a.md").write_bytes(text.encode("utf-8", "replace"))
    # What is guessed of an encoding is told, and ends an import only for who has it so.
    for number, record in enumerate(read_markdown(folder, [].append), start=1):
        parse_record(record, number)


def test_front_matter_that_no_thought_has_is_named_once(tmp_path):
    for name in ("a", "b"):
        written(
            tmp_path / f"{name}.md", f"---\ntags: [x]\ndocument_id: 7\n---\n# {name}\n\nBrass.\n"
        )
    told = []
    assert len(list(read_markdown(tmp_path, told.append))) == 2
    assert told == ["front matter that was left out: document_id"]


@pytest.mark.parametrize(
    "date",
    ["2024/01/25", "25-01-2024", "01/25/2024", "25.01.2024", "January 25, 2024", "25 Jan 2024"],
)
def test_a_date_that_can_be_one_day_alone_is_the_date_of_a_note(tmp_path, date):
    written(tmp_path / "a.md", f"---\ndate: {date}\n---\nThe kettle.\n")
    told = []
    [record] = read_markdown(tmp_path, told.append)
    assert record["created_at"] == "2024-01-25T00:00:00.000000Z"
    assert told == []


def test_a_date_that_may_be_two_days_is_named(tmp_path):
    written(tmp_path / "a.md", "---\ncreated_at: 07-01-2024 06:24 PM\n---\nThe kettle.\n")
    told = []
    [record] = read_markdown(tmp_path, told.append)
    assert "created_at" not in record
    assert told == ["a.md: its date “07-01-2024 06:24 PM” was not understood"]


# ---------------------------------------------------------------- MCP memory

ADA = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", "55"]}
LOOM = {"type": "entity", "name": "Loom", "entityType": "machine", "observations": []}
USES = {"type": "relation", "from": "Ada", "to": "Loom", "relationType": "works_with"}


def test_observations_and_relations_are_thoughts(tmp_path):
    records = list(read_mcp_memory(lines(tmp_path / "memory.jsonl", ADA, LOOM, USES)))
    assert [record["content"] for record in records] == [
        "Ada (person): likes tea",
        "Ada (person): 55",
        "Loom (machine)",
        "Ada works with Loom",
    ]
    assert records[0]["tags"] == ["person", "Ada"]
    assert records[3]["tags"] == ["person", "machine", "Ada", "Loom"]


def test_one_json_object_says_the_same_as_lines(tmp_path):
    graph = {"entities": [ADA, LOOM], "relations": [USES]}
    whole = written(tmp_path / "memory.json", json.dumps(graph, indent=2))
    split = lines(tmp_path / "memory.jsonl", ADA, LOOM, USES)
    assert list(read_mcp_memory(whole)) == list(read_mcp_memory(split))


def test_two_writers_at_once_leave_two_records_in_a_line(tmp_path):
    apart = lines(tmp_path / "apart.jsonl", ADA, LOOM, USES)
    joined = tmp_path / "joined.jsonl"
    joined.write_text(f"{json.dumps(ADA)}{json.dumps(LOOM)} {json.dumps(USES)}\n", "utf-8")
    assert list(read_mcp_memory(joined)) == list(read_mcp_memory(apart))


@pytest.mark.parametrize(
    "wrong",
    [{"type": "entity", "name": "Ada"}, {"from": "x"}, [], {**ADA, "observations": [1]}],
)
def test_a_line_that_is_neither_is_named(tmp_path, wrong):
    path = lines(tmp_path / "memory.jsonl", ADA, wrong)
    with pytest.raises(InvalidInput, match=r"^memory.jsonl, line 2"):
        list(read_mcp_memory(path))
    told = []
    records = list(read_mcp_memory(path, told.append))
    assert [record["content"] for record in records] == [
        "Ada (person): likes tea",
        "Ada (person): 55",
    ]
    assert len(told) == 1


def test_of_an_entity_only_what_is_no_text_is_left_out_and_one_text_is_no_list_of_letters(tmp_path):
    path = lines(
        tmp_path / "memory.jsonl",
        {**ADA, "observations": ["likes tea", None, "reads"]},
        {"type": "entity", "name": "Eve", "entityType": "person", "observations": "knits socks"},
        {"type": "entity", "name": "Ned", "entityType": "person", "observations": None},
    )
    told = []
    assert [record["content"] for record in read_mcp_memory(path, told.append)] == [
        "Ada (person): likes tea",
        "Ada (person): reads",
        "Eve (person): knits socks",
        "Ned (person)",
    ]
    assert told == ["memory.jsonl, line 1: an observation that is no text"]


@pytest.mark.parametrize("name", ["Big", "B" * 9_500], ids=["short", "long name"])
def test_an_observation_longer_than_a_thought_becomes_several(tmp_path, name):
    words = " ".join(f"w{number}" for number in range(4_000))
    entity = {"type": "entity", "name": name, "entityType": "x", "observations": [words]}
    told = []
    records = list(read_mcp_memory(lines(tmp_path / "big.jsonl", entity), told.append))
    contents = [record["content"] for record in records]
    assert len(contents) > 1
    assert " ".join(contents).replace(f"{name} (x): ", "").split() == words.split()
    assert all(len(content) <= 10_000 for content in contents)
    assert len({record["id"] for record in records}) == len(records)
    if name == "Big":
        assert all(content.startswith("Big (x): w") for content in contents)
    assert bool(told) == (name != "Big")


def test_tags_that_no_thought_may_have_are_told(tmp_path):
    front = "---\ntags:\n  - {}\n".format("x" * 101) + "".join(f"  - t{n}\n" for n in range(30))
    told = []
    path = written(tmp_path / "a.md", f"{front}---\nbody")
    [record] = read_markdown(path, told.append)
    assert record["tags"] == [f"t{number}" for number in range(20)]
    assert [sentence.partition(":")[0] for sentence in told] == ["a.md", "a.md"]
    assert "longer than 100" in told[0]
    assert "more than 20" in told[1]


# ---------------------------------------------------------------- transcripts


def test_each_line_is_a_turn_at_its_place_in_its_session(tmp_path):
    path = lines(
        tmp_path / "talk.jsonl",
        {"speaker": "Ann", "text": "hi", "session": 1, "time": "2026-02-23T15:00:00Z"},
        {"speaker": "Bob", "text": "ho", "session": 2, "time": 0},
        {"speaker": "Bob", "text": "look", "session": 1, "caption": "a red barn"},
    )
    records = list(read_transcript(path))
    assert [(one["session"], one["position"], one["content"]) for one in records] == [
        ("1", 0, "hi"),
        ("2", 0, "ho"),
        ("1", 1, "look [a red barn]"),
    ]
    assert records[0]["created_at"] == "2026-02-23T15:00:00.000000Z"
    assert records[1]["created_at"] == "1970-01-01T00:00:00.000000Z"
    assert {record["kind"] for record in records} == {"turn"}


def test_without_a_session_the_file_is_one(tmp_path):
    [record] = read_transcript(lines(tmp_path / "talk.jsonl", {"speaker": "Ann", "text": "hi"}))
    assert record["session"] == "talk"


def test_a_turn_of_a_picture_alone_is_its_caption(tmp_path):
    path = lines(tmp_path / "talk.jsonl", {"speaker": "Ann", "text": "", "caption": "a barn"})
    assert [record["content"] for record in read_transcript(path)] == ["[a barn]"]


def test_a_turn_longer_than_a_thought_becomes_several(tmp_path):
    path = lines(tmp_path / "t.jsonl", {"speaker": "Ann", "text": "word " * 5_000, "id": "7"})
    records = list(read_transcript(path))
    assert len({record["id"] for record in records}) == len(records) > 1
    assert [record["position"] for record in records] == list(range(len(records)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "x"},
        {"speaker": "", "text": "x"},
        {"speaker": "Ann", "text": 5},
        {"speaker": "Ann", "text": "x", "time": "noonish"},
        {"speaker": "Ann", "text": "x", "time": 1e300},
        {"speaker": "Ann", "text": "x", "time": float("nan")},
        {"speaker": "Ann", "text": "x", "time": -1e12},
        {"speaker": "Ann", "text": "x", "time": "99999-01-01"},
    ],
)
def test_a_line_that_is_no_turn_is_named_by_file_and_number(tmp_path, wrong):
    path = lines(tmp_path / "talk.jsonl", {"speaker": "Ann", "text": "hi"}, wrong)
    with pytest.raises(InvalidInput, match=r"^talk.jsonl, line 2: ") as refused:
        list(read_transcript(path))
    assert "noonish" not in refused.value.message
    assert str(tmp_path) not in refused.value.message
    told = []
    assert [record["content"] for record in read_transcript(path, told.append)] == ["hi"]
    assert told == [refused.value.message]


@pytest.mark.parametrize("content", ["{", "[]", "7", '{"a":' * 100_000])
def test_a_line_that_is_no_object_is_named(tmp_path, content):
    path = written(tmp_path / "talk.jsonl", f'{{"speaker":"Ann","text":"x"}}\n\n{content}\n')
    with pytest.raises(InvalidInput, match=r"^talk.jsonl, line 3"):
        list(read_transcript(path))
    told = []
    assert [record["content"] for record in read_transcript(path, told.append)] == ["x"]
    assert told == ["talk.jsonl, line 3: must be a JSON object"]


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "talk.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"^talk.jsonl is not UTF-8"):
        list(read_transcript(tmp_path / "talk.jsonl"))


words = st.text(min_size=1, max_size=100)


@given(st.lists(st.fixed_dictionaries({"speaker": words, "text": words, "session": words})))
def test_every_turn_read_is_valid(tmp_path_factory, turns):
    path = lines(tmp_path_factory.mktemp("talk") / "t.jsonl", *turns)
    try:
        records = list(read_transcript(path))
    except InvalidInput:
        return
    for number, record in enumerate(records, start=1):
        parse_record(record, number)


def test_pieces_of_a_file_keep_their_places_in_it(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "guide.md").write_text("# A\n\none\n\n## B\n\ntwo\n\n# C\n\nthree\n")
    (tmp_path / "other.md").write_text("# D\n\nfour\n")
    found = [(one["session"], one["position"]) for one in read_markdown(tmp_path)]
    assert found == [
        ("deep/guide.md", 0),
        ("deep/guide.md", 1),
        ("deep/guide.md", 2),
        ("other.md", 0),
    ]


def test_a_single_file_that_is_no_markdown_is_refused(tmp_path):
    (tmp_path / "talk.jsonl").write_text("{}")
    with pytest.raises(InvalidInput, match=r"talk\.jsonl"):
        list(read_markdown(tmp_path / "talk.jsonl"))
