"""Reads sessions of coding agents as turns, as the five that `AGENTS` names write them.

A turn begins with each prompt of the user. Tools and their results are its entries, so is what the
agent says on the way, and the last thing that it says is the answer. Prompts that a program wrote,
work of sub-agents and thoughts that were never shown are left out.

Files are read line by line, of any size and with lines of any length. Whatever cannot be read is
left out, with a sentence that says so, and the rest is read.

Source: docs/reference/formats.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from wellworn.engines.formats.lines import (
    Tell,
    is_line_file,
    list_inside,
    list_objects,
    read_moment,
    to_object,
)
from wellworn.engines.formats.opencode import OpenCodeMessage, list_opencode_stores
from wellworn.engines.formats.pieces import replace_unstorable
from wellworn.errors import InvalidInput
from wellworn.kit.clock import from_iso, to_iso
from wellworn.kit.text import is_blank

AGENTS: Final = "Claude Code, Codex, Gemini CLI, Qwen Code or OpenCode"
_LONGEST_QUERY, _LONGEST_RESULT, _LONGEST_ARGUMENT = 10_000, 8_000, 1_900
_LONGEST_NAME, _MOST_ARGUMENTS = 100, 20
MOST_ENTRIES: Final = 20
_BY_PROGRAM: Final = re.compile(
    r"\s*(?:<(?:command-|local-command|environment_context|user_instructions|system-reminder|"
    r"permissions|turn_aborted)|# AGENTS\.md instructions|Caveat: |\[Request interrupted)"
)
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
"""What a program tells the agent beside the words of a prompt."""
_LINE_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
Json = Mapping[str, Any]


@dataclass(slots=True)
class SessionPart:
    """A stretch of a turn: its prompt, some of what was done for it, and at its end the answer.

    Texts are cut to what the server takes; each says at its end how much is missing.

    Attributes:
        key: names the turn within all sessions.
        asked_at: ISO 8601.
        before: how many entries the parts before it have; 0 begins a turn.
        entries: as the route for entries of a turn takes them, `MOST_ENTRIES` at most.
        answer: None where more parts of the turn follow.
    """

    key: str
    query: str
    asked_at: str | None
    engine: str
    before: int = 0
    entries: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    answer: str | None = None


class _Prompt(NamedTuple):
    text: str
    name: str | None
    time: str | None
    session: str = ""


class _Speech(NamedTuple):
    text: str


class _ToolUse(NamedTuple):
    name: str
    tool: str
    arguments: object


class _ToolResult(NamedTuple):
    name: str
    text: str
    is_ok: bool


class _Model(NamedTuple):
    name: str


_Event = _Prompt | _Speech | _ToolUse | _ToolResult | _Model


class AgentSessions:
    """A session file, or all `.jsonl` files below a folder, in their order, and OpenCode's stores.

    Iterating reads them line by line, or part by part, and holds no more of them than one part.

    Attributes:
        files: in the order they are read in.
        total_bytes: the size of all files and stores.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        """List the files; `tell` is told what is left out because it cannot be read.

        Raises:
            InvalidInput: the folder has none.
        """
        self._stores = list_opencode_stores(path, tell)
        self.files = [] if self._stores else [path]
        if path.is_dir():
            self.files = [*list_inside(path, is_line_file, tell)]
        if not (self.files or self._stores):
            raise InvalidInput(f"there is no .jsonl file in {path}, nor a session of OpenCode")
        self._lines = SessionLines(tell)
        sizes = [file.stat().st_size for file in self.files]
        self.total_bytes = sum(sizes) + sum(store.total_bytes for store in self._stores)

    @property
    def bytes_read(self) -> int:
        """The number of bytes that were read so far."""
        return self._lines.bytes_read + sum(store.bytes_read for store in self._stores)

    def __iter__(self) -> Iterator[SessionPart]:
        """Yield the parts of every turn, oldest first.

        Raises:
            InvalidInput: a file cannot be read.
        """
        for file in self.files:
            yield from _read_turns(self._read_events(file))
        names = set[str]()
        for session in chain.from_iterable(self._stores):
            # OpenCode has left the files that it moved into its database where they were.
            if session.name not in names:
                names.add(session.name)
                yield from _read_turns(_read_opencode(session.name, session.messages))

    def _read_events(self, file: Path) -> Iterator[_Event]:
        session = file.stem
        told: set[str] = set()
        for record in self._lines.read(file):
            whole = to_object(record)
            # A copy of a file is the same session, whatever it is called.
            if (name := _read_session_name(whole)) not in file.stem:
                session = name
            events: Iterable[_Event] = ()
            if payload := to_object(whole.get("payload")):
                events = _read_codex(whole, payload)
            elif "parts" in (message := to_object(whole.get("message"))):
                events = _read_qwen(whole, message)
            elif message:
                events = _read_claude(whole, message)
            elif "content" in whole:
                events = _read_gemini(whole, told)
            for event in events:
                yield event._replace(session=session) if isinstance(event, _Prompt) else event


