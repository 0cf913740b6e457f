"""Draws words and values of every kind that made sentences are filled with."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

_STOCK: Final = Path(__file__).with_name("stock.toml")
_REGIONS: Final = ("north", "south", "east", "west", "central")
_STATES: Final = (
    "out of order|ready|being repaired|in use|waiting for parts|shut down|on hold|approved|blocked"
    "|finished|nearly done|delayed|live|in review|cancelled|being tested|stopped|healthy"
).split("|")
_HEATINGS: Final = (
    "gas|oil|wood pellets|a heat pump|district heating|solar panels|an open fire|coal|electricity"
).split("|")
_LANGUAGES: Final = (
    "Rust|Go|Python|Java|Kotlin|Swift|Ruby|Elixir|Haskell|C++|TypeScript|Scala|French|Spanish"
    "|Danish|Polish|Dutch|Greek|Welsh|Turkish|Czech|Swedish"
).split("|")
_LICENCES: Final = (
    "the MIT licence|Apache-2.0|GPL-3.0|BSD-3-Clause|LGPL-2.1|CC BY 4.0|CC BY-SA 4.0|ISC|AGPL-3.0"
    "|CC0|EPL-2.0"
).split("|")
_GOODS: Final = (
    "apples|barley|beeswax|bolts|books|brine|buckets|candles|carrots|chestnuts|cider|clay|coal"
    "|coffee beans|compost|cotton|diesel|dried figs|firewood|flour|glue|gravel|hay|hazelnuts|honey"
    "|ink|lamp oil|lemons|lentils|linseed oil|malt|maps|milk|mustard|nails|oats|old files|olives"
    "|onions|paint|paper|peanuts|pears|plums|potatoes|rain water|resin|rice|rye|salt|sand|sawdust"
    "|screws|seeds|soap|spare parts|sugar|tea|tiles|tools|vinegar|walnuts|wax|wheat|whey|wine|wool"
    "|yeast"
).split("|")
_COMPANY_ENDS: Final = ("Ltd", "& Sons", "Works", "Systems", "Group", "Labs", "Partners", "AG")
_STREETS: Final = ("Street", "Road", "Lane", "Square", "Avenue", "Row", "Hill", "Quay")
_FLOORS: Final = (
    "the first floor|the second floor|the third floor|the fourth floor|the fifth floor"
    "|the ground floor|the top floor|level 6|level -1"
).split("|")
_NUMBER_WORDS: Final = (
    "two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty"
).split()
_FREQUENCIES: Final = (
    "every day|every night|every week|every month|every hour|twice a day|twice a week|three times a"
    " week|once a year|every two weeks|every six months|every quarter|every other day|each Monday"
    "|each Friday|on Sundays|at noon|at 2 am|every spring|each autumn|every 500 hours|every 90 days"
).split("|")


@cache
def read_stock() -> Mapping[str, Any]:
    """Return the words and forms that made sentences are filled with."""
    return tomllib.loads(_STOCK.read_text(encoding="utf-8"))


@cache
def list_words(name: str) -> Sequence[str]:
    """Return one of the lists of the stock."""
    text = " ".join(read_stock()[name].split())
    return tuple(each.strip() for each in (text.split("|") if "|" in text else text.split()))


def draw_number(rng: Random, most: int = 2000) -> str:
    """Draw a number as people write it: small ones more often, some in words or with a comma."""
    scale = rng.choice((12, 60, 100, 400, most))
    number = rng.randint(2, max(3, scale))
    if number > 100 and rng.random() < 0.5:
        number -= number % 10
    return f"{number:,}" if rng.random() < 0.5 else str(number)


def draw_person(rng: Random) -> str:
    """Draw a name of a person: both names, the first, or the last with a title."""
    first, last = rng.choice(list_words("first_names")), rng.choice(list_words("last_names"))
    way = rng.random()
    if way < 0.45:
        return first
    if way < 0.85:
        return f"{first} {last}"
    return f"{rng.choice(('Mr', 'Mrs', 'Ms', 'Dr', 'Professor'))} {last}"


def draw_value(kind: str, rng: Random) -> str:
    """Draw a value of a kind, as the stock names it."""
    if kind in _DRAWN:
        return _DRAWN[kind](rng)
    units = _UNITS[kind]
    number = draw_number(rng) if rng.random() < 0.85 else rng.choice(_NUMBER_WORDS)
    if rng.random() < 0.1 and number.isdigit():
        number = f"{number}.{rng.randint(1, 9)}"
    return rng.choice(units).format(n=number)


def _draw_money(rng: Random) -> str:
    number = draw_number(rng, 20_000)
    if rng.random() < 0.3 and "," not in number:
        number += f".{rng.choice(('50', '90', '20', '99'))}"
    return rng.choice(("{n} euros", "${n}", "€{n}", "{n} EUR", "{n}", "£{n}", "{n} francs")).format(
        n=number
    )


def _draw_date(rng: Random) -> str:
    day, month = rng.randint(1, 28), rng.choice(list_words("months"))
    year = rng.randint(2015, 2032)
    return rng.choice(
        (
            f"{day} {month}",
            f"{month} {day}",
            f"{day} {month} {year}",
            f"{year}-{rng.randint(1, 12):02}-{day:02}",
            f"{month} {year}",
            f"the {day}th of {month}",
            f"{rng.choice(list_words('weekdays'))}, {day} {month}",
        )
    )


def _draw_time(rng: Random) -> str:
    hour, minute = rng.randint(5, 22), rng.choice((0, 0, 15, 30, 30, 45, 10, 50))
    short = f"{(hour - 1) % 12 + 1} {'am' if hour < 12 else 'pm'}"
    return rng.choice((f"{hour}:{minute:02}", f"{hour:02}:{minute:02}", short))


def _draw_serial(rng: Random) -> str:
    letters = "".join(rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=rng.randint(1, 3)))
    digits = "".join(rng.choices("0123456789", k=rng.randint(2, 6)))
    return rng.choice((f"{letters}-{digits}", f"{letters}{digits}", f"{digits}-{letters}"))


def _draw_phone(rng: Random) -> str:
    def digits(count: int) -> str:
        return "".join(rng.choices("0123456789", k=count))

    return rng.choice(
        (
            f"0{digits(3)} {digits(6)}",
            f"+{rng.randint(30, 49)} {digits(3)} {digits(5)}",
            f"{digits(3)}-{digits(4)}",
            f"extension {digits(3)}",
            f"({digits(3)}) {digits(3)}-{digits(4)}",
        )
    )


def _draw_email(rng: Random) -> str:
    user = rng.choice(
        (
            rng.choice(list_words("first_names")).lower(),
            rng.choice(("info", "office", "team", "desk", "help", "hello", "mail")),
        )
    )
    return f"{user}@{rng.choice(list_words('codewords'))}.example"


def _draw_version(rng: Random) -> str:
    parts = [str(rng.randint(0, 24)) for _ in range(rng.randint(2, 3))]
    return rng.choice(("{}", "v{}", "version {}", "release {}")).format(".".join(parts))


def _draw_port(rng: Random) -> str:
    number = str(rng.choice((rng.randint(80, 9999), rng.randint(1000, 65000))))
    return rng.choice((number, number, f"port {number}"))


def _draw_address(rng: Random) -> str:
    street = f"{rng.choice(list_words('codewords')).title()} {rng.choice(_STREETS)}"
    return rng.choice(
        (
            f"{rng.randint(1, 180)} {street}",
            f"{street} {rng.randint(1, 180)}",
            f"10.{rng.randint(0, 40)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}",
        )
    )


_DRAWN: Final = {
    "money": _draw_money,
    "date": _draw_date,
    "time": _draw_time,
    "serial": _draw_serial,
    "phone": _draw_phone,
    "email": _draw_email,
    "version": _draw_version,
    "port": _draw_port,
    "address": _draw_address,
    "person": draw_person,
    "place": lambda rng: rng.choice(list_words("places")),
    "room": lambda rng: rng.choice(list_words("rooms")),
    "colour": lambda rng: rng.choice(list_words("colours")),
    "material": lambda rng: rng.choice(list_words("materials")),
    "goods": lambda rng: rng.choice(_GOODS),
    "weekday": lambda rng: rng.choice(list_words("weekdays")),
    "tool": lambda rng: rng.choice(list_words("tools")),
    "year": lambda rng: str(rng.randint(1780, 2025)),
    "count": lambda rng: rng.choice((str(rng.randint(2, 120)), rng.choice(_NUMBER_WORDS))),
    "age": lambda rng: f"{rng.randint(2, 95)} {rng.choice(('years', 'months', 'weeks', 'years'))}",
    "region": lambda rng: (
        f"{rng.choice(('eu', 'us', 'ap'))}-{rng.choice(_REGIONS)}-{rng.randint(1, 4)}"
    ),
    "code": lambda rng: "".join(rng.choices("0123456789", k=rng.randint(4, 6))),
    "floor": lambda rng: rng.choice(_FLOORS),
    "platform": lambda rng: f"platform {rng.randint(1, 19)}{rng.choice(('', '', 'a', 'b'))}",
    "channel": lambda rng: (
        f"#{rng.choice(list_words('codewords'))}-"
        f"{rng.choice(('dev', 'ops', 'help', 'team', 'talk'))}"
    ),
    "repository": lambda rng: (
        f"{rng.choice(list_words('codewords'))}/{rng.choice(list_words('codewords'))}"
    ),
    "company": lambda rng: f"{rng.choice(list_words('last_names'))} {rng.choice(_COMPANY_ENDS)}",
    "status": lambda rng: rng.choice(_STATES),
    "heating": lambda rng: rng.choice(_HEATINGS),
    "language": lambda rng: rng.choice(_LANGUAGES),
    "licence": lambda rng: rng.choice(_LICENCES),
    "frequency": lambda rng: rng.choice(_FREQUENCIES),
}
_UNITS: Final = {
    "volume": ("{n} litres", "{n} l", "{n} gallons", "{n} m³", "{n} people", "{n} bags", "{n}"),
    "temperature": ("{n} °C", "{n} degrees", "{n}°", "{n} °F", "-{n} °C", "{n} K"),
    "pressure": ("{n} bar", "{n} kPa", "{n} psi"),
    "flow": ("{n} m³/h", "{n} l/min", "{n} litres a minute"),
    "power": ("{n} kW", "{n} W", "{n} watts", "{n} hp"),
    "voltage": ("{n} V", "{n} volts", "{n} kV"),
    "mass": ("{n} kg", "{n} kilos", "{n} g", "{n} tonnes", "{n} pounds", "{n} lb"),
    "length": ("{n} m", "{n} metres", "{n} cm", "{n} feet", "{n} mm", "{n} inches"),
    "smalllength": ("{n} mm", "{n} cm", "{n} inches"),
    "area": ("{n} m²", "{n} square metres", "{n} hectares", "{n} acres"),
    "speed": ("{n} rpm", "{n} turns a minute", "{n} km/h", "{n} knots"),
    "noise": ("{n} dB", "{n} decibels"),
    "percent": ("{n} %", "{n} percent", "{n}%"),
    "distance": ("{n} km", "{n} kilometres", "{n} miles"),
    "resolution": ("{n} megapixels", "{n}p", "{n} dpi"),
    "bytes": ("{n} GB", "{n} MB", "{n} GiB", "{n} TB"),
    "duration": ("{n} days", "{n} weeks", "{n} months", "{n} years", "{n} hours", "{n} minutes"),
    "shortduration": ("{n} s", "{n} seconds", "{n} ms", "{n} minutes", "{n} min", "{n} hours"),
    "limit": ("{n} requests", "{n} a minute", "{n}", "{n} items", "{n} tonnes", "{n} MB", "{n} kg"),
    "dose": ("{n} mg", "{n} drops", "{n} ml", "{n} tablets"),
}
