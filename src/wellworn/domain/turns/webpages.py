"""webpage_cache: what a visit to a page captured, so that later questions need no second visit.

Source: the specification of document IO, section 6.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, cast

from wellworn.domain.turns.briefs import CachedPage
from wellworn.domain.turns.context_document import quote_scalar
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.links import (
    escape_links,
    find_links,
    format_dual_link,
    unescape_links,
)
from wellworn.domain.turns.listings import ProductListing, find_products, find_stock
from wellworn.domain.turns.models import format_folder
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import GENERAL, classify_intent, find_area, find_topic
from wellworn.engines.extraction import Discussion
from wellworn.engines.retrieval.text import split_words
from wellworn.engines.screenshots import NoScreenshot
from wellworn.kit.clock import from_iso, to_iso
from wellworn.kit.markdown import Markdown
from wellworn.kit.neutralising import escape_hidden, neutralise
from wellworn.kit.pictures import encode_file
from wellworn.kit.project_ids import make_word
from wellworn.kit.text import fingerprint

FOLDER: Final = "webpage_cache"
_ARCHIVE: Final = "archive/"
_PAGE_TEXT: Final = "## Page Text"
MANIFEST: Final = "manifest.json"
MOVED_TO: Final = "moved_to"
"""In the JSON that stands for another that was archived: the path of that."""
PAGE_CONTENT: Final = "page_content.md"
EXTRACTED_DATA: Final = "extracted_data.json"
SCREENSHOT: Final = "screenshot.png"
_PAGINATION: Final = re.compile(r"\bpage\s+(\d{1,6})\s+of\s+(\d{1,6})\b", re.IGNORECASE)
_COMMENTS: Final = re.compile(r"\b(\d[\d,]{0,8})\s+(?:comments|replies|answers)\b", re.IGNORECASE)
_AUTHOR: Final = re.compile(
    r"\b(?:posted|written|asked)?\s*by\s+(u/[\w-]+|@[\w-]+|[A-Z][\w.-]+(?: [A-Z][\w.-]+)?)"
)
_POSTED: Final = re.compile(r"\b\d{1,3} (?:minute|hour|day|week|month|year)s? ago\b")
_FORUM: Final = re.compile(r"(?<![\w/.])r/\w{3,21}\b")
_NEAR: Final = 40
_HOST: Final = re.compile(r"https?://(?:[^/@]*@)?([^/:?#]+)", re.IGNORECASE)
_ELEMENTS: Final = {
    "title": "title",
    "author": "author",
    "comment_count": "comments",
    "top_comments": "comments",
    "products_mentioned": "products",
    "pagination": "pagination",
    "availability": "availability",
    "prices": "prices",
    "headings": "headings",
}
"""Words for the parts of a page, by the key of the extracted data."""
_MOST_PRICES: Final = 20
_MOST_HEADINGS: Final = 50


@dataclass(frozen=True, slots=True)
class PageVisit:
    """A page as it was visited; `moment` in epoch seconds, `discussion` what people say there.

    Attributes:
        screenshot: a PNG, or why there is none; None where none is wanted.
        listings: what the page offers.
        user_id: whose turn visited it.
        query: what the turn asked.
    """

    url: str
    title: str
    text: str
    moment: float
    turn_number: int
    discussion: Discussion | None = None
    screenshot: bytes | NoScreenshot | None = None
    listings: tuple[ProductListing, ...] = ()
    user_id: str = ""
    query: str = ""

    @property
    def topic(self) -> str:
        """The topic that was asked about; of a query that names nothing, the page's own."""
        asked = find_topic(self.query, frozenset(split_words(self.title)))
        return find_topic(self.title) if asked == GENERAL else asked

    @property
    def site(self) -> str:
        return find_site(self.url)

    @property
    def slug(self) -> str:
        """Return the folder's name: the site, and what tells its pages apart."""
        return f"{make_word(self.site.partition('.')[0]) or 'page'}_{fingerprint(self.url)[:8]}"


def write_visit(vault: Vault, folder: str, visit: PageVisit) -> str:
    """Write what was captured; return the folder of the capture."""
    place = f"{folder}/{FOLDER}/{visit.slug}"
    visit = replace(visit, title=format_line(visit.title), text=neutralise(visit.text))
    data = extract_data(visit)
    if isinstance(visit.screenshot, bytes):
        vault.write(f"{place}/{SCREENSHOT}", encode_file(SCREENSHOT, visit.screenshot))
    vault.write(f"{place}/{PAGE_CONTENT}", format_page_content(visit, data))
    write_json(vault, f"{place}/{EXTRACTED_DATA}", data)
    write_json(vault, f"{place}/{MANIFEST}", build_manifest(visit, data))
    return place


