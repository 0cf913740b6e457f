"""Configuration files of other programs, edited in place: comments, order and layout stay.

Three formats, one grammar: `FORMATS[name]` reads a text as a value, puts a value at a path, and
drops what is there. What is dropped leaves the text as it was before it was put there.
"""

from __future__ import annotations

from typing import Final

from wellworn.engines.config_files.format import ConfigBroken, Format, Steps, get, nest
from wellworn.engines.config_files.json_text import JSON_TEXT
from wellworn.engines.config_files.toml_text import TOML_TEXT
from wellworn.engines.config_files.writing import ConfigRefused, read_config, replace_config
from wellworn.engines.config_files.yaml_text import YAML_TEXT

FORMATS: Final[dict[str, Format]] = {"json": JSON_TEXT, "toml": TOML_TEXT, "yaml": YAML_TEXT}