def _read_turns(events: Iterable[_Event]) -> Iterator[SessionPart]:
    """Yield the parts of the turns of one session."""
    turn: _TurnReader | None = None
    model, count = "agent", 0
    for event in events:
        if isinstance(event, _Model):
            model = _make_label(event.name)
            if turn is not None:
                turn.engine = model
        elif isinstance(event, _Prompt):
            if turn is not None:
                yield turn.end()
            count += 1
            turn = _TurnReader(f"{event.session}:{event.name or count}", event, model)
        elif turn is not None and (part := turn.take(event)):
            yield part
    if turn is not None:
        yield turn.end()


class _TurnReader:
    """Collects a turn, and gives it away part by part."""

    def __init__(self, key: str, prompt: _Prompt, engine: str) -> None:
        self._key = replace_unstorable(key)[-_LONGEST_NAME:]
        self._prompt = prompt
        self.engine = engine
        self._calls: dict[str, dict[str, object]] = {}
        self._entries: list[dict[str, object]] = []
        self._before = 0
        self._speech = self._last_speech = ""

    def take(self, event: _Event) -> SessionPart | None:
        """Add what an agent did or said; return a part when it is full."""
        if isinstance(event, _ToolUse | _Speech) and self._speech:
            self._entries.append({"result": self._speech})
            self._speech = ""
        if isinstance(event, _ToolUse):
            tool, arguments = _make_label(event.tool), _list_arguments(event.arguments)
            self._calls[event.name] = {"tool": tool, "arguments": arguments}
        elif isinstance(event, _ToolResult) and (call := self._calls.pop(event.name, None)):
            result = _cut(event.text, _LONGEST_RESULT)
            self._entries.append({**call, "result": result, "is_ok": event.is_ok})
        elif isinstance(event, _Speech):
            self._speech = self._last_speech = _cut(event.text, _LONGEST_RESULT)
        return self._give(None) if len(self._entries) >= MOST_ENTRIES else None

    def end(self) -> SessionPart:
        """Return the last part, with the answer: the last thing that was said."""
        return self._give(self._speech or self._last_speech)

    def _give(self, answer: str | None) -> SessionPart:
        part = SessionPart(
            self._key,
            _cut(self._prompt.text, _LONGEST_QUERY),
            self._prompt.time,
            self.engine,
            self._before,
            self._entries,
            answer,
        )
        self._before += len(self._entries)
        self._entries = []
        return part


def _list_arguments(arguments: object) -> dict[str, str]:
    """Return the arguments of a call as texts; of too many, the last says how many are missing."""
    named = to_object(arguments) or {"input": arguments}
    texts = {
        _make_label(name): _cut(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False),
            _LONGEST_ARGUMENT,
        )
        for name, value in islice(named.items(), _MOST_ARGUMENTS)
    }
    if (more := len(named) - _MOST_ARGUMENTS) > 0:
        texts.popitem()
        texts["…"] = f"{more + 1} arguments more"
    return texts


def _make_label(name: str) -> str:
    label = _LINE_BREAKS.sub(" ", replace_unstorable(name))[:_LONGEST_NAME]
    return "tool" if is_blank(label) else label


def _cut(text: str, longest: int) -> str:
    text = replace_unstorable(text)
    if len(text) <= longest:
        return text
    room = longest - 40
    return f"{text[:room]}\n… ({len(text) - room} characters more)"


def _read_session_name(record: Json) -> str:
    """Return what a line calls its session; empty where it does not."""
    is_codex = record.get("type") == "session_meta"
    name = to_object(record.get("payload")).get("id") if is_codex else record.get("sessionId")
    return name if isinstance(name, str) else ""


