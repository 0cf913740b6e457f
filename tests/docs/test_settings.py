"""docs/reference/settings.md against the settings, and against every variable that is read."""

from __future__ import annotations

import re

import pytest
from pydantic import BaseModel, ValidationError

from docs.pages import PROJECT, rows, text_of
from wellworn.settings import Settings

PAGE = "docs/reference/settings.md"
OUTSIDE = {"WELLWORN_HOME", "WELLWORN_URL", "WELLWORN_AGENT", "WELLWORN_AGENT_NAME"}
FOR_BENCHMARKS = {"WELLWORN_BENCH_DATA"}


def _declared() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, section in Settings.model_fields.items():
        assert issubclass(section.annotation, BaseModel)
        for knob, field in section.annotation.model_fields.items():
            default = "" if field.default is None else f"`{field.default}`"
            variable = f"WELLWORN_{name}__{knob}".upper()
            found[variable] = (default, field.description)
    return found


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
    }
    assert read == OUTSIDE | FOR_BENCHMARKS
    assert {name for name in _told() if "__" not in name} == read


@pytest.mark.parametrize("variable", sorted(_declared()))
def test_a_setting_is_read_from_the_variable_that_is_told(variable, monkeypatch):
    monkeypatch.setenv(variable, "not a number, a method or a folder \0".rstrip("\0"))
    try:
        settings = Settings()
    except ValidationError as error:
        place = "__".join(str(part) for part in error.errors()[0]["loc"])
        assert f"WELLWORN_{place}".upper() == variable
    else:
        section, knob = variable.removeprefix("WELLWORN_").lower().split("__")
        assert str(getattr(getattr(settings, section), knob)).startswith("not a number")


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
