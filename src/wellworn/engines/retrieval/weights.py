"""Every number that ranking uses, each with the figure that justified it.

Weights belong to the kind of unit: short turns want little length normalisation, longer texts the
full share of it. Measured on the development halves of public sets: `docs/adr/0003-fusion.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

POLICY_VERSION: Final = 3
"""Raised whenever the rules or the weights change, to tell old showings apart in the log.

1: cosine and keywords with one pair of weights, then use. 2: weights by shape, word pieces, order,
time and names. 3: a name of which no word is known counts more, whatever its vector says.
"""

Kind = Literal["thought", "turn"]
"""Kinds of stored text: words of their own, or words in the order of a conversation."""

Shape = Literal["note", "section", "code", "turn", "message", "long_message"]
"""Looks of a text, which decide how it is ranked: `text.detect_shape`."""

#: Words from which a thought is a section. It is ranked as a note is, and only BM25 could differ.
SECTION_WORDS: Final = 60
#: Words from which a turn is a long message. People's turns have 15 to 30 and hardly ever 120,
#: answers of assistants several hundred. With a border of 60 LoCoMo's recall@10 was .013 lower.
LONG_MESSAGE_WORDS: Final = 120


@dataclass(frozen=True, slots=True)
class Saturation:
    """BM25's document side: how counts level off and how length is charged.

    Attributes:
        k1: where repeated words stop adding; 0 counts presence only.
        b: share of the length that is normalised away, 0 to 1.
        average_words: length of a typical unit of the shape, in words without stop words.
    """

    k1: float
    b: float
    average_words: float


#: Turns: fused recall@10 .714 (.709 at b .4, .706 at .6, .705 with the thought's constants).
#: Sections: keyword recall@5 of passages .883 (.870 at k1 .9, b .4); a passage has 80 to 100 words.
#: Long messages: in chats with an assistant recall@10 .496 (.397 with a section's constants).
SATURATION: Final[Mapping[Shape, Saturation]] = {
    "note": Saturation(k1=1.2, b=0.75, average_words=80.0),
    "section": Saturation(k1=1.2, b=0.75, average_words=80.0),
    "code": Saturation(k1=1.2, b=0.75, average_words=80.0),
    "turn": Saturation(k1=0.9, b=0.2, average_words=18.0),
    "message": Saturation(k1=0.9, b=0.2, average_words=18.0),
    "long_message": Saturation(k1=2.0, b=1.0, average_words=120.0),
}


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of each reason for a unit of one shape; 0 switches it off.

    The first six weigh z-scores over the candidates of a question. The others weigh what is 0 or 1,
    or in between.

    Attributes:
        meaning: cosine of the sentence vectors.
        words: BM25 of the unit's own words.
        nearby: BM25 of its words and its neighbours', which fade with distance.
        pieces: token-level matching of the unit alone.
        answer: the same, the question that it answers counted in.
        around: the same, two neighbours on each side counted in.
        name: how much of the name asked for it is called, when a name is all that is asked.
        mention: the same, when the name is in a longer question.
        day: it is of the day, month or year that the question names.
        when: it tells a time, and the question asks for one.
        speaker: it is said by the one whom the question names.
        asks: it ends with a question; negative, as questions hold no answers.
        replies: it follows another's question.
        user: it is said by a user, in a conversation with an assistant.
    """

    meaning: float = 0.0
    words: float = 0.0
    nearby: float = 0.0
    pieces: float = 0.0
    answer: float = 0.0
    around: float = 0.0
    name: float = 10.0
    mention: float = 1.0
    day: float = 0.0
    when: float = 0.0
    speaker: float = 0.0
    asks: float = 0.0
    replies: float = 0.0
    user: float = 0.0


#: Documents, a little of each reason. What switching one off costs in hit@5 of sections looked for
#: by meaning (300 of the headings that were hidden from 4,614 sections):
#:     meaning                      -.013
#:     words                        -.023
#:     nearby (other sections)      -.037
#:     pieces, around               -.010, -.017; both -.027
#: They are the row, of some hundred tried, that does best at once by recall@5 of sections (.847)
#: and of code (.860), nDCG@10 of passages (.842) and hit@5 by meaning; others differ by .02.
#: Code shares its commonest words with all other code, so they count less: recall@5 .863.
_DOCUMENT: Final = Weights(meaning=1.5, words=1.0, nearby=1.0, pieces=0.6, around=0.5)

