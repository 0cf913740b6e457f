"""Claims of configuration files: a setting by its path, of the thing that it configures.

What stands below a list of things (`services`, `hosts`) is about its name there; a manifest is
about the name in its metadata; all else is about what the document is about. A setting or a section
with a name of its own, such as `externalFederatorPort`, is looked up by that too, where no other of
the file is called so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wellworn.domain.knowledge.claims import (
    FactSpan,
    IdentifierIndex,
    TypedSpan,
    build_claims,
    classify_identifier,
    find_detail,
    find_typed_value,
    is_placeholder,
    name_value,
    names_ip,
)
from wellworn.domain.knowledge.configuration_files import Setting, list_settings
from wellworn.domain.knowledge.entities import (
    LONGEST_TERM,
    Subject,
    bare_title,
    file_stem,
    is_kinds,
    is_special,
    name_in,
    name_key,
    split_pieces,
    subject_of,
    term,
)
from wellworn.domain.knowledge.views import Reading
from wellworn.domain.knowledge.whole_fields import state_whole
from wellworn.kit.words import load_words

_FENCE: Final = re.compile(r"(?P<marks>`{3,})(?P<language>yaml|json|toml|ini)\n")
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-_./]+")
_COMPOUND: Final = re.compile(r"[a-z0-9][A-Z]|\w[_-]\w")
_OPEN: Final = ("${", "{{", "{%", "!")
#: Keys that only hold others.
_WRAPPERS: Final = frozenset(load_words(__name__, "wrapping_keys"))
#: Words in the names of files that configure nothing, such as examples.
_UNUSED: Final = frozenset(load_words(__name__, "unused_files"))
#: Fields that say how or when a page is made.
_PAGE_FIELDS: Final = frozenset(load_words(__name__, "page_fields"))
_CONFIDENCE: Final = 0.85


def extract_configuration(reading: Reading, evidence: IdentifierIndex) -> Iterator[FactSpan]:
    """Yield what a configuration file states; nothing for any other document."""
    settings = _list_settings(reading)
    about = subject_of(reading)
    unique = _find_unique_keys(settings)
    called = _find_called_sections(settings, reading.text)
    for setting in settings:
        yield from _to_claims(setting, about, unique, called, evidence)


def list_headed_settings(
    reading: Reading,
) -> Iterator[tuple[Sequence[str], tuple[int, int], tuple[int, int]]]:
    """Yield the names of each setting of a configuration file, its value's span, and its line's.

    A setting is called by its own key, if that stands in the file once, and by all that lead to it.
    """
    settings = _list_settings(reading)
    unique = _find_unique_keys(settings)
    for setting in settings:
        keys = [[key] for key in setting.path[-1:] if key in unique] + [[*setting.path]]
        names = [" ".join(word for key in path for word in _split(key)) for path in keys]
        if not reading.text.startswith(_OPEN, setting.start):
            line = _find_line(reading.text, setting)
            yield list(dict.fromkeys(names)), (setting.start, setting.end), line


def _list_settings(reading: Reading) -> Sequence[Setting]:
    """Return the settings of a configuration file; none of any other document, or an example."""
    opening = _FENCE.match(reading.text)
    if opening is None or reading.markdown.fences != [(0, len(reading.text.rstrip("\n")))]:
        return ()
    if not _UNUSED.isdisjoint(split_pieces(file_stem(reading.document.path))):
        return ()
    closing = reading.text.rstrip("\n").rfind("\n") + 1
    return list_settings(opening["language"], reading.text, opening.end(), closing)


def _find_line(text: str, setting: Setting) -> tuple[int, int]:
    """Return where the line of a setting stands, without the blanks before it."""
    line = text.rfind("\n", 0, setting.start) + 1
    end = text.find("\n", setting.end)
    bare = text[line : setting.end].lstrip()
    return setting.end - len(bare), end if end >= 0 else len(text)


def _find_called_sections(settings: Sequence[Setting], text: str) -> dict[tuple[str, ...], str]:
    """Return the names that sections give what they set up, by their keys: `name = "quill"`.

    Sections of one key, such as the items of `[[servers]]`, are not told apart, and give none.
    """
    places = Counter(setting.path for setting in settings)
    repeated = [path for path, count in places.items() if count > 1]
    called = {
        setting.path[:-1]: text[setting.start : setting.end]
        for setting in settings
        if len(setting.path) > 1 and setting.path[-1] == "name"
    }
    uses = Counter(map(name_key, called.values()))
    return {
        section: term(name)
        for section, name in called.items()
        if name_in(name) == term(name) != "" and uses[name_key(name)] == 1
        if not any(path[: len(section)] == section for path in repeated)
    }


def _find_unique_keys(settings: Iterable[Setting]) -> frozenset[str]:
    """Return the keys that stand in one place of a file alone."""
    places = {
        setting.path[:depth] for setting in settings for depth in range(1, len(setting.path) + 1)
    }
    uses = Counter(place[-1] for place in places)
    return frozenset(key for key, count in uses.items() if count == 1)


def extract_front_matter(reading: Reading) -> Iterator[FactSpan]:
    """Yield what the fields above a page say of its subject."""
    front = reading.markdown.front_matter
    about = bare_title(front.title if front else "") or subject_of(reading)
    if front is None or not about or not reading.text.startswith("---"):
        return
    end, evidence = reading.text.rfind("---", 0, reading.front), IdentifierIndex(reading.text)
    for setting in list_settings("yaml", reading.text, len("---"), end):
        name, *below = setting.path
        if below or name.casefold() in _PAGE_FIELDS:
            continue
        attribute = " ".join(_split(name))
        line = reading.text.rfind("\n", 0, setting.start) + 1
        if is_placeholder(reading.text[setting.start : setting.end]):
            continue
        for value in _find_values(setting, attribute, evidence, only_details=True):
            yield from build_claims(
                Subject(about),
                name_value(attribute, value, reading.text),
                value,
                snippet=(line, setting.end),
                confidence=_CONFIDENCE,
            )


def _to_claims(
    setting: Setting,
    about: str,
    unique: frozenset[str],
    called: Mapping[tuple[str, ...], str],
    evidence: IdentifierIndex,
) -> Iterator[FactSpan]:
    text = evidence.text
    written = text[setting.start : setting.end]
    if not written or written.startswith(_OPEN) or is_placeholder(written):
        return
    snippet = _find_line(text, setting)
    entity, path = _find_entity(setting.path, about)
    attribute = " ".join(word for key in path if key not in _WRAPPERS for word in _split(key))
    is_short = 0 < len(attribute) <= LONGEST_TERM
    names = [(entity, attribute)] if entity and is_short else []
    # What a thing of a list states is its own.
    names += _list_own_names(setting.path, about, unique) if entity == about else ()
    section, leaf = setting.path[:-1], setting.path[-1]
    if leaf != "name" and section in called and called[section] not in {entity, about}:
        names.append((called[section], " ".join(_split(leaf))))
    for value in _find_values(setting, attribute, evidence):
        for name, attribute_of_it in names:
            called_so = name_value(attribute_of_it, value, text)
            yield from build_claims(
                Subject(name), called_so, value, snippet=snippet, confidence=_CONFIDENCE
            )


def _list_own_names(
    path: tuple[str, ...], about: str, unique: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield the section that a setting stands in, and its own name, with what it is called there.

    Only those are yielded that are names, and that the file has once.
    """
    *_, holder, leaf = ("", *path)
    if holder in unique and holder not in _WRAPPERS and name_in(holder) not in {"", about}:
        yield term(holder), " ".join(_split(leaf))
    if leaf in unique and _COMPOUND.search(leaf) and term(leaf) != about:
        yield term(leaf), "value"


