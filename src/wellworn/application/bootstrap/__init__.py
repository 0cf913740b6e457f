"""The composition root: the only place where parts are chosen and put together."""

from wellworn.application.bootstrap.embedders import INDEXES, MARK, find_embedder
from wellworn.application.bootstrap.opening import DATABASE, TURNS, open_app, open_audit

__all__ = ["DATABASE", "INDEXES", "MARK", "TURNS", "find_embedder", "open_app", "open_audit"]