#: Turns, fitted on LoCoMo and REALTALK together and rounded. Switched off, a reason costs recall@10
#: of LoCoMo's turns (nDCG@10), and of REALTALK's:
#:     meaning   -.012 (-.003)  -.026        speaker  -.008 (-.008)  -.010
#:     nearby    -.023 (-.018)  -.006        asks     -.004 (-.009)  -.002
#:     answer    -.013 (-.028)  -.016        replies  -.004 (-.005)  -.001
#:     around    -.018 (-.010)  -.006        when      .000 (-.004)  +.004 (-.003)
#:     day       -.011 (-.012)  +.001        answer and around -.042 (-.054)  -.036
#: Messages to and from an assistant, fitted on the odd BEAM-100K chats (10 chats, 179 questions):
#: recall@10 .614; with a turn's weights .482, and .552 with those and `user`. What a user says
#: comes before what an assistant answers, and the longer a message, the less each reason proves.
WEIGHTS: Final[Mapping[Shape, Weights]] = {
    "note": _DOCUMENT,
    "section": _DOCUMENT,
    "code": replace(_DOCUMENT, words=0.75),
    "turn": Weights(
        meaning=0.6,
        nearby=0.8,
        answer=0.8,
        around=0.6,
        day=4.0,
        when=1.4,
        speaker=1.2,
        asks=-0.9,
        replies=0.4,
    ),
    "message": Weights(meaning=1.0, words=1.0, nearby=0.45, around=0.75, user=3.0),
    "long_message": Weights(meaning=0.5, words=0.5, nearby=0.3, user=3.0),
}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The reach of neighbours' words: `fade` for every step, up to `steps` of them."""

    fade: float
    steps: int


#: Turns: BM25 alone .662 to .757. Sections of a file: code chunks recall@5 .786 to .843.
NEIGHBOURHOOD: Final[Mapping[Shape, Neighbourhood]] = {
    "note": Neighbourhood(0.3, 2),
    "section": Neighbourhood(0.3, 2),
    "code": Neighbourhood(0.3, 2),
    "turn": Neighbourhood(0.55, 4),
    "message": Neighbourhood(0.55, 4),
    "long_message": Neighbourhood(0.3, 2),
}
MOST_STEPS: Final = 4

#: How much more a name counts when nothing has a word of it, as with a typing error in its only
#: one: hit@5 of documentation asked for with such errors .975 -> 1.000 (322 questions).
MISTYPED_NAME: Final = 2.5

#: Shapes whose word pieces are stored: in long messages token-level matching is worse than their
#: sentence vector (recall@10 .507 against .557), as some piece of a long text always matches.
MATCHED_SHAPES: Final = frozenset[Shape]({"note", "section", "code", "turn", "message"})

#: A piece matched by a neighbour counts this much less for every step between them.
STEP_HANDICAP: Final = 0.05
AROUND_STEPS: Final = 2

#: Weight of a question's function word in token-level matching, where rare words count 3 to 7.
LEAST_PIECE_WEIGHT: Final = 0.3
#: Pieces of a question that are matched; a longer one keeps those that count most.
MOST_PIECES: Final = 48

#: Which candidates are looked at closely is decided by both scores of the index, one to one:
#: recall@10 of turns .714 by it alone (.710 at .8, .706 at 1.2).
FIRST_STAGE: Final = Weights(meaning=1.0, words=1.0)

#: A deviation below these counts as these, or two thoughts a hair apart would stand as far apart
#: as the best from the worst. Mean reciprocal rank among 2 units .923 -> .952, among 5 .914 ->
#: .924; lists of a hundred spread by more (first percentiles .065 and .57) and do not change.
LEAST_COSINE_DEVIATION: Final = 0.05
LEAST_KEYWORD_DEVIATION: Final = 0.5
#: The same for token-level matching; among a hundred candidates it is .05 to .1.
LEAST_PIECE_DEVIATION: Final = 0.03

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
