"""The composition root: the only place where parts are chosen and put together."""

from wellworn.application.bootstrap.app import App, Health
from wellworn.application.bootstrap.noting import SERVER_TRAIL
from wellworn.application.bootstrap.opening import DATABASE, INDEXES, open_app, open_audit

__all__ = ["DATABASE", "INDEXES", "SERVER_TRAIL", "App", "Health", "open_app", "open_audit"]
