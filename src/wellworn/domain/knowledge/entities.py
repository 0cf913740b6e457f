"""Names the subject of a part of a document, read off its headings and its place.

A heading with a name in it is about what is so called; one of plain words ("Analytics API") is an
aspect of what stands above it; a document whose title says nothing is about what its folder is
called. A sentence is no name. Where no rule says it, nothing does: a fact without a subject is
dropped rather than given one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from wellworn.domain.knowledge.commonness import is_common, is_trade, stem
from wellworn.domain.knowledge.views import Part, Reading
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.folding import fold_forms
from wellworn.kit.words import load_phrases, load_words

LONGEST_TERM: Final = 60
"""Characters of a term; what is longer is a sentence."""
LONGEST_SUMMARY: Final = 160
"""Characters of what is said of a term."""
MOST_WORDS: Final = 4
"""Words of a name."""
_MOST_KEPT: Final = 65_536
_PIECES: Final = re.compile(r"[^\W_]+")
_MOST_ASPECT_WORDS: Final = 4
_LONGEST_ASPECT: Final = 40

_WORD: Final = re.compile(r"[^\W_](?:[\w.+#'\u2019&/:@-]*[\w+#])?")
_ASIDE: Final = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_SUBTITLE: Final = re.compile(r"\s[-\u2013\u2014|]\s|:\s")
_NUMBER: Final = re.compile(
    r"^(?:(?:step|option|phase) )?[0-9]+(?:\.[0-9]+)*[.):]\s+", re.IGNORECASE
)
_NO_NAME: Final = re.compile(r"[?!,;=<>{}]|\.\s")
_SLASH: Final = re.compile(r"[/\\]")
_JOINTS: Final = re.compile(r"[-_]+")
_PARTS: Final = re.compile(r"[-/&.]")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_GAPS: Final = re.compile(r"[\s_\u2010-\u2013-]+")
_VERSION: Final = re.compile(r"v?[0-9][0-9.]*(?:[a-z]{1,4}[0-9]*)?")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,200})\](?:\([^()\n]{0,400}\)|\[[^\[\]\n]{0,200}\])")
_TAG: Final = re.compile(
    rf"</?(?:{load_phrases(__name__, 'html_tags')})\b[^<>]{{0,400}}>", re.IGNORECASE
)
#: Marks that site builders add: `{ .md-button }` after a link, `:material-home:` for a picture.
_ATTRIBUTES: Final = re.compile(r"\{:?[ \t]{0,3}[.#][^{}\n]{0,100}\}")
_SHORTCODE: Final = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]{2,60}:(?![\w:])")
_MARKUP: Final = re.compile(r"[*`\u2714\u2705\u26a0\ufe0f]+|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_MARKED: Final = re.compile(r"[<{:&*`_\[\u2714\u2705\u26a0]")
_CODE: Final = re.compile(r"[_()\[\]={}<>$@\\]|::|\w\.\w+\.\w|^[a-z]+\.[a-z_]+$|^[./~-]")
#: Words for writings on something: "Hdrpop runbook" is about hdrpop, "Hdrpop cache" is not.
_WRITINGS: Final = frozenset(load_words(__name__, "writings"))
#: Titles that say nothing of what a document is about.
_EMPTY: Final = _WRITINGS | frozenset(load_words(__name__, "empty_titles"))
#: "Server cube" is cube, and "Runbook cube" tells of it.
_BEFORE_NAMES: Final = _WRITINGS | frozenset(load_words(__name__, "named_things"))
_OPENING: Final = frozenset({"the", "our", "about"})
#: Words that mean something else in a title than a name.
_OF_PHRASES: Final = _BEFORE_NAMES | _OPENING | STOP_WORDS
#: Words of headings that only divide a document.
_DIVIDING: Final = _EMPTY | frozenset(load_words(__name__, "dividing_words"))
#: Folders that are shelves, not subjects.
_SHELVES: Final = frozenset(load_words(__name__, "plain_folders"))
#: Words for a list whose items are each a thing of its own.
_KINDS: Final = frozenset(load_words(__name__, "kinds"))


#: Words that tell the reader to do something; what begins with one is no name.
_DOING: Final = frozenset(load_words(__name__, "doing"))


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a part.

    Attributes:
        entity: the term; empty when no rule says.
        aspect: one side of it, folded, such as `analytics api`; empty for all of it.
        lists: whether the items of its lists are each a thing of its own.
    """

    entity: str
    aspect: str = ""
    lists: bool = False


def term(text: str) -> str:
    """Return a term as it is compared: folded, on one line, without quotes around it."""
    # One line is asked about by many rules.
    return _fold_short_term(text) if len(text) <= LONGEST_TERM else _fold_term(text)


def _fold_term(text: str) -> str:
    folded = unicodedata.normalize("NFKC", fold_forms(text)).casefold()
    return " ".join(folded.split()).strip(" \"'`*_:.,;\u201c\u201d\u2018\u2019")


