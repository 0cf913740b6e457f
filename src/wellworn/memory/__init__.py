"""Memory: the one conversation, which retrieves first and then may contribute."""

from wellworn.memory.asides import OUTLINE
from wellworn.memory.models import Contribute, Prompt, Reply, Retrieval
from wellworn.memory.service import Memory

__all__ = ["OUTLINE", "Contribute", "Memory", "Prompt", "Reply", "Retrieval"]
