"""The markdown seeder: a folder of documents by domain directory, in chunks of about 500 words.

Source: thought tracing's description of the existing system: chunks by domain directory, 500-word
target, README.md skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wellworn.knowledge.models import Practice

TARGET_WORDS = 500

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def practices_in(folder: Path) -> Iterator[Practice]:
    """Yield the chunks of every markdown file; the first directory below `folder` is the domain.

    README.md is skipped, whatever its case; files that are not UTF-8 are read with replacements.
    """
    for path in sorted(folder.rglob("*.md")):
        if path.name.casefold() == "readme.md" or not path.is_file():
            continue
        relative = path.relative_to(folder)
        chunks = chunked(path.read_text(encoding="utf-8", errors="replace").replace("\0", ""))
        for number, chunk in enumerate(chunks):
            yield Practice(
                content=chunk,
                domain=relative.parts[0] if len(relative.parts) > 1 else "",
                source="seed",
                file_path=relative.as_posix(),
                file_name=path.name,
                chunk_index=number,
                total_chunks=len(chunks),
            )


def chunked(text: str, target_words: int = TARGET_WORDS) -> list[str]:
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
        if not words:
            continue
        if len(words) <= target_words:
            yield paragraph.strip()
            continue
        for start in range(0, len(words), target_words):
            yield " ".join(words[start : start + target_words])
