"""The engine that asks a language model, and holds it to what the sources say."""

from wellworn.domain.turns.prompted.engine import PromptedEngine
