"""A person with a browser without scripts, who lets programs in or does not."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

OWN = {"sec-fetch-site": "same-origin"}
OPENED = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@dataclass
class Person:
    """Somebody at a browser; `client` keeps its cookies and follows no redirect."""

    client: Any
    key: str

    def open(self, url: str) -> Any:
        """Follow an address within the server, as a browser that a program opened."""
        reply = self._get(url)
        while reply.is_redirect:
            reply = self._get(reply.headers["location"])
        return reply

    def _get(self, url: str) -> Any:
        return self.client.get(url, headers=OPENED, follow_redirects=False)

    def sign_in(self, page: Any) -> Any:
        """Show the key where a page asks for it, and return the page it led to."""
        to = find_field(page.text, "next")
        form = {"key": self.key, "next": to}
        reply = self._post("/ui/sign-in", form)
        assert reply.status_code == 303, reply.text
        return self.open(reply.headers["location"])

    def answer(self, page: Any, decision: str = "allow", **form: str) -> Any:
        """Return what follows from a decision on the page of consent."""
        chosen = re.search(r'<option value="([^"]*)" selected', page.text)
        sent = {"request": find_field(page.text, "request"), "decision": decision}
        sent["grant"] = html.unescape(chosen[1]) if chosen else ""
        return self._post("/ui/connect", sent | form)

    def _post(self, path: str, form: dict[str, str]) -> Any:
        return self.client.post(path, data=form, headers=OWN, follow_redirects=False)

    def look(self, url: str) -> Any:
        """Return the page of consent, with the key where it is asked for."""
        page = self.open(url)
        return self.sign_in(page) if 'name="key"' in page.text else page

    def consent(self, url: str, **form: str) -> dict[str, str]:
        """Let a program in; return what it is told at its address."""
        return read_answer(self.answer(self.look(url), **form))


def find_field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, page
    return html.unescape(found[1])


def find_way_back(page: Any) -> str:
    """Return the address of the program that asked."""
    assert page.status_code == 200, page.text
    found = re.search(r'<a class="button" href="([^"]*)"', page.text)
    assert found, page.text
    return html.unescape(found[1])


def read_answer(page: Any) -> dict[str, str]:
    """Return what the program is told when its address is followed."""
    query = parse_qs(urlsplit(find_way_back(page)).query)
    return {name: values[0] for name, values in query.items()}
