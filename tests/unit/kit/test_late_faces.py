"""Faces of packages that load what is asked for: the same names, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

from wellworn.kit.child_environment import build_child_environment

_HEAD = "import inspect, json, pkgutil, sys, wellworn\nfrom importlib import import_module\n"
_LATE = "from wellworn.kit.late_faces import load_faces_late\nload_faces_late()\n"
_DESCRIBE = """
def describe(face, name):
    value = getattr(import_module(face), name)
    return f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', type(value))}"
"""
_LIST = """
found = [each.name for each in pkgutil.walk_packages(wellworn.__path__, "wellworn.") if each.ispkg]
faces = [face for face in found if ".migrations" not in face]

def list_names(face):
    values = vars(import_module(face))
    is_named = lambda name: not name.startswith("_") and not inspect.ismodule(values[name])
    return filter(is_named, [*values])

told = [(face, name) for face in faces for name in list_names(face)]
print(json.dumps([(face, name, describe(face, name)) for face, name in told]))
"""
_LIST_AGAIN = """
told = json.loads(sys.stdin.read())
print(json.dumps([(face, name, describe(face, name)) for face, name, _ in told]))
"""
_LOADED = """
import_module("wellworn.domain.knowledge.digests")
print(json.dumps([*sys.modules]))
"""
_NO_NAME = """
import wellworn.domain.knowledge as face
print(json.dumps(hasattr(face, "nothing_of_this_name")))
"""


def run(*parts, told=()):
    words = [sys.executable, "-P", "-c", "".join([_HEAD, *parts])]
    environment, sent = build_child_environment(), json.dumps(told)
    done = subprocess.run(
        words, env=environment, input=sent, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def test_every_name_of_a_face_is_what_it_is_elsewhere():
    told = run(_DESCRIBE, _LIST)
    assert len(told) > 500
    assert run(_LATE, _DESCRIBE, _LIST_AGAIN, told=told) == told


def test_what_compiles_documents_loads_neither_a_database_nor_a_client_of_the_web():
    loaded = {"wellworn.domain.knowledge.service", "sqlalchemy", "httpx2", "pydantic"}
    assert loaded & {*run(_LATE, _LOADED)} == set()
    assert loaded & {*run(_LOADED)} == loaded


def test_a_name_that_a_face_does_not_have_is_missing():
    assert run(_LATE, _NO_NAME) is False