def _read_codex(record: Json, payload: Json) -> Iterator[_Event]:
    kind = payload.get("type")
    if record.get("type") == "turn_context" and isinstance(payload.get("model"), str):
        yield _Model(payload["model"])
    elif record.get("type") != "response_item":
        return
    elif kind == "message" and payload.get("role") == "user":
        yield from _read_prompt(payload.get("content"), None, record.get("timestamp"))
    elif kind == "message" and payload.get("role") == "assistant":
        yield from _read_speech(_join_texts(payload.get("content")))
    elif kind in {"function_call", "custom_tool_call"}:
        arguments = payload.get("arguments", payload.get("input"))
        yield _ToolUse(str(payload.get("call_id")), str(payload.get("name")), _parse(arguments))
    elif kind in {"function_call_output", "custom_tool_call_output"}:
        output = payload.get("output")
        fields = to_object(_parse(output))
        text = fields.get("output", fields.get("content", output))
        is_ok = fields.get("success") is not False and not _has_failed(fields)
        yield _ToolResult(str(payload.get("call_id")), _join_texts(text), is_ok)


def _has_failed(fields: Json) -> bool:
    return to_object(fields.get("metadata")).get("exit_code") not in {None, 0}


def _read_claude(record: Json, message: Json) -> Iterator[_Event]:
    if record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary"):
        return
    if record.get("type") == "assistant":
        yield from _read_claude_answer(message)
    elif record.get("type") == "user":
        content = message.get("content")
        results = [block for block in list_objects(content) if block.get("type") == "tool_result"]
        for block in results:
            name = str(block.get("tool_use_id"))
            yield _ToolResult(name, _join_texts(block.get("content")), not block.get("is_error"))
        if not results:
            yield from _read_prompt(content, record.get("uuid"), record.get("timestamp"))


def _read_claude_answer(message: Json) -> Iterator[_Event]:
    content = message.get("content")
    if isinstance(message.get("model"), str):
        yield _Model(message["model"])
    yield from _read_speech(_join_texts(content))
    for block in list_objects(content):
        if block.get("type") == "tool_use":
            yield _ToolUse(str(block.get("id")), str(block.get("name")), block.get("input"))


def _read_gemini(record: Json, told: set[str]) -> Iterator[_Event]:
    """Yield what is new in a message, which is written again when more of it is known."""
    name = record.get("id")
    if record.get("type") == "user":
        yield from _read_prompt(record["content"], name, record.get("timestamp"))
    elif record.get("type") == "gemini":
        if isinstance(record.get("model"), str):
            yield _Model(record["model"])
        if str(name) not in told and (text := _join_texts(record["content"])):
            told.add(str(name))
            yield from _read_speech(text)
        for call in list_objects(record.get("toolCalls")):
            parts = list_objects(call.get("result"))
            results = [to_object(part.get("functionResponse")) for part in parts]
            if results and (used := str(call.get("id"))) not in told:
                told.add(used)
                yield _ToolUse(used, str(call.get("name")), call.get("args"))
                yield from _read_response({**results[0], "id": used})


def _read_response(result: Json) -> Iterator[_Event]:
    """Yield what a tool answered, as Gemini's protocol says it."""
    said = to_object(result.get("response"))
    text = said.get("output", said.get("error"))
    yield _ToolResult(str(result.get("id")), _join_texts(text), "error" not in said)


def _read_qwen(record: Json, message: Json) -> Iterator[_Event]:
    parts = [part for part in list_objects(message["parts"]) if not part.get("thought")]
    if record.get("type") == "user":
        yield from _read_prompt(parts, record.get("uuid"), record.get("timestamp"))
    elif record.get("type") == "assistant":
        if isinstance(record.get("model"), str):
            yield _Model(record["model"])
        yield from _read_speech(_join_texts(parts))
    for part in parts:
        if call := to_object(part.get("functionCall")):
            yield _ToolUse(str(call.get("id")), str(call.get("name")), call.get("args"))
        elif result := to_object(part.get("functionResponse")):
            yield from _read_response(result)


def _read_opencode(session: str, messages: Iterable[OpenCodeMessage]) -> Iterator[_Event]:
    for info, parts in messages:
        if info.get("role") == "user":
            # A synthetic part is what a program put beside a prompt, such as a file it names.
            texts = [each for each in parts if each.get("type") == "text" and not _is_added(each)]
            created = to_object(info.get("time")).get("created")
            for prompt in _read_prompt(texts, info.get("id"), _read_milliseconds(created)):
                yield prompt._replace(session=session)
        elif info.get("role") == "assistant" and not info.get("summary"):
            if isinstance(info.get("modelID"), str):
                yield _Model(info["modelID"])
            for part in parts:
                yield from _read_opencode_answer(part)


