"""Knowledge: for now the best practices that the earlier endpoints serve.

Sources, documents, facts and the compiler arrive here.
"""

from wellworn.knowledge.indexing import PracticeIndexer
from wellworn.knowledge.models import Chunk, Practice, PracticeFile, PracticeFound
from wellworn.knowledge.service import Knowledge

__all__ = [
    "Chunk",
    "Knowledge",
    "Practice",
    "PracticeFile",
    "PracticeFound",
    "PracticeIndexer",
]
