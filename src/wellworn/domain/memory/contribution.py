"""The contribution rule: which prompts are stored as thoughts, and which only ask.

Three checks, no classifier: the caller can predict the outcome, and it costs nothing. Lengths count
Unicode code points. The specification's example implementation counts UTF-16 units, where most
emoji count twice; code points are what a caller means by characters.

Source: thought tracing v0.2.0, section 3.5.
"""

from __future__ import annotations

LONGEST_REMARK = 50
"""Characters; a prompt of this length or less is never stored."""

_FOLLOW_UPS = (
    "based on",
    "you said",
    "you told me",
    "regarding your",
    "about your response",
)


def is_contribution(prompt: str) -> bool:
    """Tell whether the prompt is stored as a thought besides being answered."""
    text = prompt.strip()
    return len(text) > LONGEST_REMARK and not is_question(text) and not is_follow_up(text)


def is_question(prompt: str) -> bool:
    r"""Tell whether the prompt only asks: it ends in `?` and no `.` or `!` stands before.

    This is the specification's `^[^.!]*\?$`, in one pass. A line break is a character like any
    other to it, so several lines of nothing but questions are still a question. Any stop counts,
    even the one in `v2.0`.
    """
    text = prompt.strip()
    return text.endswith("?") and "." not in text and "!" not in text


def is_follow_up(prompt: str) -> bool:
    """Tell whether the prompt refers back to an earlier answer, by how it starts, in any case.

    Starts are compared letter by letter as specified, so `Based online` counts as `based on`.
    """
    return prompt.strip().casefold().startswith(_FOLLOW_UPS)
