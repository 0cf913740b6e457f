"""The composition root: the only place where parts are chosen and put together."""

from wellworn.application.bootstrap.opening import DATABASE, INDEXES, TURNS, open_app, open_audit

__all__ = ["DATABASE", "INDEXES", "TURNS", "open_app", "open_audit"]
