"""A real server for clients in other languages."""

from journeys.conftest import home, serve, server  # noqa: F401 - fixtures are found by name
