"""Tags: where they come from, and when two of them are the same.

`System Architecture`, `system-architecture` and `system_architecture` are one tag written three
ways, `c`, `c++` and `c#` are three tags. Tags are kept as they were first written and compared by
their key. A tag is found in a prompt as whole words, never inside one: "art" is not in "start".

Source: thought tracing v0.2.0, section 3.8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from wellworn.engines.retrieval.text import is_same_name
from wellworn.errors import InvalidInput
from wellworn.kit.text import folded, is_storable

MOST_TAGS = 20
"""Tags a thought can carry."""
LONGEST_TAG = 100
"""Characters of a tag."""
_MOST_WORDS_TO_PICK = 40
"""A longer prompt says something of its own; no tag misspelt is looked for in it."""

_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015]+")
# Everything but ASCII, Latin-1, general, CJK and full-width punctuation. A class of letters would
# cut words of scripts that write vowels as combining marks; emoji count as words this way, too.
_LETTER = r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\uff00-\uff0f]"
# Chinese and Japanese put no blanks between words, so there every character is one of its own.
_UNSPACED = r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
# A stop belongs to the word in `.net` and `node.js`, signs in `c++` and `c#`, but not in `a+b`.
_WORD = re.compile(
    rf"{_UNSPACED}"
    rf"|(?<![.\w])\.{_LETTER}+(?:\.{_LETTER}+)*"
    rf"|(?:(?!{_UNSPACED}){_LETTER})+(?:\.{_LETTER}+)*(?:[+#]+(?![+#]|{_LETTER}))?"
)
_HASHTAG = re.compile(
    r"(?<![^\s(\[,;])#"
    rf"(?=[\d_-]*(?!\d){_LETTER})"
    rf"((?:{_LETTER}|_)(?:{_LETTER}|[_-])*(?:\.(?:{_LETTER}|[_-])+)*(?:[+#]+(?![+#]|{_LETTER}))?)"
)


def tag_key(text: str) -> str:
    """Return what two spellings of one tag have in common; empty for blanks and hyphens alone.

    Case, compatibility forms, and the kind of blank, hyphen or underscore between words are folded.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _SEPARATORS.sub(" ", plain).strip()


def cleaned(tags: Iterable[str]) -> list[str]:
    """Return a caller's tags without blanks around them, empty ones, and second spellings.

    Raises:
        InvalidInput: more than 20 are left, one is over 100 characters, or one cannot be stored.
    """
    kept: dict[str, str] = {}
    for tag in tags:
        if not is_storable(tag):
            raise InvalidInput("tags must not contain NUL or lone surrogate characters")
        text = folded(tag)
        if len(text) > LONGEST_TAG:
            raise InvalidInput(f"each of tags must be at most {LONGEST_TAG} characters")
        if key := tag_key(text):
            kept.setdefault(key, text)
    if len(kept) > MOST_TAGS:
        raise InvalidInput(f"tags must be at most {MOST_TAGS}")
    return list(kept.values())


def hashtags(prompt: str) -> list[str]:
    """Return the prompt's #hashtags in order, without the sign; numbers such as #12 are none."""
    kept: dict[str, str] = {}
    for match in _HASHTAG.finditer(prompt):
        tag = match[1].rstrip("-_")
        if len(tag) <= LONGEST_TAG:
            kept.setdefault(tag_key(tag), tag)
    return list(kept.values())


def words_key(tag: str) -> str:
    """Return the words by which a tag is found in a prompt, joined by blanks; no word holds one.

    Tags of different keys may share it: `ci/cd` and `ci cd`. Empty for signs alone.
    """
    return " ".join(_words(tag))


def word_count(key: str) -> int:
    """Return of how many words a words key consists."""
    return len(key.split())


def runs(said: Sequence[str], length: int) -> set[str]:
    """Return the words keys of all runs of so many words."""
    return {" ".join(said[start : start + length]) for start in range(len(said) - length + 1)}


def known_tags_in(prompt: str, known: Iterable[str]) -> list[str]:
    """Return the known tags that the prompt names as whole words or phrases, in their order there.

    Runs of the prompt's words are looked up, so the time grows with the number of known tags only
    by the building of a table. Of two spellings of one tag the first known is returned.
    """
    spelling: dict[tuple[str, ...], str] = {}
    for tag in known:
        spelling.setdefault(_words(tag), tag)
    spelling.pop((), None)
    lengths = sorted({len(words) for words in spelling}, reverse=True)
    said = words_of(prompt)
    found = (
        spelling.get(said[start : start + length])
        for start in range(len(said))
        for length in lengths
    )
    return list(dict.fromkeys(tag for tag in found if tag is not None))


def tags_for(prompt: str, given: Sequence[str] = (), known: Iterable[str] = ()) -> list[str]:
    """Return a new thought's tags: the given (cleaned), its hashtags, the known ones it names.

    Past 20 the found ones are left out. A found tag takes the spelling that is known already.
    """
    in_prompt = known_tags_in(prompt, known)
    kept = {tag_key(tag): tag for tag in given}
    usual = {tag_key(tag): tag for tag in in_prompt}
    for tag in [*hashtags(prompt), *in_prompt]:
        key = tag_key(tag)
        kept.setdefault(key, usual.get(key, tag))
    return list(kept.values())[: max(MOST_TAGS, len(given))]


def tag_named(prompt: str, offered: Iterable[str]) -> str | None:
    """Return the offered tag that the prompt names, or None when it names none or is undecided.

    The one with the most words wins: "system architecture" is not "architecture". Two different
    ones of the same length leave it undecided. A typing error in a long word is forgiven, a digit
    or a sign changed never.
    """
    choices = list(offered)
    whole = tag_key(prompt)
    exact = [tag for tag in choices if tag_key(tag) == whole]
    if exact:
        return exact[0]
    found = [*known_tags_in(prompt, choices), *_misspelt_tags_in(prompt, choices)]
    longest = max((len(_words(tag)) for tag in found), default=0)
    named = [tag for tag in found if len(_words(tag)) == longest]
    return named[0] if len(named) == 1 else None


def _misspelt_tags_in(prompt: str, offered: Iterable[str]) -> list[str]:
    """Return the tags that the prompt names with a typing error, and nowhere without one."""
    said = words_of(prompt)
    if len(said) > _MOST_WORDS_TO_PICK:
        return []
    spelling: dict[str, str] = {}
    for tag in offered:
        spelling.setdefault(words_key(tag), tag)
    misspelt: list[str] = []
    for key, tag in spelling.items():
        # What is the name of an offered tag means that one and no other.
        named = runs(said, word_count(key))
        if key not in named and any(is_same_name(run, key) for run in named - spelling.keys()):
            misspelt.append(tag)
    return misspelt


@lru_cache(maxsize=65_536)
def _words(tag: str) -> tuple[str, ...]:
    return words_of(tag)


def words_of(text: str) -> tuple[str, ...]:
    """Return the folded words of a text, as tags are compared with them."""
    return tuple(_WORD.findall(tag_key(text)))
