"""Hold the runtime install to its size: at most 85 packages and 475 MB, models included.

Makes a fresh environment, installs the locked runtime and this project into it as a wheel, and
counts what a user would have: packages and bytes on disk, compiled byte code included, pip left
out. Exits with 1 when either limit is passed, and prints the largest packages, so that
a growth has a name.

Run by `.ci/run`; by hand: `python scripts/footprint.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import Distribution, distributions
from pathlib import Path

MAX_PACKAGES = 85
MAX_MEGABYTES = 475
MEGABYTE = 1_000_000
LARGEST_SHOWN = 8
NOT_OURS = frozenset({"pip", "setuptools", "wheel"})
PROJECT = Path(__file__).resolve().parent.parent


def installed_environment(folder: Path) -> Path:
    """Install the locked runtime and the project into `folder`; return its site-packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    lock = PROJECT / "requirements" / "runtime.txt"
    subprocess.run([*install, "--require-hashes", "-r", lock], check=True)
    subprocess.run([*install, "--no-deps", PROJECT], check=True)
    return next((folder / "lib").glob("python*/site-packages"))


def size_bytes(distribution: Distribution) -> int:
    """Return the bytes on disk of the files a distribution installed, links not followed."""
    places = (Path(str(distribution.locate_file(file))) for file in distribution.files or ())
    return sum(place.lstat().st_size for place in places if os.path.lexists(place))


def sizes(site_packages: Path) -> dict[str, int]:
    """Return the size in bytes of every package in a site-packages folder, pip left out."""
    found = distributions(path=[str(site_packages)])
    return {part.name: size_bytes(part) for part in found if part.name not in NOT_OURS}


def main() -> int:
    """Measure a fresh install; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="wellworn-footprint-") as folder:
        measured = sizes(installed_environment(Path(folder)))
    megabytes = sum(measured.values()) / MEGABYTE
    print(f"packages  {len(measured):5} of {MAX_PACKAGES}")
    print(f"megabytes {megabytes:5.0f} of {MAX_MEGABYTES}")
    for name, size in sorted(measured.items(), key=lambda item: -item[1])[:LARGEST_SHOWN]:
        print(f"  {name:24}{size / MEGABYTE:6.1f} MB")
    return int(len(measured) > MAX_PACKAGES or megabytes > MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
