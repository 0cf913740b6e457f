"""Every number that ranking uses, each with the figure that justified it.

Weights belong to the kind of unit: short turns want little length normalisation, longer texts the
full share of it. Measured on the development halves of public sets; `docs/adr/0003-fusion.md` has
the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["thought", "turn"]


@dataclass(frozen=True, slots=True)
class Saturation:
    """BM25's document side: how counts level off and how length is charged.

    Attributes:
        k1: where repeated words stop adding; 0 counts presence only.
        b: share of the length that is normalised away, 0 to 1.
        average_words: length of a typical unit of the kind, in words without stop words.
    """

    k1: float
    b: float
    average_words: float


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights of the z-normalised scores."""

    cosine: float
    keyword: float


#: Turns: fused recall@10 .714 (.709 at b .4, .706 at .6, .705 with the thought's constants).
#: Thoughts: keyword recall@5 of passages .883 (.870 at k1 .9, b .4); a passage has 80 to 100 words.
SATURATION: Final[dict[Kind, Saturation]] = {
    "turn": Saturation(k1=0.9, b=0.2, average_words=18.0),
    "thought": Saturation(k1=1.2, b=0.75, average_words=80.0),
}

#: One pair serves both kinds: recall@10 of turns .714 (.710 at .8, .706 at 1.2), recall@5 of
#: documentation sections .837, of code .795; what differs by kind is in SATURATION.
FUSION: Final = Fusion(cosine=1.0, keyword=1.0)

#: A deviation below these is taken as these, or two thoughts a hair apart would stand as far apart
#: as the best from the worst. Mean reciprocal rank among 2 units .923 -> .952, among 5 .914 ->
#: .924; lists of a hundred spread by more (first percentiles .065 and .57) and do not change.
LEAST_COSINE_DEVIATION: Final = 0.05
LEAST_KEYWORD_DEVIATION: Final = 0.5

#: Beyond this many deviations below the mean a vector says no more than "not about this", so that
#: an exact identifier is found whatever its vector says. No figure moves by more than .001.
FARTHEST: Final = -1.5

#: Four showings change little, forty decide.
PRIOR_STRENGTH: Final = 4.0
#: Rate of use assumed of what nobody tried; above the usual rate on purpose, so that what was shown
#: in vain sinks below it. Success@3 asked / never asked: .2 gives +.130 / -.005, .3 +.122 / .000,
#: .5 +.104 / +.013 in the simulation of `benchmarks/simulation.py`.
PRIOR_RATE: Final = 0.3
#: Above this the loss on needs nobody had before outgrows the gain.
USEFULNESS_CAP: Final = 0.4
#: A reader gets to the tenth result about a quarter as often as to the first.
EXPOSURE_FADING: Final = 0.3
#: Between 3 and 60 days success differs by 1.5 points at most; two weeks follow a project.
EVIDENCE_HALF_LIFE_S: Final = 14 * 86_400.0
