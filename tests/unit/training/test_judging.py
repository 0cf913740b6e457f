"""The figures by which a reader is judged, and the tables that were written by hand."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
from training import judge, sources
from training.windows import cut_windows_of_three, list_sentences


def test_words_are_compared_as_squad_does():
    assert judge.compare("the northern wall", "Northern wall.") == 1
    assert judge.compare("northern wall of the mill", "northern wall") == pytest.approx(2 / 3)
    assert judge.compare("mill", "northern wall") == 0
    assert judge.compare("北側の壁", "北側", by_letter=True) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("right", "wrong", "area"),
    [([2, 3], [0, 1], 1), ([0], [1], 0), ([1, 1], [1, 1], 0.5), ([1, 3], [2], 0.5), ([], [1], 0)],
)
def test_the_area_is_how_often_the_right_one_has_more(right, wrong, area):
    assert judge.compute_area(right, wrong) == area


def test_sentences_and_windows_cover_a_text():
    text = "One ends here. Two has 3.5 of it! Three asks? Four, too.\nFive。六。"
    sentences = [text[start:end] for start, end in list_sentences(text)]
    assert sentences == [
        *("One ends here.", "Two has 3.5 of it!", "Three asks?", "Four, too.", "Five。", "六。")
    ]
    windows = cut_windows_of_three(text)
    assert windows[0][0] == 0
    assert windows[-1][1] == len(text)
    assert cut_windows_of_three("") == []


def test_the_written_tables_are_whole():
    exchanged = judge.read_written("exchanged")
    assert len(exchanged) == 100
    assert len(judge.list_written()) == 300  # each answer stands in its text once
    for row in exchanged:
        assert judge.compare(row["answer"], row["right"]) > 0
        assert row["right"] != row["wrong"]
    for row in judge.read_written("changes"):
        assert row["now"] in row["text"]
        assert row["before"].lower() in row["text"].lower()


def test_a_reader_that_knows_everything_and_one_that_knows_nothing_are_told_apart():
    rows = judge.read_written("exchanged") + judge.read_written("without_value")
    golden = {(row["question"], row.get("right") or row["with"]): row["answer"] for row in rows}
    golden |= {
        (row[asked], row["text"]): row[said]
        for row in judge.read_written("changes")
        for asked, said in (("present", "now"), ("past", "before"))
    }

    def know(pairs):
        found = [golden.get((pair.question, pair.text)) for pair in pairs]
        return [judge.Judgement(float(it is not None), it or "", 1.0) for it in found]

    figures = judge.judge_written(know)
    assert figures["exchanged apart"] == figures["exchanged spans"] == 100
    assert figures["without value silent"] == figures["without value answered"] == 30
    assert figures["changes present"] == figures["changes past"] == 20
    figures = judge.judge_written(lambda pairs: [judge.Judgement(0.7, "it", 1.0)] * len(pairs))
    assert figures["exchanged apart"] == figures["changes past"] == 0
    assert figures["exchanged auc"] == 0.5


def test_questions_are_judged_by_the_best_of_their_windows():
    context = "A is red. B is blue. C is green. D is round. E is tall. F is wide."
    start = context.index("round")
    question = sources.Question("How is D?", context, ((start, start + 5),), "letters")
    other = sources.Question("How is G?", "G is flat. How is D, though?", ((5, 9),), "letters")

    def read(pairs):
        return [
            judge.Judgement(0.9, "round", 0.9)
            if "round" in pair.text
            else judge.Judgement(0.1, "how", 0.9)
            for pair in pairs
        ]

    figures = judge.judge_questions(read, [question, other], 10, "some")
    assert figures["some f1"] == figures["some exact"] == 0.5
    assert figures["some auc"] > 0.5


def test_another_file_than_the_one_with_the_checksum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name = "qamr-dev.tsv.gz"
    (tmp_path / name).write_bytes(gzip.compress(b"some other questions"))
    with pytest.raises(sources.OtherFileError, match=name):
        sources.read_checked(tmp_path, name)
    checksum = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    monkeypatch.setitem(sources.CHECKSUMS, name, checksum)
    assert sources.read_checked(tmp_path, name) == "some other questions"


def test_tokens_are_joined_as_people_write_and_their_places_are_kept():
    tokens = ("``", "It", "is", "n't", "(", "yet", ")", "40", "%", ",", "''", "he", "said", ".")
    cleaned = tuple(sources._BRACKETS.get(it, it) for it in tokens)
    text, places = sources.join_tokens(cleaned)
    assert text == '"It isn\'t (yet) 40%," he said.'
    assert [text[start:end] for start, end in places] == [*cleaned]
