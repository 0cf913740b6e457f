"""A server for each page whose examples are run, and the description of the API."""

from __future__ import annotations

from typing import Any

import pytest

from docs.fields import openapi
from journeys.conftest import home, serve, server  # noqa: F401 - fixtures are found by name


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    return openapi()
