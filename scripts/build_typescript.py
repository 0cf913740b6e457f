"""Write the types of the TypeScript client: the server's description of its API, as TypeScript.

    npm install --prefix clients/typescript && python scripts/build_typescript.py

To be run when a call or a shape changes; a test says so. Failures are left out: all have one shape.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from wellworn.interfaces.http import create_api

if TYPE_CHECKING:
    from wellworn.application.calls import App

CLIENT = Path(__file__).resolve().parents[1] / "clients" / "typescript"
TYPES = CLIENT / "schema.d.ts"


def describe_api() -> dict[str, Any]:
    """Return the description of the API without its version, and without failures."""
    api = create_api(cast("App", None)).openapi()
    api["info"]["version"] = ""
    for calls in api["paths"].values():
        for call in calls.values():
            answers = call["responses"]
            call["responses"] = {code: answers[code] for code in answers if code.startswith("2")}
    return _simplify(api)


def _simplify(part: Any) -> Any:
    """Return a description without titles, and without conditions that types cannot tell."""
    if isinstance(part, list):
        return [_simplify(each) for each in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    fields = cast("dict[str, Any]", part)
    is_condition = {"type", "properties"} & fields.keys()
    return {
        name: _simplify(value)
        for name, value in fields.items()
        if not (name == "title" and isinstance(value, str))
        and not (name == "anyOf" and is_condition)
    }


def write_mark(api: dict[str, Any]) -> str:
    """Return the line that says of which description the types were made."""
    digest = hashlib.sha256(json.dumps(api, sort_keys=True).encode()).hexdigest()
    return f"// Made by scripts/build_typescript.py of the description {digest}\n"


def main() -> None:
    """Write the types beside the client."""
    api = describe_api()
    with tempfile.TemporaryDirectory() as folder:
        description, made = Path(folder, "api.json"), Path(folder, "schema.d.ts")
        description.write_text(json.dumps(api), "utf-8")
        generator = CLIENT / "node_modules" / ".bin" / "openapi-typescript"
        subprocess.run([generator, description, "--output", made], check=True)
        TYPES.write_text(write_mark(api) + made.read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    main()
