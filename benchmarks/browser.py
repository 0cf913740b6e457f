"""What pages cost: the first paint beside that of an empty page, a large map, and many open tabs.

Chromium opens each page with nothing in its cache, on the machine of the server. The thoughts are
those of `topics`, in their topics, and as worn as chance would have it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np
from sqlalchemy import insert

from benchmarks.figures import Figure, quantile
from benchmarks.processes import Server, await_rest, measure_processor_s, serving
from benchmarks.run import Run
from benchmarks.topics import LARGE, make, store_made
from benchmarks.wire import Caller
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.spaces import DEFAULT_SPACE
from wellworn.domain.thoughts.store.ledger import trail_to_row
from wellworn.domain.thoughts.tables import trails
from wellworn.domain.thoughts.trail import create
from wellworn.engines.screenshots import find_chromium
from wellworn.engines.storage.vectors import Labels, Point, point_id

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_ROUNDS: Final = 9
_TABS: Final = 50
_AT_ONCE: Final = 2_000
_LOADING_MS: Final = 120_000
_EMPTY: Final = "/ui/static/nothing"
_SPACE: Final = f"/ui/{DEFAULT_SPACE}"
_PAINT: Final = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint")[0];
  if (found) resolve(found.startTime);
}).observe({ type: "paint", buffered: true }))"""


def measured(run: Run) -> list[Figure]:
    """Return the times to the first paint, and until a large map can be used."""
    size, rounds = (2_000, 3) if run.quick else (LARGE, _ROUNDS)
    home = run.folder / "browser"
    app = open_app(home)
    try:
        store_made(app, make(size, seed=2), 0, size)
        _wear(app, size)
        _index(app, size)
        app.thoughts.topics.sort(DEFAULT_SPACE)
    finally:
        app.close()
    module = "benchmarks.server_without_embedding"
    # The other benchmarks run where nothing is installed but what wellworn runs with.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with serving(home, module=module) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        await_rest(server)
        figures = _compare_paint(browser, server, rounds) + _open_map(browser, server, size)
        browser.close()
    # Of its own, as nothing can be asked of made thoughts.
    with serving(run.folder / "tabs", module=module) as server:
        return figures + _open_tabs(server, run.samples(30))


def _compare_paint(browser: Browser, server: Server, rounds: int) -> list[Figure]:
    """Open pages in turn with an empty one, after each was opened once."""
    paths = {"Now": _SPACE, "Thoughts": f"{_SPACE}/thoughts", "Care": f"{_SPACE}/care"}
    for path in (_EMPTY, *paths.values()):
        _paint(browser, server, path)
    empty: list[float] = []
    painted: dict[str, list[float]] = {name: [] for name in paths}
    for _ in range(rounds):
        empty.append(_paint(browser, server, _EMPTY))
        for name, path in paths.items():
            painted[name].append(_paint(browser, server, path))
    base = median(empty)
    figures = [Figure("first paint, empty page", base, "ms", note=f"median of {rounds}")]
    for name, times in painted.items():
        value = median(times)
        note = f"{value / base:.2f} times the empty page; 1.3 is wanted"
        figures.append(Figure.at_most(f"first paint, {name}", value, 500, "ms", note))
    return figures


def _paint(browser: Browser, server: Server, path: str) -> float:
    with browser.new_context(base_url=server.url) as context:
        page = context.new_page()
        page.goto(path)
        return float(page.evaluate(_PAINT))


