"""Loads of the product's packages what is asked for, and not all that their faces offer.

A face is an `__init__` that only names what other modules define. To run it is to load the whole
package, and what that needs: a process that applies one function spends longer at it than at many
a document.

Source: PEP 562; importlib.machinery.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_PRODUCT: Final = __name__.partition(".")[0]


def load_faces_late() -> None:
    """Let each name of a face load the module that defines it once it is asked for."""
    sys.meta_path.insert(0, _Finder)


class _Finder(PathFinder):
    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{_PRODUCT}."):
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is not None and spec.submodule_search_locations and spec.origin:
            spec.loader = _FaceLoader(fullname, spec.origin)
        return spec


class _FaceLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        places = _read_face(self.get_source(module.__name__) or "")
        folder = Path(self.path).parent
        # A name that is also a module's would be taken for it.
        if places is None or any((folder / f"{name}.py").exists() for name in places):
            super().exec_module(module)
            return

        def load(name: str) -> Any:
            if name not in places:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            value = module.__dict__[name] = getattr(import_module(places[name]), name)
            return value

        module.__dict__["__getattr__"] = load


def _read_face(source: str) -> dict[str, str] | None:
    """Return by name the modules that a package's names come from; None if it does more."""
    places: dict[str, str] = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.ImportFrom(module=str(module), level=0):
                if any(alias.asname not in {None, alias.name} for alias in statement.names):
                    return None
                places |= {alias.name: module for alias in statement.names}
            case ast.Expr() | ast.Assign(targets=[ast.Name(id="__all__")]):
                continue
            case _:
                return None
    return places
