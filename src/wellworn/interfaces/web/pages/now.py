"""Now: the conversation, what was said last, and what became of the memory this week."""

from __future__ import annotations

import shlex
from typing import Final
from uuid import uuid4

from wellworn.client import models as shapes
from wellworn.client.fields import Note, PromptText, Uuid
from wellworn.domain.audit import Action
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.thoughts import FeedbackSignal
from wellworn.errors import InvalidInput
from wellworn.interfaces.web.requests import (
    Field,
    PageRequest,
    PageTable,
    Screen,
    WayOn,
)

table = PageTable()

_RECENT: Final = 8
_PROMPT: Final = Field[str]("prompt", PromptText)
_SESSION: Final = Field[str]("session_id", Uuid)
_THOUGHT: Final = Field[str]("thought_id", Uuid)
_CONTEXT: Final = Field[str]("context", Note)
_KEY: Final = Field[str]("key", Uuid)
"""A key that stores a statement once, however often it is sent."""


@table.get("")
def show_now(request: PageRequest) -> Screen:
    """Return the page that everything begins with."""
    return Screen(
        "now.html",
        {**show_recent(request).values, "reply": None, "key": str(uuid4())},
        part="_recent.html",
        command="wellworn recent",
        call="GET /api/v1/thoughts",
    )


@table.get("/digest")
def show_digest(request: PageRequest) -> Screen:
    """Return what became of the memory, which takes longer than the page that it is a part of."""
    return Screen(
        "digest.html",
        {"digest": shapes.Digest.of(request.app.digest(request.access))},
        part="_digest.html",
        command="wellworn digest",
        call="GET /api/v1/digest",
    )


def show_recent(request: PageRequest) -> Screen:
    """Return what was said last, a part of the page that is kept up to date."""
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        newest = call.services.thoughts.selector.list_newest(call.access, limit=_RECENT)
        call.touch(thought.thought_id for thought in newest)
    return Screen("_recent.html", {"recent": list(map(shapes.ListedThought.of, newest))})


@table.post("/ask")
def converse(request: PageRequest) -> Screen:
    """Answer a question, or keep a statement."""
    is_kept = request.form.get("do") == "remember"
    words = _PROMPT.require(request.form)
    prompt = Prompt(
        words,
        request.agent_id,
        request.agent_name,
        context=_CONTEXT.read(request.form),
        session_id=_SESSION.read(request.form),
        explain=True,
        include_knowledge=True,
        contribute=Contribute.ALWAYS if is_kept else Contribute.NEVER,
        # A question asked twice is two; only a statement must not be stored twice.
        idempotency_key=_KEY.read(request.form) if is_kept else None,
    )
    reply = shapes.Reply.of(request.app.converse(request.access, prompt))
    verb = "remember" if is_kept else "recall"
    return Screen(
        "answer.html",
        {"reply": reply, "prompt": words, "is_kept": is_kept, "key": str(uuid4())},
        part="_answer.html",
        command=f"wellworn {verb} {shlex.quote(words)}",
        call="POST /api/v1/memory",
    )


@table.post("/feedback")
def judge(request: PageRequest) -> Screen | WayOn:
    """Note whether a thought helped the session that was shown it."""
    session_id, thought_id = _SESSION.require(request.form), _THOUGHT.require(request.form)
    try:
        signal = FeedbackSignal(request.form.get("signal", ""))
    except ValueError:
        raise InvalidInput("signal must be useful, irrelevant, outdated, wrong or none") from None
    request.app.judge(
        request.access,
        session_id=session_id,
        thought_id=thought_id,
        signal=signal,
        agent_id=request.agent_id,
    )
    if not request.is_partial:
        return WayOn(f"{request.base}/thoughts/{thought_id}")
    values = {"session_id": session_id, "thought_id": thought_id, "signal": signal.value}
    return Screen("answer.html", values, part="_feedback.html")
