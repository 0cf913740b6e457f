"""Every data set is read from its published layout, repaired, and split by rule."""

from __future__ import annotations

import json

import pytest
from benchmarks.retrieval.models import Corpus, DataUnusable, Doc, Query
from benchmarks.retrieval.tasks import TASKS, load
from benchmarks.retrieval.tasks.passages import pieces
from hypothesis import given
from hypothesis import strategies as st

from unit.benchmarks import published
from unit.benchmarks.published import asked

FAMILIES = {
    "locomo": lambda data: published.locomo(data, asked("D2:1")),
    "realtalk": published.realtalk,
    "beam-100k": published.beam,
    "longmemeval-s": published.longmemeval,
    "longmemeval-s-user": published.longmemeval,
    "scifact": published.scifact,
    "product-docs": published.product_docs,
    "code-chunks": published.code_chunks,
    "passages": published.passages,
}


@pytest.mark.parametrize("name", FAMILIES)
def test_dev_and_test_share_no_question_and_make_up_all(name, tmp_path):
    FAMILIES[name](tmp_path)
    assert TASKS[name].missing(tmp_path) is None
    parts = {
        split: [
            query.id for corpus in load(name, tmp_path, split).corpora for query in corpus.queries
        ]
        for split in ("dev", "test", "all")
    }
    assert parts["all"]
    assert sorted(parts["dev"] + parts["test"]) == sorted(parts["all"])
    assert len({*parts["all"]}) == len(parts["all"])


@pytest.mark.parametrize("name", TASKS)
def test_a_task_whose_files_are_not_there_says_which(name, tmp_path):
    assert TASKS[name].missing(tmp_path) == TASKS[name].files[0]


def test_turns_come_in_the_order_of_their_sessions_numbers(tmp_path):
    published.locomo(tmp_path, asked("D2:1"))
    [corpus] = load("locomo", tmp_path).corpora
    assert [doc.id for doc in corpus.docs] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D10:1"]
    assert [doc.position for doc in corpus.docs] == [0, 1, 2, 3, 4, 5]
    second, last = corpus.docs[1], corpus.docs[-1]
    assert (second.speaker, second.extra, second.group) == (
        "Ben",
        "a red boat",
        "conv-26/session_1",
    )
    assert last.time == "12:09 am on 13 September, 2023"
    assert corpus.docs[4].text == ""


@pytest.mark.parametrize(
    ("evidence", "meant"),
    [
        (["D1:2"], {"D1:2"}),
        (["D1:1; D2:1"], {"D1:1", "D2:1"}),
        (["D1:1 D2:1", "D2:2"], {"D1:1", "D2:1", "D2:2"}),
        (["D:1:02"], {"D1:2"}),
        (["D1:1-D1:3"], {"D1:1", "D1:2", "D1:3"}),
        (["D1:2-3"], {"D1:2", "D1:3"}),
        (["D1:3 - D2:1"], {"D1:3", "D2:1"}),
        (["D1:1", "D9:9"], {"D1:1"}),
        (["D10:1"], {"D10:1"}),
    ],
)
def test_evidence_written_by_hand_is_read_as_it_was_meant(evidence, meant, tmp_path):
    published.locomo(tmp_path, asked(*evidence))
    [corpus] = load("locomo", tmp_path).corpora
    assert corpus.queries[0].relevant == meant


def test_questions_without_evidence_are_left_out_and_keep_their_numbers(tmp_path):
    published.locomo(tmp_path, asked(), asked("D9:9"), asked("D", kind=1), asked("D2:1", kind=2))
    [corpus] = load("locomo", tmp_path).corpora
    assert [(one.id, one.category) for one in corpus.queries] == [("conv-26/3", "temporal")]


def test_conversations_are_split_whole(tmp_path):
    published.locomo(tmp_path, asked("D1:1"), names=("conv-30", "conv-41", "conv-49"))
    assert [one.id for one in load("locomo", tmp_path, "dev").corpora] == ["conv-41", "conv-49"]
    assert [one.id for one in load("locomo", tmp_path, "test").corpora] == ["conv-30"]


