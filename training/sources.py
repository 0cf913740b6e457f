"""Reads the public sets: questions whose answer is a span of a sentence or a paragraph.

Each file is known by its checksum, so that whoever runs this learns from the same. The licences
are in `NOTICE`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

CHECKSUMS: Final = {
    "qamr-dev.tsv.gz": "575e6eb268c4e47dae0907d0280707bbaf96320d36b8ee8fe5b635ca951feb39",
    "qamr-test.tsv.gz": "6fcd043333cbd965883d7c0c2355945d1c8998c83d80068b388c911b5e0be3d7",
    "wiki-sentences.tsv.gz": "ace55fc1fe9c4f921801733457d76c3f341ce55b1a9323d791d556c7027c58ee",
    "shifts-new_wiki.json.gz": "5b8c637b147bbc5602eb89609f6325e11e82160fc922e668237717f632bbf56f",
    "shifts-reddit.json.gz": "512ab1c42e9d8d281c7845bdef712d0348d069257e9027745f922366c66722b6",
    "shifts-amazon_reviews.json.gz": (
        "8e0de91981fba65718d43da01b49411901eaa2ae4da0bb1af28898bc977e8d53"
    ),
    "qed-dev.jsonlines.gz": "9d84f6cb671ae22fa1779d33074215bb813517390ee31ccbfad5aed84ae4867d",
    "xquad.en.json.gz": "4de8030339c0e22a2ebd5be5f82c185f2d03e29ad9a99b6d619b99acffb70b33",
    "xquad.de.json.gz": "b26b77dbd49bf0dc752a76c00c5d7e991084d802f636f1660fb424776875a8b1",
    "xquad.es.json.gz": "ae768e7cb2c6a0ae78fb111bf9cda5b0643282d66d9fabfdc78512726134b7cb",
    "xquad.zh.json.gz": "d7b2b3e882ace844b95497a262625340b59c1f071ac39286131e48ffa73e5b32",
    "xquad.ar.json.gz": "387488cc42a0615241a7c4b950927e5aee812c8a4b7957df633b857daf885fd6",
}
QAMR: Final = ("qamr-dev.tsv.gz", "qamr-test.tsv.gz")
SHIFTS: Final = (
    "shifts-new_wiki.json.gz",
    "shifts-reddit.json.gz",
    "shifts-amazon_reviews.json.gz",
)

_BRACKETS: Final = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "--": "-",
}
_NO_SPACE_BEFORE: Final = frozenset((".", ",", ";", ":", "!", "?", ")", "]", "}", "%", "'", "..."))
_NO_SPACE_AFTER: Final = frozenset(("(", "[", "{", "$", "£", "€", "#"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people asked about a text, with each span that one of them gave.

    Attributes:
        article: what the text is a part of.
    """

    text: str
    context: str
    spans: tuple[tuple[int, int], ...]
    article: str


class OtherFileError(Exception):
    """A file is not the one with the known checksum."""


def read_checked(folder: Path, name: str) -> str:
    """Read a file of the folder, which must be exactly the known one.

    Raises:
        OtherFileError: it is another.
    """
    content = (folder / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != CHECKSUMS[name]:
        raise OtherFileError(f"{name} is not the file with the checksum in training/sources.py")
    return gzip.decompress(content).decode()


@cache
def read_sentences(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the sentences of QAMR as tokens, by their names."""
    lines = read_checked(folder, "wiki-sentences.tsv.gz").splitlines()
    cut = (line.split("\t") for line in lines)
    return {name: tuple(_BRACKETS.get(it, it) for it in text.split()) for name, text in cut}


@cache
def read_qamr(folder: Path) -> tuple[Question, ...]:
    """Return the questions of QAMR whose answer is one piece of its sentence, each once."""
    sentences = read_sentences(folder)
    found: dict[tuple[str, str], Question] = {}
    for name in QAMR:
        for line in read_checked(folder, name).splitlines():
            identity, _, _, _, _, question, indices, *_ = line.split("\t")
            numbers = sorted(map(int, indices.split()))
            tokens = sentences.get(identity)
            if tokens is None or numbers != [*range(numbers[0], numbers[-1] + 1)]:
                continue
            context, places = join_tokens(tokens)
            span = (places[numbers[0]][0], places[numbers[-1]][1])
            asked = question.strip()
            key = (identity, asked.lower())
            found.setdefault(key, Question(asked, context, (span,), name_article(identity)))
    return tuple(found.values())


def name_article(identity: str) -> str:
    """Return what names the article of a sentence, by the sentence's own name."""
    return ":".join(identity.split(":")[:3])


@cache
def read_squad(folder: Path, name: str) -> tuple[Question, ...]:
    """Return the questions of a file in the form of SQuAD 1.1."""
    return tuple(_list_squad(json.loads(read_checked(folder, name)), name))


def _list_squad(content: Any, name: str) -> Iterator[Question]:
    for number, article in enumerate(content["data"]):
        for at, paragraph in enumerate(article["paragraphs"]):
            # Reviews and posts are of one kind there, and about nothing common.
            is_article = "wiki" in name or "xquad" in name
            of = f"{name}:{number}" if is_article else f"{name}:{number}:{at}"
            for asked in paragraph["qas"]:
                spans = dict.fromkeys(
                    (each["answer_start"], each["answer_start"] + len(each["text"]))
                    for each in asked["answers"]
                )
                yield Question(asked["question"].strip(), paragraph["context"], (*spans,), of)


@cache
def read_qed(folder: Path) -> tuple[Question, ...]:
    """Return the questions of QED, with the answers that its first annotators gave."""
    lines = read_checked(folder, "qed-dev.jsonlines.gz").splitlines()
    return tuple(_list_qed(map(json.loads, lines)))


def _list_qed(records: Iterator[Any]) -> Iterator[Question]:
    for record in records:
        spans = tuple(
            (answer[0]["start"], answer[0]["end"])
            for answer in record["original_nq_answers"]
            if len(answer) == 1
        )
        if spans:
            yield Question(
                record["question_text"], record["paragraph_text"], spans, record["title_text"]
            )


def join_tokens(tokens: tuple[str, ...]) -> tuple[str, list[tuple[int, int]]]:
    """Join tokens as people write them, and say where each of them came to be."""
    text, places, in_quotes, glue = "", [], False, True
    for token in tokens:
        closes = token == '"' and in_quotes
        joined = glue or closes or token in _NO_SPACE_BEFORE or _is_ending(token)
        text += token if joined else f" {token}"
        places.append((len(text) - len(token), len(text)))
        if token == '"':
            in_quotes = not in_quotes
        glue = token in _NO_SPACE_AFTER or (token == '"' and in_quotes)
    return text, places


def _is_ending(token: str) -> bool:
    return token == "n't" or (token.startswith("'") and token[1:].isalpha() and len(token) < 4)
