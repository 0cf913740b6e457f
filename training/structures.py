"""Makes tables, lists and settings as the canonical text of documents has them, and asks them."""

from __future__ import annotations

from random import Random
from typing import Final

from training.pairs import Pair, unanswered
from training.scenes import Fact, Subject, ask, draw_fact, draw_subject, list_unlike, pair_or_none
from training.values import draw_value, list_words

_KEY_FIRST: Final = (
    "max|min|default|read|write|connect|idle|retry|request|session|cache|log|worker|pool|queue"
    "|upload|download|backup|auth|token|lock|batch|index|http|grpc|admin|metrics|health|proxy"
).split("|")
_KEY_LAST: Final = {
    "timeout": "shortduration",
    "limit": "count",
    "size": "bytes",
    "connections": "count",
    "interval": "shortduration",
    "count": "count",
    "port": "port",
    "threads": "count",
    "ttl": "shortduration",
    "retries": "count",
    "path": "repository",
    "owner": "person",
    "version": "version",
    "region": "region",
    "color": "colour",
    "host": "address",
}
_ASKS_KEY: Final = (
    "What is {k}?",
    "What is the {w}?",
    "What is {k} set to?",
    "{k}",
    "{w}",
    "Which {w} is set?",
    "What's the {w}?",
    "To what is the {w} set?",
    "value of {k}",
    "what is the {w} of {p}",
    "{p} {w}",
    "What is the {w} of {p}?",
)


def make_tables(rng: Random, source: str) -> list[Pair | None]:
    """Make a table of things and attributes, or some of its rows, and ask for cells."""
    subject = draw_subject(rng)
    twins = [subject, *(subject.draw_twin(rng) for _ in range(rng.randint(0, 3)))]
    attributes = rng.sample(subject.attributes, k=min(rng.randint(1, 4), len(subject.attributes)))
    rows = [[draw_fact(rng, it, attribute) for attribute in attributes] for it in twins]
    is_short = rng.random() < 0.5 and bool(subject.mark)
    order = rng.sample(rows, k=len(rows))
    text = _write_table(order, rng, is_short=is_short)
    if rng.random() < 0.3:
        text = f"## {rng.choice(_TITLES)}\n\n{text}"
    asked = rng.choice(rows[0])
    question = ask(asked, rng)
    pairs: list[Pair | None] = [_find_cell("tables", question, text, asked, source)]
    absent = draw_fact(rng, subject.draw_twin(rng), asked.attribute)
    if all(absent.subject.name != it.name for it in twins):
        pairs.append(unanswered("tables", ask(absent, rng), text, source))
    unlike = [it for it in list_unlike(subject, asked.attribute) if it not in attributes]
    if unlike and rng.random() < 0.6:
        missing = draw_fact(rng, subject, rng.choice(unlike))
        if not {missing.attribute} & {it for other in attributes for it in _alike(other, subject)}:
            pairs.append(unanswered("tables", ask(missing, rng), text, source))
    return pairs


_TITLES: Final = ("Overview", "Inventory", "Prices", "List", "Facts", "Equipment", "At a glance")


def _alike(attribute: str, subject: Subject) -> list[str]:
    unlike = list_unlike(subject, attribute)
    return [it for it in subject.attributes if it not in unlike]


