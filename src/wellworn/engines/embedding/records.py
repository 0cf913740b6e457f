"""Records the chosen encoder beside the vectors that it makes.

It is enough to open the encoder again, and to tell whether it is still the same.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from wellworn.engines.embedding.models import FloatArray
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.errors import DamagedStore

RECORD_FILE: Final = "ENCODER"


@dataclass(frozen=True, slots=True)
class EncoderRecord:
    """An encoder that is not the shipped one.

    Attributes:
        dimensions: how long its vectors are.
        query_lean: `(dimensions,)` float32: the mean of its vectors of questions.
        text_lean: the same of texts.
        state_lean: the mean of its states of word pieces; empty where it gives none.
        probes: `(n, dimensions)` float32: what it made of some texts, before anything is removed.
    """

    name: str
    dimensions: int
    settings: EmbeddingSettings
    query_lean: FloatArray
    text_lean: FloatArray
    state_lean: FloatArray
    probes: FloatArray

    def write(self, folder: Path) -> None:
        """Write it into the folder of an index, all or nothing."""
        arrays = {
            name: base64.b64encode(getattr(self, name).astype("<f4").tobytes()).decode()
            for name in ("query_lean", "text_lean", "state_lean", "probes")
        }
        fields = {"name": self.name, "dimensions": self.dimensions, **arrays}
        content = {**fields, "settings": self.settings.model_dump(mode="json")}
        draft = folder / f"{RECORD_FILE}.new"
        draft.write_text(json.dumps(content, indent=1), encoding="utf-8")
        draft.replace(folder / RECORD_FILE)

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read that of an index; None for the shipped encoder.

        Raises:
            DamagedStore: it is there and cannot be read.
        """
        try:
            content = json.loads((folder / RECORD_FILE).read_bytes())
            return cls._parse(content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = (
                "what is written down of the memory's encoder is damaged; stop the server and run "
                "`wellworn rebuild`"
            )
            raise DamagedStore(message) from error

    @classmethod
    def _parse(cls, content: dict[str, Any]) -> Self:
        arrays = {
            name: np.frombuffer(base64.b64decode(content[name]), "<f4").astype(np.float32)
            for name in ("query_lean", "text_lean", "state_lean", "probes")
        }
        dimensions = int(content["dimensions"])
        probes = arrays.pop("probes").reshape(-1, dimensions)
        settings = EmbeddingSettings.model_validate(content["settings"])
        return cls(str(content["name"]), dimensions, settings, **arrays, probes=probes)
