"""The only way out to the web: pages over HTTP and branches of git repositories, both guarded."""

from wellworn.fetch.git import GitMirror
from wellworn.fetch.gitbranch import GitBranch
from wellworn.fetch.models import Failed, FailureKind, Page, Unchanged, Validators
from wellworn.fetch.settings import FetchSettings
from wellworn.fetch.urls import web_url
from wellworn.fetch.web import WebClient

__all__ = [
    "Failed",
    "FailureKind",
    "FetchSettings",
    "GitBranch",
    "GitMirror",
    "Page",
    "Unchanged",
    "Validators",
    "WebClient",
    "web_url",
]
