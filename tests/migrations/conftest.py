"""The command line on a data folder of its own, for databases that a release left."""

from journeys.conftest import home, wellworn  # noqa: F401 - fixtures are found by name
