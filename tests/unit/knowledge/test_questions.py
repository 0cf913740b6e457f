"""What a question asks: the thing, the attribute, and what narrows it down."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.attributes import read_context
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.questions import parse_question, parse_without_names

KNOWN = {
    name_key(name) for name in ("kasm-01", "GPU box", "cube", "home assistant", "home", "port")
}


def parse(text, context=""):
    question = parse_question(text, context, lambda name: name_key(name) in KNOWN)
    return question and (question.name, question.asked)


@pytest.mark.parametrize(
    ("text", "name", "asked"),
    [
        ("kasm-01 IP address", "kasm-01", "ip address"),
        ("What's the IP of kasm-01?", "kasm-01", "ip"),
        ("cube's port", "cube", "port"),
        ("cube data ip", "cube", "data ip"),
        ("how do I reach the GPU box?", "gpu box", "reach"),
        ("which port does Home Assistant listen on?", "home assistant", "port"),
        ("where does cube listen?", "cube", "listen"),
        ("how long is cube kept for?", "cube", "long kept"),
        ("serial number of cube", "cube", "serial number"),
        ("kasm-01 flux capacitor", "kasm-01", "flux capacitor"),
        ("What is cube?", "cube", None),
        ("the cube", "cube", None),
        ("cube", "cube", None),
    ],
)
def test_what_stands_beside_a_name_is_asked_of_it(text, name, asked):
    assert parse(text) == (name, asked)


def test_the_longest_name_is_the_one_that_is_meant():
    assert parse("home assistant url") == ("home assistant", "url")
    assert parse("home url") == ("home", "url")


def test_a_name_of_one_plain_word_may_be_a_part_of_what_is_meant():
    question = parse_question("home analytics pipeline", "", lambda name: name == "home")
    assert question is not None
    assert question.is_plain


def test_a_context_names_the_attribute_where_the_question_names_none():
    assert parse("cube", "which port does it listen on?") == ("cube", "port")
    assert parse("cube ip", "which port does it listen on?") == ("cube", "ip")


@pytest.mark.parametrize("text", ["", "?!", "zanzibar ip", "word " * 30])
def test_what_names_nothing_known_is_not_read(text):
    assert parse(text) is None


def test_a_name_that_is_no_plain_word_is_meant_before_one_that_is():
    known = {"vlan", "game-01"}
    question = parse_question("which vlan is game-01 on?", "", lambda name: name in known)
    assert question is not None
    assert question.name == "game-01"


@pytest.mark.parametrize(
    ("text", "name", "asked"),
    [
        ("Which version of beszel do we use?", "beszel", "version"),
    ],
)
def test_of_a_question_after_a_name_that_nobody_knows_the_name_is_left(text, name, asked):
    question = parse_without_names(text)
    assert question is not None
    assert (question.name, question.asked) == (name, asked)


@pytest.mark.parametrize(
    ("context", "asked"),
    [
        ("ip address in the lab network", "ip address"),
        ("which port does it listen on?", "port"),
        ("config file path", "config file path"),
        ("favourite colour", "favourite colour"),
        ("phone", "phone"),
        ("what does it weigh", "weigh"),
        ("size in bytes", "size"),
        ("agent enrollment port", "agent enrollment port"),
    ],
)
def test_a_short_context_asks_for_what_it_names(context, asked):
    assert read_context(context) == asked


@pytest.mark.parametrize(
    "context",
    [
        "",
        "config",
        "headscale config",
        "in the helm chart",
        "the federator helm chart",
        "docker on the NAS",
        "k3s stack, production",
        "deploying to the cluster",
        "writing an ssh config",
        "an alert fired",
        "the server",
    ],
)
def test_a_context_that_tells_where_or_why_asks_for_nothing(context):
    assert read_context(context) is None


def test_a_context_that_says_the_name_again_asks_for_the_rest():
    assert read_context("cube favourite colour", "cube") == "favourite colour"