_fold_short_term = lru_cache(maxsize=_MOST_KEPT)(_fold_term)


def split_pieces(text: str) -> list[str]:
    """Return the letters and digits of a text, folded, as anything else parts them."""
    return _PIECES.findall(term(text))


def key(text: str) -> str:
    """Return what is equal for forms of one term: its words' stems, `agents` as `agent`."""
    return " ".join(stem(word) for word in term(text).split())


@lru_cache(maxsize=_MOST_KEPT)
def name_key(text: str) -> str:
    """Return what is equal for spellings of one name, and for nothing else.

    Case, accents, blanks, hyphens and underscores fold: `Home Assistant`, `home-assistant` and
    `HomeAssistant` are one name. Between two digits a gap stays: `node-1 1` is not `node-11`.
    """
    decomposed = unicodedata.normalize("NFKD", fold_forms(text))
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    name = term(folded)
    while (bare := term(name.strip("-_"))) not in {name, ""}:
        name = bare
    pieces = _GAPS.split(name.strip("-_"))
    joined = pieces[0]
    for piece in pieces[1:]:
        is_number = joined[-1:].isdigit() and piece[:1].isdigit()
        joined += f"-{piece}" if is_number else piece
    return joined or term(text)


def words(text: str) -> list[str]:
    """Return the words of a text as written, compounds unsplit."""
    return _WORD.findall(text)


@lru_cache(maxsize=_MOST_KEPT)
def is_special(word: str) -> bool:
    """Tell whether a word can name something by itself: no plain word, no number."""
    folded = word.casefold()
    plain = folded.removesuffix("'s").removesuffix("\u2019s")
    if not any(map(str.isalpha, plain)) or _VERSION.fullmatch(plain) or len(plain) == 1:
        return False
    if any(map(str.isdigit, plain)):
        return True
    return not all(is_common(piece) for piece in _PARTS.split(plain) if piece)


@lru_cache(maxsize=_MOST_KEPT)
def name_in(title: str) -> str:
    """Return the name in a title, without words of how it is written of; empty for none.

    "HDRPop Operations" is about hdrpop, "HDRPop cache" about a thing of its own; "How to deploy
    cube" is a sentence, and about nothing.
    """
    if title.isalnum() and title.casefold() not in _OF_PHRASES:
        return term(title) if is_special(title) else ""
    return _find_name(title)


def _find_name(title: str) -> str:
    bare = _bare(title)
    title_words = words(bare)
    if title_words and title_words[0].casefold() in _OPENING:
        title_words = title_words[1:]
    while title_words and title_words[0].casefold() in _BEFORE_NAMES:
        title_words = title_words[1:]
    if is_instruction(bare):
        return ""
    if numbered := _find_numbered(title):
        # Beside its number a compound of plain words is a name, too: `VM 106 - gpu-box`.
        is_compound = "-" in numbered and numbered.replace("-", "").isalnum()
        return name_in(numbered) or (term(numbered) if is_compound else "")
    whole = title_words
    while title_words and title_words[-1].casefold() in _WRITINGS:
        title_words = title_words[:-1]
    if title_words and not (is_special(title_words[-1]) or is_trade(title_words[-1].casefold())):
        # Half of a phrase is no name: `Prometheus Bad Config` is not about `prometheus bad`.
        title_words = whole
    if not title_words or len(title_words) > MOST_WORDS or _NO_NAME.search(bare):
        return ""
    is_sentence = bool(STOP_WORDS & {word.casefold() for word in title_words})
    return (
        "" if is_sentence or not any(map(is_special, title_words)) else term(" ".join(title_words))
    )


def _find_numbered(title: str) -> str:
    """Return what a title says after a kind and a number: `ubuntu-dev` of `VM 105 - ubuntu-dev`."""
    first, *rest = _SUBTITLE.split(_NUMBER.sub("", plain(title)), maxsplit=1)
    *kinds, number = first.split() or [""]
    is_number = number.isdigit() and all(
        word.casefold() in _BEFORE_NAMES or is_trade(word.casefold()) for word in kinds
    )
    return rest[0] if rest and is_number else ""


def is_instruction(title: str) -> bool:
    """Tell whether a title begins as an order does."""
    first, _, rest = term(title).partition(" ")
    return bool(rest) and first in _DOING


def plain(text: str) -> str:
    """Return a piece of Markdown as a reader sees it: links by their words, no marks."""
    if _MARKED.search(text) is None:
        return " ".join(text.split())
    bare = _SHORTCODE.sub("", _ATTRIBUTES.sub("", _TAG.sub(" ", text)))
    visible = _MARKUP.sub("", _LINK.sub(r"\1", bare)).replace("&lt;", "<").replace("&gt;", ">")
    return " ".join(visible.split())


