"""docs/reference/settings.md against the settings, and against every variable that is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from typing import get_origin

import pytest
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from docs.pages import PROJECT, rows, text_of
from wellworn.application.settings import Settings

PAGE = "docs/reference/settings.md"
OUTSIDE = {
    *("WELLWORN_HOME", "WELLWORN_URL", "WELLWORN_AGENT", "WELLWORN_AGENT_NAME"),
    *("WELLWORN_KEY", "WELLWORN_SPACE", "WELLWORN_SERVER_KEY", "WELLWORN_TOOLS"),
    *("WELLWORN_HOOK_WAIT_S", "WELLWORN_INHERITED", "WELLWORN_MOVE_TO"),
}
FOR_BENCHMARKS = {"WELLWORN_BENCH_DATA"}


def _knobs(section: type[BaseModel], *path: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _knobs(field.annotation, *path, name)
        else:
            yield f"WELLWORN_{'__'.join([*path, name])}".upper(), field


def _is_list(variable: str) -> bool:
    return get_origin(dict(_knobs(Settings))[variable].annotation) is tuple


def _declared() -> dict[str, tuple[str, str]]:
    return {
        variable: ("" if field.default is None else f"`{field.default}`", field.description)
        for variable, field in _knobs(Settings)
    }


def _told() -> dict[str, tuple[str, str]]:
    return {cells[0].strip("`"): (cells[1], cells[2]) for cells in rows(text_of(PAGE))}


def test_every_setting_is_told_with_its_default_and_meaning():
    told = {name: words for name, words in _told().items() if "__" in name}
    assert told == _declared()


def test_every_variable_that_is_read_is_told_and_no_other():
    read = {
        variable
        for folder in ("src", "benchmarks", "scripts")
        for file in (PROJECT / folder).rglob("*.py")
        for variable in re.findall(r'"(WELLWORN_[A-Z_]*[A-Z])"', file.read_text(encoding="utf-8"))
        if "__" not in variable  # the name of a setting, to be told to users
    }
    assert read == OUTSIDE | FOR_BENCHMARKS
    assert {name for name in _told() if "__" not in name} == read


@pytest.mark.parametrize("variable", sorted(_declared()))
def test_a_setting_is_read_from_the_variable_that_is_told(variable, monkeypatch):
    words = "not a number, a method or a folder"
    monkeypatch.setenv(variable, f'["{words}"]' if _is_list(variable) else words)
    try:
        settings = Settings()
    except ValidationError as error:
        parts = [part for part in error.errors()[0]["loc"] if isinstance(part, str)]
        place = "__".join(parts)
        # What one knob asks of another is told of the section.
        assert variable.startswith(f"WELLWORN_{place}".upper())
    else:
        path = variable.removeprefix("WELLWORN_").lower().split("__")
        value = reduce(getattr, path, settings)
        read = value.get_secret_value() if isinstance(value, SecretStr) else value
        assert words in str(read)


@pytest.mark.parametrize(
    ("knob", "low", "high"), [("candidates", 50, 1000), ("usefulness_weight", 0, 0.4)]
)
def test_the_ranges_that_are_told_are_those_that_are_kept(knob, low, high, monkeypatch):
    sentence = re.search(rf"`{knob.upper()}` is ([\d.]+) to ([\d,.]*\d)", text_of(PAGE))
    assert [float(number.replace(",", "")) for number in sentence.groups()] == [low, high]
    for number, is_taken in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
        monkeypatch.setenv(f"WELLWORN_THOUGHTS__{knob.upper()}", str(number))
        if is_taken:
            assert getattr(Settings().thoughts, knob) == number
        else:
            with pytest.raises(ValidationError):
                Settings()
