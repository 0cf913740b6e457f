"""A whole memory with the documents of the specification's story, and a double of the encoder."""

from __future__ import annotations

from contextlib import closing, contextmanager

from knowledge_calls import call, sync_source
from wellworn.application.bootstrap import open_app
from wellworn.domain.sources import NewSource
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

AGENTS = """\
# Infrastructure

Main infrastructure overview: the servers, and how to reach them by SSH.

## Servers

- **cube** (100.70.237.79) - Home GPU server, runs AI workloads and Frigate.
- **clifford** (5.161.97.53) - Production VPS on Hetzner, hosts 90% of web apps.
"""
BACKUPS = """\
# Backups

Kopia is the backup tool. It runs nightly at 03:00 to the Bremen NAS.
"""
OPERATIONS = """\
# HDRPop Operations

## Analytics API

- Endpoint: https://hdrpop.com/api/reports/daily-analytics
- Auth: X-Analytics-Token header
- Secret: HDRPOP_ANALYTICS_TOKEN

## Alert Thresholds

- Upload rate drop >20% day-over-day: investigate
- Zero signups for 3+ days: check funnel
"""
STORY = {
    "AGENTS.md": AGENTS,
    "backups/README.md": BACKUPS,
    "projects/hdrpop/operations.md": OPERATIONS,
}


@contextmanager
def opened(home, **options):
    options.setdefault("embedder", HashEmbedder())
    with closing(open_app(home, clock=ManualClock(), **options)) as app:
        yield app


def local(app):
    """Return the access of whoever is at the open door."""
    return app.enter(None, None, writes=True)


def write(folder, documents):
    for name, text in documents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@contextmanager
def resolving(folder, documents):
    """Yield what resolves a term over these documents, and checks that quotes are exact."""
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", documents)

        def resolve(term, context=""):
            answer = app.resolve(access, term, context=context)
            for quote in [*answer.evidence, *(value.evidence for value in answer.values)]:
                text = call(app, "document")(access, quote.document_id).text
                assert text[quote.start : quote.end] == quote.text
            return answer

        yield resolve


def synced(app, access, folder, documents=STORY, *, name="mytech", **options):
    """Make a source of a folder with these documents, and sync it; return the source."""
    write(folder, documents)
    new = NewSource("folder", name, {"path": str(folder)}, **options)
    source = call(app, "create_source")(access, new)
    run = sync_source(app, access, source.id)
    assert run.status == "success", run.message
    return source
