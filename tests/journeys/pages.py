"""A real Chromium that looks at the pages of a real server, and what must hold for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from patience import LONG_S
from wellworn.engines.screenshots import find_chromium
from wellworn.kit.neutralising import neutralise

INSTALLED = find_chromium()
AXE = (Path(__file__).resolve().parents[1] / "vendor" / "axe.min.js").read_text(encoding="utf-8")
SPACE = "/ui/ks-default"
NARROW = 320
_ROOT = "--no-sandbox"
"""Tests run as root, whom Chromium gives no sandbox."""
BOXES = """() => [...document.querySelectorAll(".thought")].flatMap((box) => {
  const outer = box.getBoundingClientRect();
  return [...box.querySelectorAll("p, a, bdi")].filter((each) => {
    const inner = each.getBoundingClientRect();
    return inner.right > outer.right + 1 || inner.left < outer.left - 1
      || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
  }).map((each) => each.textContent.slice(0, 80));
})"""
FOREIGN = """() => [...document.querySelectorAll("main *")].filter((each) =>
  /^(SCRIPT|IMG|STYLE|IFRAME|OBJECT|EMBED|VIDEO|AUDIO|META|LINK|BASE|MATH|DIALOG|MARQUEE|TEMPLATE)$/
    .test(each.tagName.toUpperCase())
  || !each.matches("form.ask, form.feedback") && [...each.attributes].some(
    (one) => /^(on|style$|data-hx|hx-(?!post|target|swap$))/.test(one.name))
  || (each.tagName === "A" && !/^([/?]|#)/.test(each.getAttribute("href") ?? "/"))
).map((each) => each.outerHTML.slice(0, 120))"""
"""What no text may bring into a page."""


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=INSTALLED, args=[_ROOT])
        yield browser
        browser.close()


class Reader:
    """Somebody with a browser; whatever it complains of, or fetches from elsewhere, is noted."""

    def __init__(self, browser: Browser, url: str, **options: object) -> None:
        self.context = browser.new_context(base_url=url, **options)
        self.context.set_default_timeout(LONG_S * 1000)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.bytes = 0
        host = urlsplit(url).netloc
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.page.on(
            "request",
            lambda request: (
                urlsplit(request.url).netloc == host
                or self.complaints.append(f"asks {request.url}")
            ),
        )

    def _note_message(self, message) -> None:
        # A page that is refused is told by its status as well.
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _dismiss(self, dialog) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def open(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def find_violations(self) -> list[str]:
        """Return what axe finds wrong; it is run by the browser, past the page's policy."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE)
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{violation['id']}: {violation['nodes'][0]['html'][:200]}"
            for violation in found["violations"]
        ]

    def find_overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return self.page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


def print_words(text: str) -> str:
    """Return a text as a list shows it: nothing hidden in it, and cut where one sees it."""
    cut = text if len(text) <= 405 else text[:397].rsplit(" ", 1)[0] + "..."
    return normalise(neutralise(cut))


def normalise(text: str) -> str:
    """Return a text with line breaks as browsers have them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