def extract_data(visit: PageVisit) -> dict[str, Any]:
    """Return what of a page has a form that can be recognised for sure."""
    data = {"title": visit.title} | _describe_post(visit.text)
    data |= _describe_discussion(visit.discussion, data)
    # Elsewhere than where people talk, a name after "the" or "a" is rarely one of a product.
    if _is_thread(data) and (products := find_products(visit.text)):
        data["products_mentioned"] = [each._asdict() for each in products]
    stocks = [f"{each.product}: {each.stock}" for each in visit.listings if each.stock]
    if len(stocks) > 1:  # What heads their column says nothing of any.
        data["availability"] = "; ".join(stocks[:_MOST_PRICES])
    elif match := find_stock(visit.text):
        data["availability"] = match[1]
    if visit.listings:
        data["prices"] = [_describe_price(each) for each in visit.listings[:_MOST_PRICES]]
    headings = [section.title for section in Markdown(visit.text).sections if section.title]
    if headings:
        data["headings"] = headings[:_MOST_HEADINGS]
    return data


def _describe_post(text: str) -> dict[str, Any]:
    """Return what the text of a page states about itself, as forums do."""
    data: dict[str, Any] = {}
    if match := _AUTHOR.search(text):
        data["author"] = match[1]
        if posted := _POSTED.search(text, match.end(), match.end() + _NEAR):
            data["posted"] = posted[0]
    if match := _FORUM.search(text):
        data["subreddit"] = match[0]
    if match := _COMMENTS.search(text):
        data["comment_count"] = int(match[1].replace(",", ""))
    if match := _PAGINATION.search(text):
        data["pagination"] = {"current_page": int(match[1]), "total_pages": int(match[2])}
    return data


def _describe_price(listing: ProductListing) -> dict[str, str]:
    """Return what something costs, with what it is and whether it is there where that is stated."""
    price = {"name": listing.product, "price": listing.price, "currency": listing.currency}
    return price | ({"availability": listing.stock} if listing.stock else {})


