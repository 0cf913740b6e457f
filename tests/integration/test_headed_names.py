"""A name that heads a row, an item, a field or a setting is one to who asks for just it."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving
from wellworn.domain.knowledge import ResolutionOutcome

RESOLVED = ResolutionOutcome.RESOLVED
DOCUMENTS = {
    "plant.md": """\
# Plant

| Line | Speed (m/min) | Crew |
|---|---|---|
| Line I | 40 | 3 |
| Line II | 60 | 4 |
| Total | 100 | 7 |

## Tanks

- Tank A: 400 l, diesel
- **Tank B**: 600 l, water

- Tank F
  - Capacity: 700 l
  - Inlet port: 8080

| Tank | Holds |
|---|---|
| Tank C | 800 l |
| Tank D | 900 l |

| Box | Rule |
|---|---|
| The other one | It stays closed as long as nobody has signed for what is kept in it |
""",
    "gate.md": "Gate port: 9091.\n\nThe gate opens at six.\n",
    "gates.md": "# Gates\n\n## Gate\n\nA gate is opened by whoever has a badge.\n",
    "grelm.md": "# Grelm\n\nGrelm is the kiln of the yard.\n",
    "yard.md": "Grelm lid: oak\n",
    "conf/limits.yml": "door:\n  speed: 12\nwarm up: 30 s\n",
    "a.md": "# Alpha\n\n- Supper: fish\n",
    "b.md": "# Beta\n\n- Supper: rice\n",
    "c.md": "# Gamma\n\n- Supper: soup\n",
    "d.md": "# Delta\n\n- Lamp oil: 3 l\n",
    "e.md": "# Epsilon\n\n- Lamp oil: 5 l\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("heads"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("Line I", {"40", "3"}),
        ("line i", {"40", "3"}),
        ("Line II", {"60", "4"}),
        ("What is Line I?", {"40", "3"}),
        ("Line I speed", {"40"}),
        ("the crew of Line I", {"3"}),
        ("Total", {"100", "7"}),
        ("Tank A", {"400 l, diesel"}),
        ("Tank B", {"600 l, water"}),
        ("Tank C", {"800 l"}),
        ("Tank F", {"700 l", "8080"}),
        ("Tank F capacity", {"700 l"}),
        ("inlet port", {"8080"}),
        ("gate port", {"9091"}),
        ("what is the gate port?", {"9091"}),
        ("Grelm lid", {"oak"}),
        ("door speed", {"12"}),
        ("warm up", {"30 s"}),
        ("The other one", {DOCUMENTS["plant.md"].rpartition("| It")[2].join(["It", ""])[:-3]}),
    ],
)
def test_it_is_answered_with_what_stands_below_it(resolve, asked, values):
    answer = resolve(asked)
    assert answer.outcome is RESOLVED
    assert {value.value for value in answer.values} == values


def test_in_other_questions_it_is_a_word(resolve):
    for asked in ("Who painted the tank?", "total cost of the gate", "is supper ready"):
        assert not resolve(asked).values


def test_what_heads_something_in_many_documents_is_of_none(resolve):
    assert resolve("supper").outcome is not RESOLVED
    answer = resolve("lamp oil")
    assert answer.outcome is ResolutionOutcome.AMBIGUOUS
    assert {candidate.label for candidate in answer.candidates} == {"3 l", "5 l"}


def test_it_is_offered_to_nobody_who_asks_for_another(resolve):
    answer = resolve("Tank G")
    assert not {"tank a", "tank b"} & {each.label.casefold() for each in answer.candidates}
