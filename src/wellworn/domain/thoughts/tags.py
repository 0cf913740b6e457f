"""Tags: where they come from, and when two of them are the same.

`System Architecture`, `system-architecture` and `system_architecture` are one tag in three
spellings; `c`, `c++` and `c#` are three tags. Tags are stored as first spelled and compared by key.
A prompt names a tag by complete words: "art" is not in "start".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from wellworn.engines.retrieval.text import STOP_WORDS, is_same_name
from wellworn.engines.safety import find_suspicions
from wellworn.errors import InvalidInput
from wellworn.kit.folding import fold_forms
from wellworn.kit.text import is_keyphrase, is_storable, normalise_text

MOST_TAGS = 20
"""Tags a thought can carry."""
LONGEST_TAG = 100
"""Characters of a tag."""
_MOST_WORDS_TO_PICK = 40
"""In a longer prompt misspelt tags are not searched for."""

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
    """Return the key that all spellings of a tag share; empty for blanks and hyphens alone.

    Case, compatibility forms, what nobody sees, and the kind of blank, hyphen or underscore between
    words are folded.
    """
    plain = unicodedata.normalize("NFKC", fold_forms(text)).casefold()
    return _SEPARATORS.sub(" ", plain).strip()


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Return tags stripped, without empty ones and without second spellings.

    Raises:
        InvalidInput: more than 20 are left, one is over 100 characters, or one cannot be stored.
    """
    spellings: dict[str, str] = {}
    for tag in tags:
        if not is_storable(tag):
            raise InvalidInput("tags must not contain NUL or lone surrogate characters")
        text = normalise_text(tag)
        if len(text) > LONGEST_TAG:
            raise InvalidInput(f"each of tags must be at most {LONGEST_TAG} characters")
        if key := tag_key(text):
            spellings.setdefault(key, text)
    if len(spellings) > MOST_TAGS:
        raise InvalidInput(f"tags must be at most {MOST_TAGS}")
    return list(spellings.values())


@lru_cache(maxsize=4_096)
def may_be_said(tag: str) -> bool:
    """Tell whether a tag is no sentence, no stop word and no order.

    What is said to others in the server's own words, such as a counter-question, names only these.
    """
    words = tag_key(tag).split()
    is_telling = not STOP_WORDS.issuperset(words)
    return is_keyphrase(tag) and is_telling and not find_suspicions(" ".join(words))


def reject_sentences(tags: Iterable[str]) -> None:
    """Reject tags that are not words.

    Raises:
        InvalidInput: the message counts the first of them, whose words may be secret.
    """
    for number, tag in enumerate(tags, start=1):
        if tag.strip() and not is_keyphrase(tag):
            raise InvalidInput(
                f"tag {number} must be a word or up to five, without commas or stops"
            )


def find_hashtags(prompt: str) -> list[str]:
    """Return the prompt's #hashtags in order, without the sign; numbers such as #12 are none."""
    spellings: dict[str, str] = {}
    for match in _HASHTAG.finditer(prompt):
        tag = match[1].rstrip("-_")
        if len(tag) <= LONGEST_TAG:
            spellings.setdefault(tag_key(tag), tag)
    return list(spellings.values())


def words_key(tag: str) -> str:
    """Return the words that name a tag in a prompt, joined by blanks; empty for signs alone.

    Tags of different keys may share it: `ci/cd` and `ci cd`.
    """
    return " ".join(split_tag(tag))


def count_words(key: str) -> int:
    """Return the number of words of a words key."""
    return len(key.split())


def list_runs(words: Sequence[str], length: int) -> set[str]:
    """Return the words keys of all runs of `length` words."""
    return {" ".join(words[start : start + length]) for start in range(len(words) - length + 1)}


def find_known_tags(prompt: str, known: Iterable[str]) -> list[str]:
    """Return the known tags that the prompt names as complete words or phrases, in prompt order.

    Of two spellings of one tag the first known is returned.
    """
    spelling: dict[tuple[str, ...], str] = {}
    for tag in known:
        spelling.setdefault(split_tag(tag), tag)
    spelling.pop((), None)
    lengths = sorted({len(words) for words in spelling}, reverse=True)
    words = split_words(prompt)
    tags = (
        spelling.get(words[start : start + length])
        for start in range(len(words))
        for length in lengths
    )
    return list(dict.fromkeys(tag for tag in tags if tag is not None))


def collect_tags(prompt: str, chosen: Sequence[str] = (), known: Iterable[str] = ()) -> list[str]:
    """Return a new thought's tags: those given (cleaned), its hashtags, known tags it names.

    Only 20 tags are returned unless more are given. Known spellings replace those of the prompt.
    """
    in_prompt = find_known_tags(prompt, known)
    tags = {tag_key(tag): tag for tag in chosen}
    known_spellings = {tag_key(tag): tag for tag in in_prompt}
    for tag in [*find_hashtags(prompt), *in_prompt]:
        key = tag_key(tag)
        tags.setdefault(key, known_spellings.get(key, tag))
    return list(tags.values())[: max(MOST_TAGS, len(chosen))]


def pick_tag(prompt: str, offered: Iterable[str]) -> str | None:
    """Return the offered tag that the prompt names, or None when it names none or several.

    The longest tag wins: "system architecture" is not "architecture". A typing error in a long word
    is forgiven, a changed digit or sign never.
    """
    choices = list(offered)
    whole = tag_key(prompt)
    exact = [tag for tag in choices if tag_key(tag) == whole]
    if exact:
        return exact[0]
    named = [*find_known_tags(prompt, choices), *_find_misspelt_tags(prompt, choices)]
    length = max((len(split_tag(tag)) for tag in named), default=0)
    longest = [tag for tag in named if len(split_tag(tag)) == length]
    return longest[0] if len(longest) == 1 else None


def _find_misspelt_tags(prompt: str, offered: Iterable[str]) -> list[str]:
    """Return the tags that the prompt names only with a typing error."""
    words = split_words(prompt)
    if len(words) > _MOST_WORDS_TO_PICK:
        return []
    spelling: dict[str, str] = {}
    for tag in offered:
        spelling.setdefault(words_key(tag), tag)
    misspelt: list[str] = []
    for key, tag in spelling.items():
        # The exact name of an offered tag means no other.
        runs = list_runs(words, count_words(key))
        if key not in runs and any(is_same_name(run, key) for run in runs - spelling.keys()):
            misspelt.append(tag)
    return misspelt


@lru_cache(maxsize=65_536)
def split_tag(tag: str) -> tuple[str, ...]:
    """Return the folded words of a tag."""
    return split_words(tag)


def split_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text, as tags are compared with them."""
    return tuple(_WORD.findall(tag_key(text)))
