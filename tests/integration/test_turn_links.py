"""Every link of every vault leads somewhere, whatever was done to its turns in whichever order."""

from __future__ import annotations

import random
import re
from contextlib import closing

import pytest

from integration.turn_world import ACCESS, FIND_SOME, READ_HAMSTERS, READ_LAPTOP, READ_THREAD
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import DEFAULT_SPACE
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import Claim, RecordedEntry, RecordedSource, TurnQuery
from wellworn.domain.turns.links import escape_links, find_links, unescape_links
from wellworn.engines.formats.bundle import write_turn_file
from wellworn.errors import TurnNotFound
from wellworn.testing.embedder import HashEmbedder

SERVERS = """# Servers

## cube

The cube runs [Kopia](../kopia.md) nightly at 02:00, see [[other note]] and ![it](cube.png).
Its [site](https://cube.example/x) is up.
"""
QUERIES = [
    "My favourite hamster is Syrian.",
    READ_THREAD,
    READ_HAMSTERS,
    READ_LAPTOP,
    FIND_SOME,
    "How many comments are on the thread?",
    "When does the cube run Kopia?",
    "What is the zeppelin door code?",
    "What is my favourite hamster?",
    "What rate has the pump?",
    "When does the cube run Kopia and what is the zeppelin door code?",
    "Who wrote [the plan](plan.md)?",
]
DAY_S = 86_400


def find_dead_links(vault):
    texts = {str(path.relative_to(vault)): path.read_text("utf-8") for path in vault.rglob("*.md")}
    return [
        (path, link)
        for path, text in texts.items()
        for link in find_links(path, text)
        if not (vault / link.path).is_file()
        or (link.block and not re.search(rf" \^{link.block}$", texts[link.path], re.MULTILINE))
    ]


def work_on_its_own(person):
    turns = person.app.turns
    opened = turns.open(ACCESS, TurnQuery("What rate has the pump?", person.name, "H", engine="x"))
    source = RecordedSource("[50 Hz](rate.md) at night", "notes/pump.md", "The [pump](pump.md)")
    entries = [RecordedEntry("see [x](y.md)", "tool", sources=(source,)), RecordedEntry("[[hm]]")]
    turns.append(ACCESS, opened.id, entries)
    turns.close(ACCESS, opened.id, "[50 Hz](rate.md) [1].", [Claim("50 Hz", 1)])


def list_all(person):
    turns = person.app.turns
    return [
        turn
        for is_archived in (False, True)
        for turn in turns.list_turns(ACCESS, agent_id=person.name, is_archived=is_archived)
    ]


def know(person, folder):
    folder.mkdir()
    (folder / "servers.md").write_text(SERVERS)
    sources = person.app.guard.pool.shared.sources
    source = sources.create(ACCESS, NewSource("folder", "notes", {"path": str(folder)}))
    person.app.syncs.request_sync(ACCESS, source.id)
    person.app.embedding.finish()
    words = "The zeppelin door code is orchid, see [the plan](plan.md)."
    person.app.think(ACCESS, ThoughtDraft(words, "ann", "Ann"))


def step(chance, person, site, other):
    turns, action = person.app.turns, chance.randrange(8)
    if action < 3:
        person.clock.advance(60)
        query = chance.choice(QUERIES).format(site=site.url())
        turns.ask(ACCESS, TurnQuery(query, person.name, "Henry"))
    elif action == 3:
        work_on_its_own(person)
    elif action == 4 and list_all(person):
        ended = sorted(turn.ended_at for turn in list_all(person))
        before = chance.choice(ended) + 1
        person.clock.advance(DAY_S)
        turns.archive(ACCESS, agent_id=person.name, before=before)
    elif action == 5 and list_all(person):
        turns.restore(ACCESS, chance.choice(list_all(person)).id)
    elif action == 6 and list_all(person):
        turns.remove(ACCESS, chance.choice(list_all(person)).id)
    elif action == 7:
        records = [each for each in person.app.export(ACCESS) if each["record"] == "turn_file"]
        size = chance.choice([1, 5, 1000])
        for first in range(0, len(records), size):
            other.import_records(ACCESS, records[first : first + size])
        return records
    return []


@pytest.mark.parametrize("seed", range(6))
def test_every_link_leads_somewhere_whatever_is_done_in_whichever_order(
    person, site, tmp_path, seed
):
    chance = random.Random(seed)
    know(person, tmp_path / "documents")
    other_vault = tmp_path / "other" / "turns" / DEFAULT_SPACE / "users" / "henry"
    with closing(open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())) as other:
        for place in range(25):
            records = step(chance, person, site, other)
            assert find_dead_links(person.vault) == []
            if records:
                for record in records:
                    write_turn_file(tmp_path / f"exported{place}", record)
                [vault] = (tmp_path / f"exported{place}").iterdir()
                assert find_dead_links(vault) == []
                assert find_dead_links(other_vault) == []
        person.app.turns.rebuild_index(ACCESS)
        assert find_dead_links(person.vault) == []


def test_nothing_is_left_of_a_deleted_turn_to_which_nothing_leads_any_more(person):
    first, second = person.ask(READ_HAMSTERS), person.ask(FIND_SOME)
    person.app.turns.remove(ACCESS, first.turn.id)
    left = person.vault / first.turn.folder
    notes = [path.read_text() for path in left.rglob("*.md")]
    assert notes
    assert all(note.startswith("# Deleted\n") for note in notes)
    with pytest.raises(TurnNotFound):
        person.app.turns.read(ACCESS, first.turn.id)
    person.app.turns.remove(ACCESS, second.turn.id)
    assert not [path for path in left.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "text",
    [
        "[a](b.md) and ![c](d.png#e) and [f](#g) and [h](mailto:i@j)",
        "[[a]] and [[b#^c|d]] and ![[e.png]]",
        "[a](https://b.example/c) and [[ -f x ]] and a[0](1)",
    ],
)
def test_quoted_links_are_only_read(text):
    escaped = escape_links(text)
    assert [*find_links("turns/turn_000001/context.md", escaped)] == []
    assert unescape_links(escaped) == text
    assert escape_links(escaped) == escaped
    assert ("](https://" in escaped) == ("](https://" in text)