def _find_values(
    setting: Setting, attribute: str, evidence: IdentifierIndex, *, only_details: bool = False
) -> Sequence[TypedSpan]:
    if names_ip(attribute):
        identifiers = evidence.find_values(setting.start, setting.end)
        spans = (find_typed_value(each, attribute, evidence.text) for each in identifiers)
        values = [span for span in spans if span is not None]
        span = setting.start, setting.end
        return [whole for _, whole in state_whole(evidence.text, span, values)]
    if only_details:
        detail = find_detail(evidence.text, setting.start, setting.end)
        return [detail] if detail else []
    typed = [
        TypedSpan(kind, identifier.start, identifier.end)
        for identifier in evidence.find_values(setting.start, setting.end)
        if (identifier.start, identifier.end) == (setting.start, setting.end)
        and (kind := classify_identifier(identifier, attribute))
    ]
    detail = None if typed else find_detail(evidence.text, setting.start, setting.end)
    return typed or ([detail] if detail else [])


def _find_entity(path: tuple[str, ...], about: str) -> tuple[str, tuple[str, ...]]:
    """Return whom a setting is about, and the keys that say which one it is."""
    for at in range(len(path) - 2, 0, -1):
        if is_kinds(path[at - 1]) and _is_name(path[at]):
            return term(path[at]), path[at + 1 :]
    is_own = len(path) > 1 and name_key(path[0]) == name_key(about)
    return about, path[1:] if is_own else path


def _is_name(key: str) -> bool:
    name = term(key)
    return bool(name_in(key)) or is_special(name) or (len(name) > 1 and name.isalpha())


def _split(key: str) -> list[str]:
    return [word.casefold() for word in _WORDS.split(key) if word]
