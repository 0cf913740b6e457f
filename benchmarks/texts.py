"""Generated thoughts, turns and questions: seeded, varied, as long as what agents and people write.

Sentences are put together from patterns over a few hundred words, names, figures and identifiers,
so that texts share words as real ones do and hardly ever are the same twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_PATTERNS = (
    "{Part} {fails} when {part} {happens} {when}",
    "We {fixed} {part} by {fixing} {part} {where}",
    "{Name} {found} that {part} {fails} {where}, see {code}",
    "{Part} needs {amount} of {resource} {where}, not {amount}",
    "Do not {touch} {part} before {part} {happens}",
    "The {quality} {part} {where} {happens} {when}, so {part} {fails}",
    "{Fixing} {part} took {amount} and {saved} {amount} of {resource}",
    "{Name} and {name} {agreed} to {touch} {part} {when}",
    "After {code} {part} {happens} and {name} has to {touch} {part} by hand",
    "Since version {version} {part} {fails} {where}; {fixing} {part} {helps}",
    "Had dinner with {name} {where}, we talked about {hobby} and {hobby}",
    "{Name} started {hobby} {when} and wants to try {hobby} next",
    "My {relative} {happened} {when}, I was so {mood} about it",
    "Last {weekday} we went to {place} for {hobby}, it was {quality}",
    "Thanks {name}! {Hobby} really {helps} when I feel {mood}",
    "I bought a {quality} {thing} {where} for my {relative}",
)
_ASKED = (
    "Why does {part} {fail} when {part} {happens}?",
    "Who {found} that {part} {fails} {where}?",
    "How did we {fix} {part} {where}?",
    "How much {resource} does {part} need {where}?",
    "What happened to {part} after {code}?",
    "What did {name} and {name} decide about {part}?",
    "When did {name} start {hobby}?",
    "Where did {name} go for {hobby} last {weekday}?",
    "What did {name} buy for the {relative}?",
    "What should nobody do before {part} {happens}?",
)
_WORDS = {
    "part": """the ledger|the payment queue|the retry loop|the token cache|the billing worker|
        the search index|the upload form|the login page|the rate limiter|the session store|
        the nightly export|the audit log|the webhook sender|the schema migration|the feature flag|
        the image resizer|the mail gateway|the load balancer|the config loader|the job scheduler|
        the connection pool|the metrics agent|the release script|the mobile client|the report view|
        the checkout flow|the permission check|the address parser|the currency table|the test suite|
        the container image|the backup job|the edge proxy|the event stream|the vector store|
        the translation file|the date picker|the invoice printer|the customer record|
        the price feed""",
    "fails": """fails without a message|loses the last entry|times out|returns stale values|
        blocks every other writer|doubles the entries|drops the connection|rounds the wrong way|
        leaks memory|ignores the time zone|answers with an empty page|holds the lock for too long|
        retries without end|reads the old key|sorts by the wrong column|skips the first row""",
    "fail": "fail|time out|block|leak memory|lose entries|drop connections|retry without end",
    "happens": """restarts|is deployed again|runs twice|is empty|grows beyond its limit|
        falls behind|is switched off|gets a new certificate|changes its schema|
        waits for the network|is under heavy load|reads from the replica|runs on the old kernel|
        is restored from backup""",
    "when": """at midnight|during the release|every second {weekday}|in the first hour of a month|
        since {weekday}|twice a day|after the summer time change|in week {number}|
        on {number} March|early in the morning|whenever traffic peaks""",
    "where": """in {place}|on the staging machines|in production|on host {host}|for new customers|
        in the {place} office|behind the firewall|on small screens|under {code}|
        at table {number}""",
    "fixed": "fixed|stabilised|sped up|simplified|replaced|rewrote|unblocked|hardened",
    "fix": "fix|stabilise|speed up|simplify|replace|rewrite|unblock|harden",
    "fixing": """locking|batching|caching|splitting|sharding|draining|pinning|rotating|throttling|
        rewriting|mocking|renaming|measuring|monitoring|isolating|compressing""",
    "found": "found out|showed|measured|suspects|wrote down|told us|proved|remembers",
    "touch": "restart|migrate|drain|rename|redeploy|archive|unlock|upgrade|roll back|delete",
    "agreed": "agreed|promised|refused|plan|want|decided|volunteered",
    "helps": "helps|calms me down|was enough|made no difference|is the only way|works for now",
    "saved": "saved|cost|freed|needs|wasted",
    "resource": """memory|disk space|processor time|bandwidth|patience|budget|review time|quota|
        connections|cache""",
    "amount": "{number} minutes|{number} megabytes|{number} percent|{number} days|{number} calls",
    "code": "ERR_{number}|ticket WW-{number}|incident {number}|pull request {number}|E{number}",
    "host": "web-{number}|db-{number}|worker-{number}|cache-{number}|eu-{number}|lab-{number}",
    "version": "{number}.2|{number}.0.1|2.{number}|0.{number}.7",
    "quality": """slow|new|shared|tiny|broken|beautiful|noisy|green|second|forgotten|wonderful|old|
        peaceful|expensive|temporary|tasty|crowded|lovely|unexpected""",
    "hobby": """pottery|climbing|long distance running|baking sourdough|chess|birdwatching|painting|
        kayaking|playing the cello|photography|volunteering|yoga|gardening|astronomy|board games|
        learning Spanish|woodworking|swimming|salsa dancing|watching old films|camping|
        writing poems""",
    "relative": "sister|brother|grandmother|daughter|son|neighbour|cousin|boss|dog|friend|aunt",
    "happened": """graduated|moved abroad|got married|won a race|fell ill|opened a bakery|
        adopted a cat|changed jobs|turned sixty|learned to drive|wrote a book""",
    "mood": "happy|nervous|proud|tired|relieved|sad|excited|grateful|curious|overwhelmed",
    "thing": "bicycle|painting|tent|necklace|piano|lamp|book|camera|bowl|jacket|puzzle|guitar",
    "place": """Lisbon|Oslo|the harbour|the museum|Nairobi|the lake|Kyoto|the old town|Denver|
        the community centre|Tallinn|the mountains|Montreal|the farmers market|Quito|the beach""",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "name": """Ada|Bruno|Chidi|Dalia|Emre|Freya|Goran|Hana|Imani|Jonas|Keiko|Luis|Mira|Noor|Otto|
        Priya|Quentin|Rosa|Stefan|Tove|Umar|Vera|Wanda|Xenia|Yusuf|Zoe""",
}
_CHOICES = {name: [choice.strip() for choice in words.split("|")] for name, words in _WORDS.items()}
_TAGS = ("operations", "billing", "search", "people", "release", "storage", "travel", "family")
_AGENTS = 40
_TURNS_A_SESSION = 20


class _Filler(dict[str, str]):
    """Looks a name up in the word lists, by chance; a capital asks for a capital."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def __missing__(self, name: str) -> str:
        if name == "number":
            return str(self._chance.randint(2, 9_999))
        words = self._chance.choice(_CHOICES[name.lower()]).format_map(self)
        return words[0].upper() + words[1:] if name[0].isupper() else words


