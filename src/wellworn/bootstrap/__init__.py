"""The composition root: the only place where parts are chosen and put together."""

from wellworn.bootstrap.app import App, Health
from wellworn.bootstrap.noting import SERVER_TRAIL
from wellworn.bootstrap.opening import DATABASE, INDEXES, open_app, open_audit

__all__ = ["DATABASE", "INDEXES", "SERVER_TRAIL", "App", "Health", "open_app", "open_audit"]
