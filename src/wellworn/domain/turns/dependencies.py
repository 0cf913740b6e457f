"""What turns are made with, the same for every database."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.domain.turns.briefs import TurnEngine
from wellworn.domain.turns.settings import TurnSettings
from wellworn.domain.turns.tools import Toolbox
from wellworn.engines.embedding import Embedder
from wellworn.kit.clock import Clock


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """What turns are made with, the same for every database."""

    embedder: Embedder
    engine: TurnEngine
    tools: Toolbox
    settings: TurnSettings
    clock: Clock