def test_an_audit_replaces_the_evidence_of_the_questions_it_corrected(tmp_path):
    published.locomo(tmp_path, asked("D1:1"), asked("D1:2"), names=("conv-30", "conv-41"))
    audit = [
        {"question_id": "locomo_1_qa0", "correct_evidence": ["D2:1", "D2:2"]},
        {"question_id": "locomo_1_qa1", "correct_evidence": []},
    ]
    published.written(tmp_path / "locomo-audit" / "errors.json", audit)
    [corpus] = load("locomo-audited", tmp_path).corpora
    assert [one.relevant for one in corpus.queries] == [{"D2:1", "D2:2"}, {"D1:2"}]


def test_a_turns_own_time_comes_before_that_of_its_session(tmp_path):
    published.realtalk(tmp_path)
    [corpus] = load("realtalk", tmp_path, "dev").corpora
    assert corpus.id == "Chat_1_Cem_Dee"
    assert [one.time for one in corpus.docs] == ["29.12.2023, 22:42:04", "29.12.2023, 22:40:00"]
    assert corpus.queries[0].category == "commonsense"


def test_messages_lose_the_notes_of_the_generator_and_nothing_else(tmp_path):
    published.beam(tmp_path)
    first, last = load("beam-100k", tmp_path, "dev").corpora
    assert (first.id, last.id) == ("100K/1", "100K/11")
    assert [doc.text for doc in first.docs] == [
        *("I moved to Ghent.", "Noted -> well.", "And I keep bees.", "How many hives?")
    ]
    assert [doc.group for doc in first.docs] == ["1/1.0", "1/1.0", "1/1.1", "1/1.1"]
    assert first.docs[0].time == "March-15-2024"


def test_evidence_is_found_at_any_depth_and_abstentions_are_left_out(tmp_path):
    published.beam(tmp_path)
    corpus = load("beam-100k", tmp_path, "test").corpora[0]
    assert {one.id: one.relevant for one in corpus.queries} == {
        "100K/2/event_ordering/0": {"0", "2"},
        "100K/2/knowledge_update/0": {"0", "2"},
    }


def test_each_question_has_a_haystack_whose_evidence_is_whole_sessions(tmp_path):
    published.longmemeval(tmp_path)
    corpora = load("longmemeval-s", tmp_path, "all").corpora
    assert [one.id for one in corpora] == ["q0", "e47b", "51a4", "q1"]
    [query] = corpora[0].queries
    assert query.relevant == {"s2#0", "s2#1"}
    assert query.asked_at == "2023/05/30 (Tue) 23:40"
    alone = load("longmemeval-s-user", tmp_path, "all").corpora[0]
    assert [doc.id for doc in alone.docs] == ["s1#0", "s2#0"]
    assert alone.docs[1].time == "2023/05/21 (Sun) 10:00"


def test_printed_abstracts_become_sentences_and_judgements_of_nought_do_not_count(tmp_path):
    published.scifact(tmp_path)
    [dev], [test] = (load("scifact", tmp_path, split).corpora for split in ("dev", "test"))
    assert [doc.text for doc in dev.docs] == ["Mice They sleep. It's so.", "Rats They run."]
    assert {one.text: one.relevant for one in dev.queries} == {"Mice sleep.": {"4"}}
    assert {one.text: one.relevant for one in test.queries} == {"Rats run.": {"4", "7"}}


def test_sections_are_grouped_by_document_and_chunks_by_file(tmp_path):
    published.product_docs(tmp_path)
    published.code_chunks(tmp_path)
    [sections] = load("product-docs", tmp_path, "all").corpora
    [chunks] = load("code-chunks", tmp_path, "all").corpora
    assert {doc.group for doc in sections.docs} == {"docs/a"}
    assert {doc.group for doc in chunks.docs} == {"doc_1"}
    assert chunks.queries[0].relevant == {"doc_1_chunk_1"}


def test_a_piece_that_shares_a_character_with_a_span_is_evidence(tmp_path):
    published.passages(tmp_path)
    [corpus] = load("passages", tmp_path, "all").corpora
    assert corpus.id == "speech", "a text that nobody asks about is no haystack"
    [query] = corpus.queries
    texts = {doc.id: doc.text for doc in corpus.docs}
    assert [texts[one].partition(" ")[0] for one in query.relevant] == ["Nobody"]


@given(st.text(alphabet="ab. \n", max_size=300), st.integers(4, 40))
def test_pieces_cover_a_text_without_gaps_and_none_is_too_long(text, longest):
    cuts = list(pieces(text, longest))
    assert "".join(text[start:end] for start, end in cuts) == text
    assert all(0 < end - start <= longest for start, end in cuts)


