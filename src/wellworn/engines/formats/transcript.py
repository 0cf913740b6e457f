"""Chat transcripts as turns: JSON lines `{speaker, text, time?, session?, id?, caption?}`.

A turn's place is its number within its session, so sessions may be interleaved in one file.

Source: docs/reference/formats.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from wellworn.engines.formats.lines import Tell, list_line_files, read_lines, read_moment, refuse
from wellworn.engines.formats.pieces import (
    LONGEST_CONTENT,
    replace_unstorable,
    split_into_pieces,
)
from wellworn.kit.ids import derive_id


def _time(value: object) -> object:
    return value if value is None else read_moment(value)


def _speaker(text: str) -> str:
    if not text.strip():
        raise ValueError("must be a non-empty string")
    return text


def _word(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_Text = Annotated[str, AfterValidator(replace_unstorable)]
_Word = Annotated[_Text, BeforeValidator(_word), Field(max_length=500)]


class TranscriptLine(BaseModel):
    """One line of a transcript. Fields it does not know are passed over."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    speaker: Annotated[_Text, Field(max_length=100), AfterValidator(_speaker)]
    text: _Text = ""
    time: Annotated[str | None, BeforeValidator(_time)] = None
    session: _Word | None = None
    id: _Word | None = None
    caption: _Text | None = None


def read_transcript(path: Path, tell: Tell = refuse) -> Iterator[dict[str, Any]]:
    """Yield a turn for each line of a transcript, or of every `.jsonl` file of a folder.

    Raises:
        InvalidInput: a file cannot be read; or a line is no turn and `tell`, which is told, ends
            the import. The message names the file and line.
    """
    for file in list_line_files(path, tell):
        yield from _turns(file, tell)


def _turns(file: Path, tell: Tell) -> Iterator[dict[str, Any]]:
    counts: Counter[str] = Counter()
    for number, record in read_lines(file, tell):
        try:
            turn = TranscriptLine.model_validate(record)
        except ValidationError as error:
            tell(f"{file.name}, line {number}: {_describe(error)}")
            continue
        session = replace_unstorable(file.stem) if turn.session is None else turn.session
        name = turn.id or str(counts[session])
        for part, content in enumerate(_contents(turn)):
            yield {
                "record": "thought",
                "kind": "turn",
                "id": derive_id("transcript", session, name, str(part), turn.speaker, content),
                "content": content,
                "contributor_id": turn.speaker,
                "contributor_name": turn.speaker,
                "session": session,
                "position": counts[session],
                "created_at": turn.time,
            }
            counts[session] += 1


def _describe(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "turn"
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return f"{name} {message}"


def _contents(turn: TranscriptLine) -> list[str]:
    """Return the turn's words, with what it shows in brackets; none for an empty turn."""
    parts = (turn.text.strip(), f"[{turn.caption.strip()}]" if turn.caption else "")
    words = " ".join(part for part in parts if part)
    return (
        split_into_pieces(words, LONGEST_CONTENT)
        if len(words) > LONGEST_CONTENT
        else [words][: bool(words)]
    )
