"""A model on loopback that answers every request with the same words, and keeps the requests.

It speaks as much as clients need of four protocols: Anthropic's messages, OpenAI's responses and
chat completions, and Gemini's content, each streamed or whole.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = "I have read what I was shown."
_USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


class ScriptedModel:
    """What clients asked the model, as they asked it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[tuple[str, Any]] = []

    @property
    def texts(self) -> list[str]:
        """Every text that stands anywhere in a request, in the order of the requests."""
        return [text for _, body in self.requests for text in _find_texts(body)]


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """Serve a model on a free port until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model = ScriptedModel(f"http://127.0.0.1:{server.server_port}")
        vars(server)["model"] = model
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


def _find_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _find_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _find_texts(each)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": [], "models": []}))

    def do_HEAD(self) -> None:
        self._send("application/json", "")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else {}
        path = self.path.partition("?")[0]
        vars(self.server)["model"].requests.append((path, body))
        streams = bool(body.get("stream")) or path.endswith(":streamGenerateContent")
        if path.endswith("/messages"):
            whole, events = _answer_as_anthropic(body)
        elif path.endswith("/responses"):
            whole, events = _answer_as_responses()
        elif path.endswith("/chat/completions"):
            whole, events = _answer_as_chat(body)
        elif path.endswith(("GenerateContent", ":generateContent")):
            whole = _answer_as_gemini()
            events = [(None, whole)]
        elif path.endswith(":countTokens"):
            whole, events = {"totalTokens": 1}, []
        elif path.endswith("/count_tokens"):
            whole, events = {"input_tokens": 1}, []
        else:
            whole, events = {}, []
        if not streams:
            self._send("application/json", json.dumps(whole))
            return
        lines = [
            (f"event: {name}\n" if name else "")
            + f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n"
            for name, each in events
        ]
        self._send("text/event-stream", "".join(lines))

    def _send(self, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _answer_as_anthropic(body: Any) -> tuple[Any, list[tuple[str | None, Any]]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [{"type": "text", "text": ANSWER}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    begun = {**message, "content": [], "stop_reason": None}
    delta = {"type": "text_delta", "text": ANSWER}
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]
    return message, [(str(event["type"]), event) for event in events]


def _answer_as_responses() -> tuple[Any, list[tuple[str | None, Any]]]:
    item = {
        "id": "item_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    response = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": _USAGE,
    }
    events = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return response, [(str(event["type"]), event) for event in events]


def _answer_as_chat(body: Any) -> tuple[Any, list[tuple[str | None, Any]]]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "chat_1", "created": 1, "model": body.get("model"), "usage": usage}
    message = {"role": "assistant", "content": ANSWER}
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    chunk = {**head, "object": "chat.completion.chunk"}
    events: list[tuple[str | None, Any]] = [
        (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        (None, "[DONE]"),
    ]
    return whole, events


def _answer_as_gemini() -> Any:
    content = {"role": "model", "parts": [{"text": ANSWER}]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}
