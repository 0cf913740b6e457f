"""A file that the engine maps is cut short under it: the process goes on, whichever file it is."""

from __future__ import annotations

import json
import subprocess
import sys

USE_OF_CUT_FILES = """
import json, os, sys
from pathlib import Path

import numpy as np

from wellworn.engines.storage.vectors import EdgeVectorIndex, VectorSettings
from wellworn.engines.storage.vectors.models import Labels, Point, Where
from wellworn.errors import DamagedStore, IndexCutShort

home = Path(sys.argv[1])
settings = VectorSettings(dimensions=8)
axis = np.eye(8, dtype=np.float32)[0]
point = Point(1, axis, {7: 1.0}, Labels("a", "b", frozenset({"c"})))
uses = [
    lambda index: index.candidates(axis, {7: 1.0}, Where("a"), limit=5),
    lambda index: index.upsert([point]),
    lambda index: index.delete([1]),
    lambda index: index.ids(),
    lambda index: index.check(),
    lambda index: None,
]


def refuses(use, index):
    try:
        use(index)
    except IndexCutShort:
        return True
    return False


def list_mapped(folder):
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split()[-1] for line in lines if str(folder) in line})


def cut(number, use, length):
    folder = home / f"{number}-{length}"
    index = EdgeVectorIndex(folder, settings)
    index.upsert([point])
    mapped = list_mapped(folder)
    if number < len(mapped):
        os.truncate(mapped[number], length)
        assert refuses(use, index) is (use is not uses[-1]), mapped[number]
        index.close()
        try:
            EdgeVectorIndex(folder, settings)
        except DamagedStore:
            return True
        raise AssertionError(mapped[number])
    index.close()
    return False


number = 0
while cut(number, uses[number % len(uses)], 0):
    number += 1
cut(0, uses[0], 1)  # what is cut in part is noticed, too
print(json.dumps(number))
"""


def test_no_use_of_an_index_that_was_cut_short_ends_the_process(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", USE_OF_CUT_FILES, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) > 20, "the engine maps fewer files than this test was made for"
