"""What the reader makes of the order of notes, and of what is said of them."""

from __future__ import annotations

from api.world import ids

READS = True


def test_what_denies_stands_below_what_states(meaning):
    stated = meaning.know("The build needs Python 3.11.", "ana")
    denied = meaning.know("It is not true that the build needs Python 3.12.", "bo")
    meaning.know("The office is in Graz.", "kim")
    assert ids(meaning.ask("Which Python does the build need?", "dev"))[:2] == [stated, denied]


def test_what_is_told_of_another_number_is_called_the_nearest(meaning):
    known = meaning.know("The brine pump in pan house 2 runs from 5:30 to 9:00.", "bo")
    for number, opening in ((2, "Based on collective"), (3, "Nothing known is close to this. The")):
        reply = meaning.ask(f"From when on does the brine pump in pan house {number} run?", "dev")
        assert ids(reply) == [known]
        assert reply["result"]["response"].startswith(opening)
    both = "Pan houses 2 and 3 share a brine pump; that of pan house 3 runs from noon."
    meaning.know(both, "bo")
    reply = meaning.ask("From when on does the brine pump in pan house 3 run?", "dev")
    assert reply["result"]["response"].startswith("Based on collective")
