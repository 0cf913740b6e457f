"""The only way out to the web: pages over HTTP and branches of git repositories, both guarded."""

from wellworn.engines.fetch.git import GitMirror
from wellworn.engines.fetch.gitbranch import GitBranch
from wellworn.engines.fetch.models import (
    Failed,
    FailureKind,
    GitSkipped,
    Page,
    Unchanged,
    Validators,
)
from wellworn.engines.fetch.own_ports import claim_port
from wellworn.engines.fetch.settings import FetchSettings
from wellworn.engines.fetch.urls import (
    address_beside,
    fill_query,
    is_front_page,
    leads_back,
    web_url,
)
from wellworn.engines.fetch.web import WebClient
