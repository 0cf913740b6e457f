"""Rows become values by the names of their columns."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sqlalchemy import create_engine, text

from wellworn.engines.storage.sql import build_value


@dataclass(frozen=True)
class Lamp:
    id: int
    kind: str
    row: str = "none"


@pytest.fixture
def row():
    with create_engine("sqlite://").connect() as connection:
        yield connection.execute(
            text("SELECT 7 AS id, 'oil' AS kind, 'in the hall' AS place")
        ).one()


def test_a_field_is_the_column_of_its_name_and_others_keep_their_default(row):
    assert build_value(Lamp, row) == Lamp(7, "oil")


def test_what_is_passed_is_not_read_whatever_it_is_called(row):
    assert build_value(Lamp, row, kind="gas", row="first") == Lamp(7, "gas", "first")


def test_a_field_without_column_and_default_is_an_error(row):
    @dataclass
    class Candle:
        wax: str

    with pytest.raises(TypeError, match="wax"):
        build_value(Candle, row)
