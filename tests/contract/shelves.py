"""A package of others that adds a kind of source: a folder of plain texts, called a shelf."""

from __future__ import annotations

from pathlib import Path

SHELF = """
import hashlib
from contextlib import contextmanager
from pathlib import Path

from wellworn.domain.sources.connectors import (
    Listing, Recognition, Sign, SourceItem, SourceKind,
)
from wellworn.errors import InvalidInput


def recognize(what, options):
    is_meant = what.startswith("shelf:")
    return Recognition(Sign.SCHEME, "shelf", what.removeprefix("shelf:")) if is_meant else None


KIND = SourceKind("shelf", location="shelf", is_local=True, recognize=recognize)


class Shelf:
    kind = KIND
    is_scheduled = True

    def validate_config(self, config):
        if set(config) != set(KIND.fields):
            raise InvalidInput("this kind takes shelf")
        return dict(config)

    @contextmanager
    def open_snapshot(self, config, *, secret, state):
        yield Snapshot(Path(config["shelf"]))


class Snapshot:
    def __init__(self, folder):
        self.folder = folder

    def list_items(self):
        files = sorted(self.folder.glob("*.txt"))
        return Listing(tuple(
            SourceItem(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files
        ))

    def read(self, items):
        for item in items:
            yield item, (self.folder / item.path).read_bytes()


def create_connector(context):
    return Shelf()
"""


def install_package(folder: Path, *, name: str = "shelf", module: str = "shelf_of_a_test") -> Path:
    """Lay a package with an entry point into a folder, as an installer does; return the folder."""
    about = folder / f"{name}_of_others-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}-of-others\nVersion: 1.0\n"
    )
    (about / "entry_points.txt").write_text(f"[wellworn.source_kinds]\n{name} = {module}\n")
    (folder / "shelf_of_a_test.py").write_text(SHELF)
    return folder