def _write_table(rows: list[list[Fact]], rng: Random, *, is_short: bool) -> str:
    subject = rows[0][0].subject
    first = subject.noun if is_short else rng.choice(("Name", "Item", subject.noun, ""))
    heads = [first.capitalize(), *(it.label.capitalize() for it in rows[0])]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        name = row[0].subject.mark if is_short else row[0].subject.name.removeprefix("the ")
        lines.append([name, *(it.value for it in row)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _find_cell(kind: str, question: str, text: str, fact: Fact, source: str) -> Pair | None:
    """Make a pair whose answer is the cell of the fact's own row and column."""
    name = fact.subject.name.removeprefix("the ")
    start = 0
    for line in text.split("\n"):
        cells = line.strip("| ").split(" | ")
        if cells[0] in (name, fact.subject.mark) and fact.value in cells[1:]:
            if cells.count(fact.value) > 1:
                return None
            at = start + line.index(f"| {fact.value} |") + 2
            return Pair(kind, question, text, at, at + len(fact.value), source)
        start += len(line) + 1
    return None


def make_lists(rng: Random, source: str) -> list[Pair | None]:
    """Make a list with the attributes of a thing, or with things and one attribute."""
    subject = draw_subject(rng)
    name = subject.name.removeprefix("the ")
    twin = subject.draw_twin(rng)
    count = min(rng.randint(1, 5), len(subject.attributes))
    facts = [draw_fact(rng, subject, it) for it in rng.sample(subject.attributes, k=count)]
    mark = rng.choice(("- ", "- ", "* ", ""))
    asked = rng.choice(facts)
    if rng.random() < 0.6:
        lines = [f"{mark}{it.label.capitalize()}: {it.value}" for it in facts]
        head = rng.choice(("# {}", "## {}", "{}:", "**{}**", "### {}")).format(_capital(name))
        text = f"{head}\n\n" + "\n".join(lines)
        other = text.replace(_capital(name), _capital(twin.name.removeprefix("the ")))
    else:
        twins = [subject, *(subject.draw_twin(rng) for _ in range(rng.randint(0, 3)))]
        others = [asked, *(draw_fact(rng, it, asked.attribute) for it in twins[1:])]
        rng.shuffle(others)
        lines = [f"{mark}{it.subject.name.removeprefix('the ')}: {it.value}" for it in others]
        text = f"{rng.choice(('## ', '', '# '))}{asked.label.capitalize()}\n\n" + "\n".join(lines)
        other = ""
    question = ask(asked, rng)
    pairs = [pair_or_none("lists", question, text, asked.value, source)]
    if other and other != text:
        pairs.append(unanswered("lists", question, other, source))
    unlike = [it for it in list_unlike(subject, asked.attribute) if it not in _told(facts)]
    if other and unlike:
        missing = draw_fact(rng, subject, rng.choice(unlike))
        told = {it for each in facts for it in _alike(each.attribute, subject)}
        if missing.attribute not in told:
            pairs.append(unanswered("lists", ask(missing, rng), text, source))
    return pairs


def _told(facts: list[Fact]) -> set[str]:
    return {it.attribute for it in facts}


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def make_settings(rng: Random, source: str) -> list[Pair | None]:
    """Make lines of a settings file, and ask for one by its key, or for one that is not there."""
    last = [rng.choice([*_KEY_LAST]) for _ in range(rng.randint(1, 5))]
    keys = [*dict.fromkeys((rng.choice(_KEY_FIRST), each) for each in last)]
    product = rng.choice(list_words("codewords"))
    style = rng.choice(("{k} = {v}", "{k}: {v}", "{k}={v}", '"{k}": "{v}",', "- {k}: {v}"))
    joint = rng.choice(("_", "-", ".", "_"))
    is_loud = rng.random() < 0.2
    written = [
        (
            joint.join(key).upper() if is_loud else joint.join(key),
            draw_value(_KEY_LAST[key[1]], rng),
        )
        for key in keys
    ]
    lines = [style.format(k=key, v=value) for key, value in written]
    if rng.random() < 0.5:
        lines.insert(0, rng.choice(("[{}]", "# {}", "{}:", "## {}")).format(product))
    at = rng.randrange(len(keys))
    question = _ask_key(keys[at], written[at][0], product, rng)
    text = "\n".join(lines)
    pairs = [pair_or_none("settings", question, text, written[at][1], source)]
    absent = (rng.choice(_KEY_FIRST), keys[at][1])
    if absent not in keys:
        asked = _ask_key(absent, joint.join(absent), product, rng)
        pairs.append(unanswered("settings", asked, text, source))
    other = (keys[at][0], rng.choice([*_KEY_LAST]))
    if other not in keys:
        asked = _ask_key(other, joint.join(other), product, rng)
        pairs.append(unanswered("settings", asked, text, source))
    return pairs


def _ask_key(key: tuple[str, str], written: str, product: str, rng: Random) -> str:
    question = rng.choice(_ASKS_KEY).format(k=written, w=" ".join(key), p=product)
    return question if rng.random() < 0.7 else question.lower().rstrip("?")
