"""Made-up data in the layout in which each data set is published, small enough to judge by eye."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSIONS = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Hey Ben! How is the harbour?"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red boat"},
        {"speaker": "Ann", "dia_id": "D1:3", "text": "Is it for sale?"},
    ],
    "session_10_date_time": "12:09 am on 13 September, 2023",
    "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "The surgeon sold his piano."}],
    "session_2_date_time": "sometime",
    "session_2": [
        {"speaker": "Ben", "dia_id": "D2:1", "text": "I bought the boat for nine hundred."},
        {"speaker": "Ann", "dia_id": "D2:2", "text": None},
    ],
    "speaker_a": "Ann",
}
"""Two people, three sessions; the tenth comes before the second in the file."""


def written(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def asked(*evidence: object, question: str = "What did Ben buy?", kind: int = 4) -> dict[str, Any]:
    return {"question": question, "evidence": [*evidence], "category": kind}


def locomo(data: Path, *questions: dict[str, Any], names: tuple[str, ...] = ("conv-26",)) -> None:
    samples = [{"sample_id": name, "conversation": SESSIONS, "qa": [*questions]} for name in names]
    written(data / "locomo" / "locomo10.json", samples)


def realtalk(data: Path) -> None:
    for number, moment in ((1, "29.12.2023, 22:42:04"), (2, "30.12.2023, 09:00:00")):
        turn = {"speaker": "Cem", "clean_text": "Snow!", "dia_id": "D1:1", "date_time": moment}
        more = {**turn, "dia_id": "D1:2", "clean_text": "And ice.", "date_time": ""}
        chat = {
            "name": {"speaker_1": "Cem"},
            "session_1_date_time": "29.12.2023, 22:40:00",
            "session_1": [turn, more],
            "qa": [asked("D1:1", question="What fell?", kind=3)],
        }
        written(data / "realtalk" / f"Chat_{number}_Cem_Dee.json", chat)


def beam(data: Path) -> None:
    messages = [
        {
            "id": 0,
            "role": "user",
            "content": "I moved to Ghent. ->-> 1,3",
            "time_anchor": "March-15-2024",
        },
        {"id": 1, "role": "assistant", "content": "Noted -> well."},
        {"id": 2, "role": "user", "content": "And I keep bees.\n->-> 1,\n4"},
        {"id": 3, "role": "assistant", "content": "How many hives?"},
    ]
    probes = {
        "abstention": [{"question": "Which school?", "ideal_response": "unknown"}],
        "event_ordering": [{"question": "What came first?", "source_chat_ids": [[0], [2, 99]]}],
        "knowledge_update": [
            {
                "question": "What do I keep now?",
                "source_chat_ids": {"original_info": [0], "updated_info": {"turn": 2}},
            }
        ],
    }
    for chat in ("1", "2", "11"):
        folder = data / "beam" / "100K" / chat
        batch = {"batch_number": 1, "turns": [messages[:2], messages[2:]]}
        written(folder / "chat.json", [batch])
        written(folder / "probing_questions" / "probing_questions.json", probes)


def longmemeval(data: Path) -> None:
    def entry(name: str) -> dict[str, Any]:
        said = [{"role": "user", "content": "My cat is Io."}, {"role": "assistant", "content": "!"}]
        other = [{"role": "user", "content": "Rain again."}]
        return {
            "question_id": name,
            "question_type": "single-session-user",
            "question": "What is my cat called?",
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_session_ids": ["s1", "s2"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
            "haystack_sessions": [other, said],
            "answer_session_ids": ["s2"],
        }

    entries = [entry(name) for name in ("q0", "e47b", "51a4", "q1", "q1_abs")]
    written(data / "longmemeval" / "longmemeval_s_cleaned.json", entries)


def scifact(data: Path) -> None:
    folder = data / "scifact"
    corpus = 'doc_id,title,abstract,structured\n4,Mice,"[\'They sleep.\'\n ""It\'s so.""]",False\n'
    written(folder / "csv" / "corpus_train.csv", corpus + "7,Rats,\"['They run.']\",False\n")
    written(folder / "csv" / "claims_train.csv", "id,claim\n1,Mice sleep.\n2,Rats sleep.\n")
    written(folder / "csv" / "claims_validation.csv", "id,claim\n3,Rats run.\n")
    head = "query-id\tcorpus-id\tscore\n"
    written(folder / "beir_qrels" / "train.tsv", f"{head}1\t4\t1\n2\t7\t0\n")
    written(folder / "beir_qrels" / "test.tsv", f"{head}3\t7\t1\n3\t4\t1\n")


def product_docs(data: Path) -> None:
    sections = [
        {"chunk_link": "docs/a#one", "chunk_heading": "One", "text": "One\n\nFirst."},
        {"chunk_link": "docs/a#two", "chunk_heading": "Two", "text": "Two\n\nSecond."},
    ]
    questions = [
        {"id": f"q{n}", "question": f"Which is {n}?", "correct_chunks": ["docs/a#one"]}
        for n in range(8)
    ]
    written(data / "anthropic-docs" / "anthropic_docs.json", sections)
    written(data / "anthropic-docs" / "docs_evaluation_dataset.json", questions)


def code_chunks(data: Path) -> None:
    chunks = [
        {"chunk_id": "doc_1_chunk_0", "original_index": 0, "content": "fn one() {}"},
        {"chunk_id": "doc_1_chunk_1", "original_index": 1, "content": "fn two() {}"},
    ]
    lines = [{"query": "Where is two?", "golden_chunk_uuids": [["u-1", 1]]}]
    folder = data / "anthropic-codebase"
    written(
        folder / "codebase_chunks.json",
        [{"doc_id": "doc_1", "original_uuid": "u-1", "chunks": chunks}],
    )
    written(folder / "evaluation_set.jsonl", "".join(json.dumps(one) + "\n" for one in lines))


def passages(data: Path) -> None:
    folder = data / "chunking-eval"
    first, second = "The tide turned. " * 50, "Nobody saw the lamp. " * 30
    text = f"{first}\n\n{second}\n\n{first}"
    start = text.index("Nobody")
    spans = json.dumps([{"content": "", "start_index": start, "end_index": start + 6}])
    nowhere = json.dumps([{"content": "", "start_index": 90_000, "end_index": 90_006}])
    quoted = [one.replace('"', '""') for one in (spans, nowhere)]
    rows = "".join(
        f'"Who saw the {what}?","{one}",speech\n'
        for what, one in zip(("lamp", "sea"), quoted, strict=True)
    )
    written(folder / "corpora" / "speech.md", text)
    written(folder / "corpora" / "letter.md", "Nobody asks about this one.")
    written(folder / "questions_df.csv", f"question,references,corpus_id\n{rows}")
