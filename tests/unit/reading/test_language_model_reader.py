"""What a language model says of texts counts as far as the texts bear it out."""

from __future__ import annotations

import pytest

from wellworn.engines.reading import LanguageModelReader, TextReading, TextReadings
from wellworn.errors import ReadingFailed


def read(texts: list[str], *readings: TextReading):
    reader = LanguageModelReader(
        "some", lambda *_: TextReadings(readings=[*readings]), fence=lambda text: f"<{text}>"
    )
    return reader.read("How much?", texts)


def test_words_that_the_text_has_are_its_span():
    [reading] = read(["It is 40 litres."], TextReading(number=1, answers=0.9, words="40 litres"))
    assert (reading.answers, reading.span) == (0.9, (6, 15))


def test_words_that_the_text_has_not_are_none():
    [reading] = read(["It is 40 litres."], TextReading(number=1, answers=0.9, words="50 litres"))
    assert (reading.answers, reading.span, reading.certainty) == (0.9, None, 0.0)


@pytest.mark.parametrize("numbers", [[], [1], [1, 3], [1, 1]])
def test_texts_that_are_left_out_or_judged_twice_are_a_failure(numbers: list[int]):
    with pytest.raises(ReadingFailed):
        read(["one", "two"], *(TextReading(number=at, answers=0.5) for at in numbers))


def test_many_texts_go_in_parts_and_long_ones_are_cut():
    prompts = []

    def ask(prompt, instructions, budget):
        prompts.append(prompt)
        count = prompt.count("[")
        return TextReadings(
            readings=[TextReading(number=at, answers=0.5) for at in range(1, count)]
        )

    reader = LanguageModelReader("some", ask, fence=lambda text: f"[{text}]")
    assert len(reader.read("why?", ["x" * 100_000] * 40)) == 40
    assert len(prompts) == 3
    assert max(map(len, prompts)) < 30_000
