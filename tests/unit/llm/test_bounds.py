"""Which types a model may be asked for: those of which every answer ends."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model

from wellworn.engines.llm import check_bounded


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(BaseModel):
    name: str = Field(max_length=9)
    colour: Colour
    is_old: bool
    kind: Literal["oak", "ash"]
    age: int = Field(ge=0, le=900)
    remark: Annotated[str, Field(max_length=20)] | None


class Tree(BaseModel):
    root: Leaf
    leaves: list[Leaf] = Field(max_length=5)


class Nested(BaseModel):
    inner: list[Nested] = Field(max_length=2)


def test_a_type_with_bounds_everywhere_may_be_asked_for():
    check_bounded(Tree)


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        str | None,
        int,
        Annotated[int, Field(ge=0)],
        Annotated[int, Field(le=9)],
        float,
        Annotated[float, Field(ge=0, le=1)],
        list[Colour],
        Annotated[list[str], Field(max_length=3)],
        dict[str, bool],
        Any,
    ],
)
def test_a_field_without_bounds_is_named(annotation):
    with pytest.raises(ValueError, match=r"^Answer\.field"):
        check_bounded(create_model("Answer", field=(annotation, ...)))


def test_a_type_within_itself_has_no_bounds():
    with pytest.raises(ValueError, match=r"^Nested\.inner"):
        check_bounded(Nested)


def test_a_type_that_takes_any_further_field_has_no_bounds():
    open_one = create_model("Open", __config__=ConfigDict(extra="allow"), known=(bool, ...))
    with pytest.raises(ValueError, match=r"^Open\.\* "):
        check_bounded(open_one)


def test_an_unbounded_field_is_found_inside_others():
    loose = create_model("Loose", said=(str, ...))
    with pytest.raises(ValueError, match=r"^Outer\.many\[\]\.said "):
        check_bounded(
            create_model("Outer", many=(Annotated[list[loose], Field(max_length=2)], ...))
        )
