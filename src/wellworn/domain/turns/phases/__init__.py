"""The phases of a turn, one module each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from wellworn.domain.turns.models import Phase
from wellworn.domain.turns.phases import (
    analysis,
    coordination,
    gathering,
    planning,
    reflection,
    synthesis,
    validation,
)

PHASES: Final[Mapping[Phase, Any]] = MappingProxyType(
    {
        Phase.ANALYSIS: analysis,
        Phase.REFLECTION: reflection,
        Phase.GATHERING: gathering,
        Phase.PLANNING: planning,
        Phase.COORDINATION: coordination,
        Phase.SYNTHESIS: synthesis,
        Phase.VALIDATION: validation,
    }
)
