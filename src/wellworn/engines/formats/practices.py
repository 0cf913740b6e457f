"""The Markdown seeder: a folder of best practices by domain, in chunks of about 500 words.

The earlier endpoint /api/v1/query searches them; `read_markdown` reads notes as thoughts instead.
A directory is a domain; README.md is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellworn.engines.formats.lines import Tell, list_inside, read_text, refuse
from wellworn.engines.formats.pieces import list_paragraphs, replace_unstorable
from wellworn.errors import InvalidInput
from wellworn.kit.ids import derive_id
from wellworn.kit.pointers import describe_pointer

TARGET_WORDS = 500

_WORD = re.compile(r"\S+")


def read_practices(folder: Path, tell: Tell = refuse) -> Iterator[dict[str, Any]]:
    """Yield a record for every chunk of every markdown file below a folder.

    The first directory below `folder` is the domain; README.md is skipped, whatever its case.

    Raises:
        InvalidInput: there is no markdown; or a file cannot be read, and `tell` ends the import.
    """
    files = list(list_inside(folder, _is_wanted, tell))
    if not files:
        raise InvalidInput("there is no markdown file in the folder besides README.md")
    for path in files:
        yield from _records(path, path.relative_to(folder), tell)


def _is_wanted(path: Path) -> bool:
    return path.suffix == ".md" and path.name.casefold() != "readme.md"


def _records(path: Path, relative: Path, tell: Tell) -> Iterator[dict[str, Any]]:
    try:
        raw, timestamp = path.read_bytes(), path.stat().st_mtime
    except OSError:
        tell(f"{path.name} cannot be read")
        return
    if pointer := describe_pointer(raw):
        tell(f"{path.name}: {pointer}")
        return
    chunks = cut_chunks(replace_unstorable(read_text(raw, path.name, tell)))
    domain = relative.parts[0] if len(relative.parts) > 1 else ""
    for number, chunk in enumerate(chunks):
        yield {
            "record": "practice",
            "id": derive_id(domain, relative.as_posix(), str(number), chunk),
            "content": chunk,
            "domain": domain,
            "source": "seed",
            "file_path": relative.as_posix(),
            "file_name": path.name,
            "chunk_index": number,
            "total_chunks": len(chunks),
            "timestamp": timestamp,
        }


def cut_chunks(text: str, target_words: int = TARGET_WORDS) -> list[str]:
    """Cut text between paragraphs into chunks near the target; long paragraphs are split.

    Each chunk is as it stands in the text, with its indentation.
    """
    chunks: list[tuple[int, int]] = []
    words = 0
    for start, end, length in _pieces(text, target_words):
        if chunks and words + length <= target_words:
            chunks[-1], words = (chunks[-1][0], end), words + length
        else:
            chunks.append((start, end))
            words = length
    return [text[start:end] for start, end in chunks]


def _pieces(text: str, target_words: int) -> Iterator[tuple[int, int, int]]:
    """Yield where each piece begins and ends, and how many words it has."""
    for start, end in list_paragraphs(text):
        words = [word.span() for word in _WORD.finditer(text, start, end)]
        for first in range(0, len(words), target_words):
            part = words[first : first + target_words]
            yield start if first == 0 else part[0][0], part[-1][1], len(part)
