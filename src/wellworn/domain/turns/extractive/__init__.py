"""The engine that needs no model: every role by rules, every answer made of quotes."""

from wellworn.domain.turns.extractive.engine import ExtractiveEngine
