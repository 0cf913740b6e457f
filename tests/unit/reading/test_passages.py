"""Which stretch of some passages answers, and where in the passage its words stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.reading import PassageReader, Readable, find_part
from wellworn.engines.reading import ReaderService
from wellworn.errors import ReadingFailed
from wellworn.kit.markdown import find_struck
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.reader import WordReader

READER = PassageReader(ReaderService(WordReader()), HashEmbedder())
PIER = Readable(
    "Pier",
    "The lamp burns whale oil for all ships that come at night.\n\nThe harbour closes at ten.",
)
TABLE = "| Kiln | Cone |\n|---|---|\n| north | six |\n| south | four |"


def read(question, *passages):
    return READER.read(question, passages)


def test_without_a_reader_nothing_is_read():
    assert PassageReader(ReaderService(), HashEmbedder()).read("What burns?", [PIER]) is None


def test_the_stretch_that_answers_comes_first_with_its_words():
    other = Readable("Mill", "The wheel turns slowly.")
    best, *_ = read("What does the lamp burn?", other, PIER)
    assert best.place == 1
    assert "lamp" in PIER.text[slice(*best.span)]
    assert PIER.text[slice(*find_part(PIER.text, best))] == PIER.text.partition("\n")[0]


def test_a_row_is_read_below_the_head_of_its_table():
    long_table = TABLE + "".join(f"\n| kiln {number} | three |" for number in range(60))
    stretches = read("Which cone has the south kiln?", Readable("Kilns", long_table))
    last = max(stretches, key=lambda stretch: stretch.start)
    assert last.start > 0
    # The words of the head alone answer there, and they stand outside of the stretch.
    assert last.span is None or last.span[0] >= last.start


def test_of_a_long_passage_what_the_question_speaks_of_is_read_and_others_are_as_well():
    hours = (f"In minute {number} the group talked about the weather." for number in range(200))
    long = Readable("Meeting", f"{' '.join(hours)} The goods lift gets a cylinder from Odenwald.")
    best, *_ = read("Which firm sends the cylinder of the lift?", long, PIER)
    assert "Odenwald" in long.text[best.start : best.end]
    assert read("What does the lamp burn?", long, PIER)[0].place == 1


def test_a_text_without_a_name_of_the_question_is_left_out():
    rooms = [Readable("Rooms", f"Room b{number} holds {number} chairs.") for number in (2, 3)]
    assert {stretch.place for stretch in read("How many chairs has room b3?", *rooms)} == {1}


@given(st.lists(st.text(max_size=400), max_size=4), st.text(max_size=80))
def test_whatever_is_read_spans_stand_within_their_stretch(texts, question):
    for stretch in read(question, *(Readable("Title", text) for text in texts)):
        text = texts[stretch.place]
        assert 0 <= stretch.start <= stretch.end <= len(text)
        start, end = find_part(text, stretch)
        assert stretch.start <= start <= end <= stretch.end
        if stretch.span is not None:
            assert stretch.start <= stretch.span[0] <= stretch.span[1] <= len(text)


class CountingReader(WordReader):
    """Counts the texts that it reads, and fails while it is told to."""

    def __init__(self):
        self.texts = 0
        self.is_away = False

    def read(self, question, texts):
        if self.is_away:
            raise ReadingFailed("away")
        self.texts += len(texts)
        return super().read(question, texts)


def test_the_same_text_is_read_once_beside_a_question_and_a_failure_is_not_kept():
    counting = CountingReader()
    reader = PassageReader(ReaderService(counting), HashEmbedder())
    counting.is_away = True
    assert reader.read("What burns?", [PIER]) is None
    counting.is_away = False
    first = reader.read("What burns?", [PIER])
    read_once = counting.texts
    assert reader.read("What burns?", [PIER]) == first
    assert counting.texts == read_once > 0


def test_a_reader_that_costs_money_is_sent_no_more_than_the_eight_likest_stretches():
    counting = CountingReader()
    reader = PassageReader(ReaderService(counting, is_paid=True), HashEmbedder())
    others = [Readable("Mill", f"Wheel {number} turns slowly.") for number in range(40)]
    best, *_ = reader.read("What does the lamp burn?", [*others, PIER]) or ()
    assert best.place == 40
    assert counting.texts == 8


def test_no_answer_begins_or_ends_in_what_is_struck_out():
    text = "The rent is ~~300~~ 340 euro.\n\n| Gate | Code |\n|---|---|\n| north | ~~4411~~ |"
    struck = {at for start, end in find_struck(text) for at in range(start, end)}
    for question in ("How high is the rent: 300?", "Which code has the north gate: 4411?"):
        spans = [stretch.span for stretch in read(question, Readable("Old", text)) if stretch.span]
        assert struck.isdisjoint({at for start, end in spans for at in (start, end - 1)})


def test_what_is_not_struck_out_is_read():
    [best, *_] = read("How high is the rent?", Readable("Old", "The rent is ~~300~~ 340 euro."))
    assert best.answers > 0.3