def documentation(data, *headings, body="It does what it says. " * 20):
    text = "---\ntitle: x\n---\n" + "".join(f"## {one}\n{body}\n" for one in headings)
    published.written(data / "docs" / "tool" / "page.md", text)


def test_a_heading_is_asked_for_plainly_in_small_letters_and_mistyped(tmp_path):
    documentation(tmp_path, *(f"Cache number {n} `keys`" for n in range(40)))
    task = load("docs-shown", tmp_path, "all")
    [corpus] = task.corpora
    query = next(one for one in corpus.queries if one.category == "plain")
    others = [one.text for one in corpus.queries if one.relevant == query.relevant]
    heading = next(doc.extra for doc in corpus.docs if doc.id in query.relevant)
    middle = len(heading) // 2
    turned = heading[: middle - 1] + heading[middle] + heading[middle - 1] + heading[middle + 1 :]
    assert "`" not in heading
    assert others == [f"what is {heading}?", heading.lower(), f"what is {turned.lower()}?"]


def test_hidden_headings_are_asked_for_and_stand_nowhere(tmp_path):
    documentation(tmp_path, *(f"Cache number {n}" for n in range(40)))
    shown, hidden = (
        load(f"docs-{form}", tmp_path, "all").corpora[0] for form in ("shown", "hidden")
    )
    assert 3 * len(hidden.queries) == len(shown.queries) > 0
    assert not any("Cache" in doc.text or doc.extra for doc in hidden.docs)
    assert {one.relevant for one in hidden.queries} == {one.relevant for one in shown.queries}


@pytest.mark.parametrize(
    "heading", ["Overview of it all", "API", "one two three four five six seven eight nine"]
)
def test_headings_that_say_nothing_are_not_asked_for(heading, tmp_path):
    documentation(tmp_path, *(f"{heading}{' ' * n}" for n in range(1)), "Cache")
    corpora = load("docs-hidden", tmp_path, "all").corpora
    assert heading not in str([query.text for corpus in corpora for query in corpus.queries])


def test_headings_that_stand_twice_or_over_little_are_not_asked_for(tmp_path):
    headings = [f"Cache number {n}" for n in range(40)]
    documentation(tmp_path, *headings, *headings)
    assert load("docs-hidden", tmp_path, "all").questions == 0
    documentation(tmp_path, *headings, body="Short.")
    assert load("docs-hidden", tmp_path, "all").questions == 0


def test_a_mark_inside_a_code_fence_is_no_heading(tmp_path):
    published.written(tmp_path / "docs" / "a.md", "# Cache keys\n```\n# not one\n```\nend\n")
    documentation(tmp_path, *(f"Cache number {n}" for n in range(40)))
    [corpus] = load("docs-shown", tmp_path, "all").corpora
    first = corpus.docs[0]
    assert (first.extra, "# not one" in first.text) == ("Cache keys", True)


@pytest.mark.parametrize(
    "content", ["{", "[]x", '{"a": 1}', '[{"sample_id": "conv-26"}]', '["conv-26"]', "[7]"]
)
def test_damaged_data_is_named_as_such(content, tmp_path):
    published.written(tmp_path / "locomo" / "locomo10.json", content)
    with pytest.raises(DataUnusable, match="locomo"):
        load("locomo", tmp_path)


def test_a_corpus_refuses_ids_that_repeat_and_evidence_that_is_not_there():
    docs = (Doc("a", "x"), Doc("b", "y"))
    with pytest.raises(ValueError, match="share an id"):
        Corpus("c", (*docs, Doc("a", "z")), ())
    for relevant in (frozenset[str](), frozenset({"a", "z"})):
        with pytest.raises(ValueError, match="not there"):
            Corpus("c", docs, (Query("q", "?", relevant),))


def test_the_first_questions_are_kept_and_corpora_nobody_asks_are_not(tmp_path):
    names = ("conv-26", "conv-41", "conv-43")
    published.locomo(tmp_path, asked("D1:1"), asked("D1:2"), names=names)
    task = load("locomo", tmp_path).limited(3)
    assert [len(one.queries) for one in task.corpora] == [2, 1]
    assert (task.questions, task.units) == (3, 12)
    assert json.dumps([one.id for one in task.corpora]) == '["conv-26", "conv-41"]'