def can_be_name(name: str, most_words: int = MOST_WORDS) -> bool:
    """Tell whether something folded may be a name: short, no sentence, no code."""
    name_words = name.split()
    is_short = 0 < len(name_words) <= most_words and len(name) <= LONGEST_TERM
    is_wordy = any(map(str.isalpha, name)) and STOP_WORDS.isdisjoint(name_words)
    return is_short and is_wordy and not is_code(name)


def is_code(name: str) -> bool:
    """Tell whether a name is of a program's parts: `run_id`, `ctx.report`, `Agent(...)`."""
    return _CODE.search(name) is not None


def subjects(reading: Reading) -> list[Subject]:
    """Return what each part of a document is about."""
    document = subject_of(reading)
    made: list[Subject] = []
    steps: set[int | None] = set()
    for number, part in enumerate(reading.parts):
        # Below what is to be done anybody's values stand, as far as nothing there has a name.
        if not name_in(part.title) and (is_instruction(_bare(part.title)) or part.parent in steps):
            steps.add(number)
        made.append(Subject("") if number in steps else _subject(part, made, document))
    return made


def subject_of(reading: Reading) -> str:
    """Return the term that a document is about: by its title, else its folder or file name."""
    title = reading.title
    named = name_in(title)
    if named or (title and _is_plain_name(title)):
        return named or term(_bare(title))
    file = file_name(reading.document.path)
    by_file = name_in(file)
    is_told = says_nothing(title) or file in term(title)
    if by_file and "://" not in reading.document.path and is_told:
        return by_file
    folders = [piece for piece in _SLASH.split(reading.document.path) if piece][:-1]
    quoter = folders[-1].casefold() if folders else ""
    return "" if quoter in _SHELVES or not name_in(quoter) else term(quoter)


def says_nothing(title: str) -> bool:
    """Tell whether a title leaves it to the file and its folder what a document is about."""
    return not title or bare_title(title).replace(" ", "-") in _EMPTY


def bare_title(title: str) -> str:
    """Return a title as a term, without asides and what follows a dash or a colon."""
    return term(_bare(title))


def file_stem(path: str) -> str:
    """Return what a file is called without its folders and ending, as written."""
    return path.rpartition("/")[2].rpartition(".")[0]


def file_name(path: str) -> str:
    """Return what a file is called without its folders and ending, folded, hyphens as blanks."""
    name = _SLASH.split(path)[-1]
    return " ".join(_JOINTS.sub(" ", name.rpartition(".")[0] or name).casefold().split())


def _subject(part: Part, above: Sequence[Subject], document: str) -> Subject:
    if not part.level or (not part.anchor and part.level == 1):
        return Subject(document, lists=is_kinds(part.title))
    parent = above[part.parent] if part.parent is not None else Subject(document)
    lists = is_kinds(part.title) or (parent.lists and not parent.entity)
    named = name_in(part.title)
    aspect = term(_bare(part.title))
    if not named and parent.lists and _is_short(part.title) and not _divides(aspect):
        named = aspect
    if named:
        return Subject(named, lists=lists)
    if not parent.entity:
        return Subject("", lists=lists)
    if len(words(aspect)) > _MOST_ASPECT_WORDS or _divides(aspect):
        return Subject(parent.entity, parent.aspect, lists)
    joined = f"{parent.aspect} {aspect}".strip()
    side = joined if len(joined) <= _LONGEST_ASPECT else aspect
    return Subject(parent.entity, side, lists)


def _divides(title: str) -> bool:
    """Tell whether a heading only divides a document, and names no side of what it is about."""
    return title.replace(" ", "-") in _EMPTY or _DIVIDING.issuperset(title.split())


def ends_plainly(name: str) -> bool:
    """Tell whether a name begins or ends with a word that says of which kind something is."""
    ends = name.split()[:1] + name.split()[-1:]
    return any(is_trade(word) and not is_special(word) for word in ends)


def _bare(title: str) -> str:
    unnumbered = _NUMBER.sub("", plain(title))
    return _SUBTITLE.split(_ASIDE.sub(" ", unnumbered), maxsplit=1)[0].strip()


def _is_plain_name(title: str) -> bool:
    title_term = term(_bare(title))
    if not _is_short(title) or title_term.replace(" ", "-") in _EMPTY or is_kinds(title):
        return False
    return title_term.split()[-1] not in _EMPTY and not STOP_WORDS & set(title_term.split())


def _is_short(title: str) -> bool:
    bare = _bare(title)
    return 0 < len(words(bare)) <= MOST_WORDS and not _NO_NAME.search(bare)


def is_kinds(title: str) -> bool:
    """Tell whether a title says that a list is of things: `services`, `virtual machines`."""
    title_words = [word.casefold() for word in words(_bare(title))]
    return bool(title_words) and len(title_words) <= MOST_WORDS and title_words[-1] in _KINDS