def _is_added(part: Json) -> bool:
    return bool(part.get("synthetic") or part.get("ignored"))


def _read_opencode_answer(part: Json) -> Iterator[_Event]:
    if part.get("type") == "text" and not _is_added(part):
        yield from _read_speech(_join_texts([part]))
    elif part.get("type") == "tool":
        name, state = str(part.get("callID")), to_object(part.get("state"))
        has_failed = state.get("status") == "error"
        text = state.get("error" if has_failed else "output")
        if isinstance(text, str):
            yield _ToolUse(name, str(part.get("tool")), state.get("input"))
            yield _ToolResult(name, text, not has_failed)


def _read_milliseconds(time: object) -> str | None:
    """Return ISO 8601 for milliseconds since 1970; None for anything else."""
    try:
        return read_moment(time / 1_000) if isinstance(time, int | float) else None
    except (ValueError, OverflowError):
        return None


def _read_prompt(content: object, name: object, time: object) -> Iterator[_Event]:
    """Yield what a person wrote, without what programs put before, behind or between it."""
    texts = [_drop_reminders(text) for text in _list_texts(content)]
    text = "\n".join(text for text in texts if not (is_blank(text) or _BY_PROGRAM.match(text)))
    if not is_blank(text):
        yield _Prompt(
            text,
            name if isinstance(name, str) else None,
            time if isinstance(time, str) and _is_time(time) else None,
        )


def _drop_reminders(text: str) -> str:
    """Return a text without the whole reminders in it, which a program put there."""
    *pieces, after = text.split(_REMINDER_END)
    if not pieces:
        return text
    parts = (piece.partition(_REMINDER) for piece in pieces)
    kept = "".join(before if mark else before + _REMINDER_END for before, mark, _ in parts)
    return kept.strip() + after


def _is_time(text: str) -> bool:
    try:
        to_iso(from_iso(text))
    except (ValueError, OverflowError):
        return False
    return True


def _read_speech(text: str) -> Iterator[_Event]:
    if not is_blank(text):
        yield _Speech(text)


def _join_texts(content: object) -> str:
    """Return the text of a message, whose content is a text or a list of blocks."""
    return "\n".join(_list_texts(content))


def _list_texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts = [block.get("text") for block in list_objects(content)]
    return [text for text in texts if isinstance(text, str)]


def _parse(text: object) -> object:
    """Return what JSON says, where a text is JSON."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


LONGEST_LINE_BYTES: Final = 10_000_000
_AT_ONCE_BYTES: Final = 1_000_000
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class SessionLines:
    """Reads files of JSON lines and counts their bytes; `tell` is told of every line left out."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.bytes_read = 0

    def read(self, file: Path) -> Iterator[Any]:
        """Yield what each line of a file says.

        A line that is no JSON, or too long to be read, is left out. So is a last line that a
        session which goes on has not ended yet; nobody is told of it, for it is read next time.

        Raises:
            InvalidInput: the file cannot be read.
        """
        try:
            with file.open("rb") as opened:
                yield from self._read_values(file.name, opened)
        except OSError:
            raise InvalidInput(f"{file.name} is missing or cannot be read") from None

    def _read_values(self, name: str, opened: BinaryIO) -> Iterator[Any]:
        number = 0
        while line := self._read_line(opened):
            number += 1
            place = f"{name}, line {number}"
            if len(line) > LONGEST_LINE_BYTES:
                megabytes = LONGEST_LINE_BYTES // 1_000_000
                self._tell(f"{place}: longer than {megabytes} MB; it was left out")
                continue
            if not line.strip():
                continue
            try:
                yield json.loads(line.removeprefix(_BYTE_ORDER_MARK))
            except (ValueError, RecursionError):
                if line.endswith(b"\n"):
                    self._tell(f"{place}: no JSON; it was left out")

    def _read_line(self, opened: BinaryIO) -> bytes:
        """Return the next line, or of one that is too long its beginning; empty at the end."""
        line = opened.readline(LONGEST_LINE_BYTES + 1)
        self.bytes_read += len(line)
        rest = line
        while len(line) > LONGEST_LINE_BYTES and rest and not rest.endswith(b"\n"):
            rest = opened.readline(_AT_ONCE_BYTES)
            self.bytes_read += len(rest)
        return line
