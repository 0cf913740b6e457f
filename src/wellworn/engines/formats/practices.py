"""The Markdown seeder: a folder of best practices by domain, in chunks of about 500 words.

The earlier endpoint /api/v1/query searches them; `read_markdown` reads notes as thoughts instead.
A directory is a domain; README.md is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellworn.engines.formats.lines import list_inside
from wellworn.engines.formats.pieces import replace_unstorable
from wellworn.errors import InvalidInput
from wellworn.kit.ids import derive_id

TARGET_WORDS = 500

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def read_practices(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a record for every chunk of every markdown file below a folder.

    The first directory below `folder` is the domain; README.md is skipped, whatever its case.

    Raises:
        InvalidInput: there is no markdown to read.
    """
    files = [path for path in list_inside(folder, "*.md") if _is_wanted(path)]
    if not files:
        raise InvalidInput("there is no markdown file in the folder besides README.md")
    for path in files:
        yield from _records(path, path.relative_to(folder))


def _is_wanted(path: Path) -> bool:
    return path.name.casefold() != "readme.md"


def _records(path: Path, relative: Path) -> Iterator[dict[str, Any]]:
    chunks = cut_chunks(replace_unstorable(path.read_text(encoding="utf-8", errors="replace")))
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
            "timestamp": path.stat().st_mtime,
        }


def cut_chunks(text: str, target_words: int = TARGET_WORDS) -> list[str]:
    """Cut text between paragraphs into chunks near the target; long paragraphs are split."""
    chunks: list[str] = []
    open_chunk: list[str] = []
    words = 0
    for piece in _pieces(text, target_words):
        length = len(piece.split())
        if open_chunk and words + length > target_words:
            chunks.append("\n\n".join(open_chunk))
            open_chunk, words = [], 0
        open_chunk.append(piece)
        words += length
    if open_chunk:
        chunks.append("\n\n".join(open_chunk))
    return chunks


def _pieces(text: str, target_words: int) -> Iterator[str]:
    for paragraph in _PARAGRAPHS.split(text):
        words = paragraph.split()
        if len(words) > target_words:
            for start in range(0, len(words), target_words):
                yield " ".join(words[start : start + target_words])
        elif words:
            yield paragraph.strip()
