"""Settings of turns."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TurnSettings(BaseModel):
    """Limits of what a turn may read, call and remember."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gathered_tokens: int = Field(
        default=8_000, ge=500, description="Most tokens of documents that a turn gathers."
    )
    document_tokens: int = Field(
        default=2_000, ge=100, description="Most tokens of one document among them."
    )
    most_iterations: int = Field(
        default=10, ge=1, description="Most rounds of tool calls in one attempt."
    )
    most_tool_calls: int = Field(default=20, ge=1, description="Most tool calls in one attempt.")
    tool_timeout_s: float = Field(default=30.0, gt=0, description="Most seconds of a tool call.")
    fresh_hours: float = Field(
        default=6.0,
        gt=0,
        description="Hours after which what was read on the web may have changed.",
    )
    stale_hours: float = Field(
        default=168.0,
        ge=0,
        description=(
            "Hours after that in which prices and stock of research are shown as out of date;"
            " later they are not shown."
        ),
    )
    screenshots: bool = Field(
        default=False,
        description=(
            "Whether visits to web pages keep a picture, drawn by a Chromium on the server's"
            " `PATH`; the pages of sealed spaces are drawn in memory."
        ),
    )
    search_url: str | None = Field(
        default=None,
        pattern=r"^https?://.*\{query\}",
        description=(
            "Search engine for research, as an address with `{query}` that answers with JSON as"
            " SearXNG does; without one, only addresses that a question names are visited."
        ),
    )
    search_pages: int = Field(
        default=3, ge=1, le=10, description="Most pages that one search for research reads."
    )
    archive_after_days: int | None = Field(
        default=None,
        ge=1,
        description=(
            "Days after which the ended turns of open spaces are archived by themselves; without"
            " it, nothing is."
        ),
    )
    contribute: bool = Field(
        default=False,
        description=(
            "Whether what a turn answered is stored as a thought, with its `context.md` as source."
        ),
    )