def _open_map(browser: Browser, server: Server, size: int) -> list[Figure]:
    """Open the map twice: places are worked out by the first who looks."""
    figures: list[Figure] = []
    for name in ("the first time", "again"):
        with browser.new_context(base_url=server.url) as context:
            page = context.new_page()
            sizes: list[int] = []
            page.on(
                "requestfinished",
                lambda request, sizes=sizes: sizes.append(request.sizes()["responseBodySize"]),
            )
            page.set_default_timeout(_LOADING_MS)
            page.goto(f"{_SPACE}/map")
            page.wait_for_selector("#map[data-ready]")
            ready = float(page.get_attribute("#map", "data-ready") or 0) / 1_000
            page.focus("#map canvas")
            page.keyboard.press("ArrowRight")
            page.wait_for_selector("#point a")
            drawn = page.evaluate(
                """() => new Promise((resolve) => {
                  const began = performance.now();
                  document.querySelector("[data-zoom]").click();
                  requestAnimationFrame(() => requestAnimationFrame(
                    () => resolve(performance.now() - began)));
                })"""
            )
        what = f"map of {size:,} thoughts, {name}"
        figures.append(Figure.at_most(f"{what}, until it can be used", ready, 2, "s"))
        figures.append(Figure(f"{what}, two frames of a zoom", float(drawn), "ms"))
    note = "with everything that it loads"
    return [*figures, Figure.at_most("bytes of the map", sum(sizes) / 1_000, 350, "kB", note)]


def _open_tabs(server: Server, seconds: int) -> list[Figure]:
    """Follow *Now* from as many tabs as somebody may have open, while agents ask and say things."""
    await_rest(server)
    alone, memory = _use(server, seconds), server.resident_mb()
    tabs = [_follow(server) for _ in range(_TABS)]
    with_tabs = _use(server, seconds)
    grown = server.resident_mb() - memory
    for tab in tabs:
        tab.close()
    share = 100 * (with_tabs.processor_s - alone.processor_s) / seconds
    ratio = quantile(with_tabs.times_s, 0.99) / quantile(alone.times_s, 0.99)
    what, note = f"{_TABS} open tabs", "with ten questions and one statement a second"
    return [
        Figure.at_most(f"{what}, memory of the server", grown, 10, "MB", note),
        Figure.at_most(f"{what}, processor of the server", share, 5, "% of a core", note),
        Figure.at_most(f"{what}, p99 of questions beside them", ratio, 1.1, "times", note),
    ]


@dataclass(frozen=True)
class _Use:
    processor_s: float
    times_s: list[float]


def _use(server: Server, seconds: int) -> _Use:
    """Ask ten times a second, and say something once."""
    began, times = measure_processor_s(server.process.pid), list[float]()
    with Caller(server.port) as agent:
        for second in range(seconds):
            agent.asked(f"Lamp {time.monotonic_ns()} is green.", contribute="always")
            for number in range(10):
                asked_at = time.perf_counter()
                agent.get(f"/api/v1/search?q=field{second}w{number}")
                times.append(time.perf_counter() - asked_at)
                time.sleep(max(0.0, 0.1 - times[-1]))
    return _Use(measure_processor_s(server.process.pid) - began, times)


def _follow(server: Server) -> HTTPConnection:
    """Open a tab's stream, which nobody reads: what comes stays in the buffers of the system."""
    tab = HTTPConnection("127.0.0.1", server.port)
    tab.request("GET", f"{_SPACE}/events")
    if tab.getresponse().status != HTTPStatus.OK:
        raise RuntimeError("the feed was refused")
    return tab


def _index(app: App, size: int) -> None:
    """Give thoughts vectors of chance, or the server would make them before it answers."""
    chance, labels = np.random.default_rng(4), Labels(DEFAULT_SPACE)
    vectors = chance.standard_normal((size, app.embedder.dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    points = [Point(point_id(at + 1, 0), vectors[at], {}, labels) for at in range(size)]
    for start in range(0, size, _AT_ONCE):
        app.indexes[0].upsert(points[start : start + _AT_ONCE])


def _wear(app: App, size: int) -> None:
    """Give thoughts trails: most were never read, a few often."""
    weights = 1.0 + np.random.default_rng(3).pareto(3.0, size)
    row = trail_to_row(create(0.0)) | {"knowledge_space_id": DEFAULT_SPACE}
    with app.database.write() as transaction:
        transaction.execute(
            insert(trails),
            [
                row | {"thought_seq": at + 1, "weight": min(float(weight), 10.0)}
                for at, weight in enumerate(weights)
            ],
        )