def thoughts(count: int, *, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield thought records of one to five sentences by 40 agents, some of them tagged."""
    chance = random.Random(seed)
    for _ in range(count):
        agent = f"agent-{chance.randrange(_AGENTS)}"
        tags = chance.sample(_TAGS, k=chance.choice((0, 0, 0, 1, 2)))
        yield {
            "record": "thought",
            "content": _text(chance, chance.choice((1, 1, 2, 2, 3, 4, 5))),
            "contributor_id": agent,
            "contributor_name": agent.title(),
            "tags": tags,
        }


def turns(count: int, *, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield turn records of conversations between two people, 20 a session, in order."""
    chance = random.Random(seed)
    names = _CHOICES["name"]
    for number in range(count):
        session, position = divmod(number, _TURNS_A_SESSION)
        name = names[(session * 2 + position % 2) % len(names)]
        yield {
            "record": "thought",
            "kind": "turn",
            "content": _text(chance, chance.choice((1, 1, 2, 2, 3))),
            "contributor_id": name.lower(),
            "contributor_name": name,
            "session": f"session-{session}",
            "position": position,
        }


def questions(count: int, *, seed: int = 1) -> list[str]:
    """Return questions about such texts."""
    chance = random.Random(f"questions {seed}")
    return [chance.choice(_ASKED).format_map(_Filler(chance)) for _ in range(count)]


def _text(chance: random.Random, sentences: int) -> str:
    return " ".join(
        chance.choice(_PATTERNS).format_map(_Filler(chance)) + "." for _ in range(sentences)
    )
