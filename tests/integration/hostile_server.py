"""A whole server whose sources are attacked, and all that its knowledge tells somebody."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

from api.conftest import Worlds
from api.walls import UNLIMITED, send
from api.world import accepted, talk
from integration.fetch_servers import LOOPBACK
from wellworn.application.settings import Settings
from wellworn.domain.sources import SourceSettings
from wellworn.domain.spaces import SpaceSettings
from wellworn.engines.fetch import FetchSettings
from wellworn.testing.embedder import HashEmbedder

KNOWLEDGE = "/api/knowledge"
ARTIFACTS = (
    "catalog.md",
    "hot_terms.md",
    "tree_summaries.md",
    "unknowns.md",
    "aliases.learned.json",
)


@contextmanager
def attacked(folder):
    """Serve a memory below a folder, beside an open folder `docs`."""
    settings = Settings(
        spaces=SpaceSettings(**UNLIMITED),
        fetch=FetchSettings(private_networks=LOOPBACK, retry_waits_s=()),
        sources=SourceSettings(folder_roots=(str(folder / "docs"),)),
    )
    (folder / "docs").mkdir()
    with ExitStack() as stack:
        yield Worlds(folder / "home", stack)(HashEmbedder(), settings)


class Nobody:
    """Whoever stands at the open door."""

    def __init__(self, world):
        self.world = world

    def get(self, path, **more):
        return send(self.world, "GET", path, **more)

    def post(self, path, body=None, **more):
        return send(self.world, "POST", path, body, **more)

    def send(self, method, path, body=None, **more):
        return send(self.world, method, path, body, **more)


def added(caller, kind, name, config, **more):
    body = {"source_type": kind, "name": name, "config": config, **more}
    return accepted(caller.post(f"{KNOWLEDGE}/sources", body))["id"]


def synced(caller, number, **body):
    return accepted(caller.post(f"{KNOWLEDGE}/sources/{number}/sync", body))


def noted(caller, name, text, **more):
    number = added(caller, "manual_note", name, {"title": name, "text": text}, **more)
    assert synced(caller, number)["status"] == "success"
    return number


def all_that_is_told(caller, *questions):
    """Return everything that knowledge tells a caller, as one text."""
    paths = ("sources", "documents", "unknowns", "conflicts?closed=true", "preamble", "pins")
    told = [caller.get(f"{KNOWLEDGE}/{path}").text for path in paths]
    told += [caller.get(f"{KNOWLEDGE}/artifacts/{name}").text for name in ARTIFACTS]
    told += [caller.get(f"{KNOWLEDGE}/preamble?budget_tokens=100000").text]
    told += [caller.get(f"{KNOWLEDGE}/quality").text]
    for number in range(1, 12):
        told.append(caller.get(f"{KNOWLEDGE}/documents/{number}").text)
        told.append(caller.get(f"{KNOWLEDGE}/sources/{number}").text)
        told.append(caller.get(f"{KNOWLEDGE}/sources/{number}/runs").text)
        told.append(caller.get(f"{KNOWLEDGE}/sources/{number}/secrets").text)
    for question in questions:
        for path, name in (("search", "q"), ("resolve", "term"), ("provenance", "term")):
            told.append(caller.get(f"{KNOWLEDGE}/{path}", params={name: question}).text)
        body = talk(question, include_knowledge=True, contribute="never")
        told.append(caller.post("memory", body).text)
    told.append(caller.get("outline", params={"depth": 3}).text)
    told.append(caller.get("export").text)
    return "\n".join(told)
