r"""Makes text out of memory safe to show: no hidden characters, no control tokens.

What one agent stored is read by another agent's model or shown in a terminal. Every line break
becomes `\n`; invisible characters and those that control a terminal are removed; control tokens of
chat models get other brackets, so that they stay readable (`‹|im_start|›`). Words such as `System:`
at the start of a line are no tokens and stay.

Invisible characters stay where writing needs them, one at a time: a joiner (U+200C, U+200D) right
after a character of a script that shapes its letters (Arabic, the Indic scripts and their kin);
U+200D between two emoji; U+FE0E or U+FE0F right after an emoji, or inside a keycap; a Mongolian
variation selector right after a Mongolian letter. Tag characters always go, so the flags of
England, Scotland and Wales become black flags.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
from json import dumps

_BREAK = r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]"
_INVISIBLE = (
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    r"\ufe00-\ufe0d\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"  # tags, and variation selectors 17 to 256
    r"\ud800-\udfff"  # lone surrogates: no encoder takes them
)
_NEVER_SHOWN = rf"\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f{_INVISIBLE}"
"""The same, and the controls of C0 and C1."""
_SHAPED = (
    r"\u0620-\u065f\u066e-\u06d5\u06ee-\u06ff\u0710-\u08e1\u08e3-\u08ff\u0900-\u0dff\u0f00-\u109f"
    r"\u1780-\u17b3\u17b6-\u17d3\u1820-\u18aa\u1900-\u1aad\u1b00-\u1c7f\ua840-\ua877\ua8e0-\ua8ff"
    r"\ua980-\ua9df\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufd3d\ufe70-\ufefc"
    r"\U00010a00-\U00010aff\U00011000-\U00011fff"
)
_EMOJI = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    r"\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_HIDDEN = re.compile(
    rf"[{_NEVER_SHOWN}]"
    rf"|(?<![{_SHAPED}])\u200c"
    rf"|(?<![{_SHAPED}])\u200d(?!(?:(?<=[{_EMOJI}]\u200d)|(?<=[{_EMOJI}]\ufe0f\u200d))[{_EMOJI}])"
    rf"|(?<![{_EMOJI}])[\ufe0e\ufe0f](?!(?<=[0-9#*]\ufe0f)\u20e3)"
    r"|(?<![\u1820-\u18aa])[\u180b-\u180f]"
)
INVISIBLE_IN_WORDS = (
    rf"[{_INVISIBLE}\ufe0e\ufe0f]|(?<![{_SHAPED}])[\u200c\u200d]"
    r"|(?<![\u1820-\u18aa])[\u180b-\u180f]"
)
"""A pattern of the characters that a word reads the same without."""
_BREAKS = re.compile(_BREAK)
# U+FF5C and U+2581 are how one family of models writes the bar and the blank.
_BAR = r"[|\uff5c]"
_NAME = r"[\w\u2581./:+-]{1,64}"
_TOKEN = re.compile(
    rf"[<\uff1c]{_BAR}{_NAME}{_BAR}?[>\uff1e]|[<\uff1c]{_NAME}{_BAR}[>\uff1e]"
    r"|<</?(?i:SYS)>>|\[/?(?i:INST)\]"
    r"|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\]"
    r"|</?(?:s|bos|eos|start_of_turn|end_of_turn|think)>"
    r"|</?(?i:(?:tool|function)_(?:calls?|use|results?|responses?))>"
    r"|</?(?i:system(?:[ _-]?(?:prompt|message|reminder|instructions?))?)>"
    r"|</?(?i:assistant|developer|human)>"
    r"|</?antml:|</?invoke(?=>| name=)"
)
# What begins like one and goes on otherwise may still be read as one, whatever stands within it.
_OPENER = re.compile(
    r"</?_{0,2}(?i:system(?:[_-]?(?:prompt|message|reminder|instructions?))?|assistant|developer|human)"
    r"(?=[\s/>])"
)
_UNSEEN = re.compile(rf"[{_NEVER_SHOWN}\u2028\u2029\x85]")
_OTHER_BRACKETS = str.maketrans(
    {
        "<": "\u2039",
        "\uff1c": "\u2039",
        ">": "\u203a",
        "\uff1e": "\u203a",
        "[": "\u27e6",
        "]": "\u27e7",
    }
)
# Most text holds none of these, and one look at it is all it costs.
_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_CONTROL = re.compile(
    rf"[{_NEVER_SHOWN}\x0b-\x0d\x1c-\x1e\x85\u2028\u2029\u180b-\u180f\u200c\u200d\ufe0e\ufe0f]"
)
_ASCII_CANDIDATE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f<\[]")
_CANDIDATE = re.compile(
    rf"[{_NEVER_SHOWN}\x0b-\x0d\x1c-\x1e\x85\u2028\u2029"
    r"\u180b-\u180f\u200c\u200d\ufe0e\ufe0f<\[\uff1c]"
)


def neutralise(text: str) -> str:
    """Return the text as an agent or a terminal may see it; idempotent."""
    candidate = _ASCII_CANDIDATE if text.isascii() else _CANDIDATE
    if candidate.search(text) is None:
        return text
    shown = _TOKEN.sub(_break, remove_hidden(text))
    return _OPENER.sub(_break, shown)


def _break(token: re.Match[str]) -> str:
    return token[0].translate(_OTHER_BRACKETS)


def neutralise_file(name: str, text: str) -> str:
    """Return a file's text as an agent or a terminal may see it; JSON stays JSON."""
    is_json = name.endswith((".json", ".jsonl"))
    return neutralise(escape_hidden(text) if is_json else text)


def escape_hidden(json: str) -> str:
    r"""Return JSON that says the same and has `\uXXXX` for every character that is not shown."""
    return _UNSEEN.sub(lambda hidden: dumps(hidden[0])[1:-1], json)


def remove_hidden(text: str) -> str:
    r"""Return the visible text, with `\n` for every line break."""
    return text if _shows_all(text) else _HIDDEN.sub("", _BREAKS.sub("\n", text))


def find_hidden(text: str) -> tuple[str, ...]:
    """Return the characters that `neutralise` would remove, in order."""
    return () if _shows_all(text) else tuple(_HIDDEN.findall(_BREAKS.sub("\n", text)))


def _shows_all(text: str) -> bool:
    """Tell whether a text has nothing that may be hidden, as most have."""
    return (_ASCII_CONTROL if text.isascii() else _CONTROL).search(text) is None


def has_control_token(text: str) -> bool:
    """Tell whether the text holds what a chat model may take for a control token."""
    return _TOKEN.search(text) is not None