def _describe_discussion(
    discussion: Discussion | None, stated: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what people say on a page, and what of it the page's text does not state."""
    if discussion is None:
        return {}
    data: dict[str, Any] = {"top_comments": [asdict(each) for each in discussion.comments]}
    if "pagination" not in stated and discussion.current_page is not None:
        data["pagination"] = {
            "current_page": discussion.current_page,
            "total_pages": discussion.total_pages,
        }
    # Of a thread of several pages, what stands on one of them is not the count.
    pages = stated.get("pagination") or data.get("pagination") or {"total_pages": 1}
    if "comment_count" not in stated and pages["total_pages"] == 1:
        data["comment_count"] = discussion.shown
    return data


def _is_thread(data: Mapping[str, Any]) -> bool:
    """Tell whether people talk to each other on a page."""
    return bool({"comment_count", "top_comments"} & data.keys())


def build_manifest(visit: PageVisit, data: dict[str, Any]) -> dict[str, Any]:
    """Return what was captured and what can be answered from it."""
    summary: dict[str, Any] = {
        "type": "forum_thread" if _is_thread(data) else "page",
        "site": visit.site,
        "has_pagination": "pagination" in data,
        "visible_elements": list_visible_elements(data),
    }
    questions = ["what is the page about"]
    if pagination := data.get("pagination"):
        summary["page_info"] = f"Page {pagination['current_page']} of {pagination['total_pages']}"
        questions.append("how many pages")
    if "comment_count" in data:
        summary["comment_count"] = data["comment_count"]
        questions.append("how many comments")
    if "top_comments" in data:
        questions += ["what is the top comment", "who wrote the top comment"]
    if "products_mentioned" in data:
        questions.append("which products are mentioned")
    if "author" in data:
        questions.append("who wrote it")
    if "posted" in data:
        questions.append("when was it posted")
    has_screenshot = isinstance(visit.screenshot, bytes)
    pictures = {"screenshot": SCREENSHOT} if has_screenshot else {}
    if isinstance(visit.screenshot, NoScreenshot):
        pictures = {"no_screenshot": f"There is no screenshot: {visit.screenshot.reason}."}
    return {
        "url": visit.url,
        "url_slug": visit.slug,
        "title": visit.title,
        "visited_at": to_iso(visit.moment),
        "turn_number": visit.turn_number,
        "captured": {
            "page_content": True,
            "screenshot": has_screenshot,
            "extracted_data": True,
        },
        **pictures,
        "content_summary": summary,
        "answerable_questions": questions,
    }


def list_visible_elements(data: Mapping[str, Any]) -> list[str]:
    """Return what of a page was recognised, such as its title and its comments."""
    return list(dict.fromkeys(name for key, name in _ELEMENTS.items() if key in data))


def format_page_content(visit: PageVisit, data: Mapping[str, Any]) -> str:
    name = f"turn_{visit.turn_number:06d}"
    head = [
        f"id: {name}_{visit.slug}",
        f"turn_number: {visit.turn_number}",
        f"session_id: {quote_scalar(visit.user_id)}",
        f"topic: {quote_scalar(visit.topic)}",
        f"intent: {classify_intent(visit.query).value}",
        "content_types: [webpage]",
        "scope: user",
        f"created_at: {to_iso(visit.moment)}",
        f"tags: [turn, webpage, {find_area(visit.topic)}]",
    ]
    elements = "\n".join(f"- {name.capitalize()}" for name in list_visible_elements(data))
    picture = f"![Screenshot]({SCREENSHOT})\n\n" if isinstance(visit.screenshot, bytes) else ""
    return (
        "---\n" + "\n".join(head) + f"\n---\n\n# Page Content: {escape_links(visit.title)}\n\n"
        f"**URL:** {visit.url}\n"
        f"**Captured:** {to_iso(visit.moment)}\n\n"
        f"- Captured with it: [{MANIFEST}](./{MANIFEST}), [{EXTRACTED_DATA}](./{EXTRACTED_DATA})\n"
        f"- Linked turn: {_link_turn(visit)}\n\n{picture}"
        f"## Visible Elements\n\n{elements}\n\n---\n\n"
        f"{_PAGE_TEXT}\n\n{escape_links(visit.text).strip()}\n"
    )


def _link_turn(visit: PageVisit) -> str:
    folder, name = format_folder(visit.turn_number), f"turn_{visit.turn_number:06d}"
    own = f"{folder}/{FOLDER}/{visit.slug}/{PAGE_CONTENT}"
    return format_dual_link(own, f"{folder}/context.md", name)


def read_cached_page(vault: Vault, folder: str) -> CachedPage | None:
    """Return a captured page by its folder, also one that was archived since.

    None where its manifest cannot be read.
    """
    folder = _find_capture(vault, folder)
    manifest = read_json(vault, f"{folder}/{MANIFEST}")
    if manifest is None or not isinstance(manifest.get("url"), str):
        return None
    summary = read_object(manifest, "content_summary")
    return CachedPage(
        title=str(manifest.get("title") or manifest["url"]),
        content_type="thread" if summary.get("type") == "forum_thread" else "page",
        site=find_site(manifest["url"]),
        url=manifest["url"],
        path=folder,
        turn_number=_read_number(manifest.get("turn_number")),
        visited_at=read_moment(manifest.get("visited_at")),
    )


def _find_capture(vault: Vault, folder: str) -> str:
    """Return where a capture is now: of an archived turn, what is in its place leads there."""
    note = f"{folder}/{PAGE_CONTENT}"
    if vault.measure(f"{folder}/{MANIFEST}") is not None:
        moved = str((read_json(vault, f"{folder}/{MANIFEST}") or {}).get(MOVED_TO))
        return posixpath.dirname(moved) if moved.startswith(_ARCHIVE) else folder
    link = next(find_links(note, vault.read(note) or ""), None)
    is_archived = link is not None and link.path.startswith(_ARCHIVE)
    return posixpath.dirname(link.path) if link and is_archived else folder


def read_page_text(vault: Vault, folder: str) -> str:
    """Return the text of a captured page; empty where there is none."""
    content = vault.read(f"{folder}/{PAGE_CONTENT}") or ""
    return unescape_links(content.partition(_PAGE_TEXT)[2]).strip()


def _read_number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def read_moment(text: object) -> float | None:
    """Return a moment as files say it, in epoch seconds; None where they say something else."""
    try:
        return from_iso(str(text))
    except ValueError:
        return None


def list_cached_pages(vault: Vault, turn_folder: str) -> list[CachedPage]:
    """Return the pages that a turn captured."""
    folders = [
        path.removesuffix(f"/{MANIFEST}")
        for path in vault.list_paths(f"{turn_folder}/{FOLDER}")
        if path.endswith(f"/{MANIFEST}")
    ]
    return [page for folder in folders if (page := read_cached_page(vault, folder))]


def find_site(url: str) -> str:
    """Return the host of an address as people say it; empty where it has none."""
    match = _HOST.match(url)
    return match[1].lower().removeprefix("www.") if match else ""


def read_json(vault: Vault, path: str) -> dict[str, Any] | None:
    """Return a JSON object of a file; None where there is none, whatever people made of it."""
    return parse_object(vault.read(path) or "") or None


def parse_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one where it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def read_object(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return an object inside another one; empty where there is none."""
    value = data.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def write_json(vault: Vault, path: str, value: Mapping[str, Any]) -> None:
    """Write an object as people read it."""
    vault.write(path, format_json(value))


def format_json(value: Mapping[str, Any]) -> str:
    return escape_hidden(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"
