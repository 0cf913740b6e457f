"""What a question asks: the thing, the attribute, and what narrows it down."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.attributes import find_attribute, read_context
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.questions import parse_question, parse_without_names

KNOWN = {
    name_key(name) for name in ("kasm-01", "GPU box", "cube", "home assistant", "home", "port")
}


def parse(text, context=""):
    question = parse_question(text, context, lambda name: name_key(name) in KNOWN)
    return question and (question.name, question.asked and question.asked.name)


@pytest.mark.parametrize(
    ("text", "name", "asked"),
    [
        ("kasm-01 IP address", "kasm-01", "address"),
        ("What's the IP of kasm-01?", "kasm-01", "address"),
        ("cube's port", "cube", "port"),
        ("cube server ip", "cube", "address"),
        ("ip of the machine cube", "cube", "address"),
        ("how do I reach the GPU box?", "gpu box", "address or URL"),
        ("which port does Home Assistant listen on?", "home assistant", "port"),
        ("which image does cube run?", "cube", "image"),
        ("what port is cube running on?", "cube", "port"),
        ("where does cube run?", "cube", "host"),
        ("where does cube listen?", "cube", "listen address"),
        ("cube ssh", "cube", "ssh"),
        ("serial number of cube", "cube", "serial"),
        ("What is cube?", "cube", None),
        ("the cube", "cube", None),
        ("cube", "cube", None),
    ],
)
def test_a_question_names_a_thing_and_an_attribute(text, name, asked):
    assert parse(text) == (name, asked)


def test_the_longest_name_is_the_one_that_is_meant():
    assert parse("home assistant url") == ("home assistant", "url")
    assert parse("home url") == ("home", "url")


def test_a_context_names_the_attribute_where_the_question_names_none():
    assert parse("cube", "which port does it listen on?") == ("cube", "port")
    assert parse("cube ip", "which port does it listen on?") == ("cube", "address")


def test_a_context_that_names_several_attributes_asks_for_none():
    assert find_attribute("its port and its url") is None


@pytest.mark.parametrize("text", ["", "?!", "zanzibar ip", "home analytics pipeline", "word " * 30])
def test_what_names_nothing_known_or_says_more_is_not_read(text):
    assert parse(text) is None


def test_other_words_narrow_an_attribute_down():
    question = parse_question("cube data ip", "", lambda name: name == "cube")
    assert question is not None
    assert question.qualifiers == ("data",)


def test_words_that_name_no_attribute_are_asked_of_a_name_as_they_are():
    question = parse_question("kasm-01 flux capacitor", "", lambda name: name == "kasm-01")
    assert question is not None
    assert question.asked is not None
    assert (question.name, question.asked.name) == ("kasm-01", "flux capacitor")
    assert question.asked.is_free
    assert not question.is_by_context


def test_a_name_that_is_no_plain_word_is_meant_before_one_that_is():
    known = {"vlan", "game-01"}
    question = parse_question("which vlan is game-01 on?", "", lambda name: name in known)
    assert question is not None
    assert question.name == "game-01"


def test_what_only_reaches_a_thing_yields_to_what_is_asked_beside_it():
    asked = find_attribute("which account do I log in with")
    assert asked is not None
    assert asked.name == "user"


@pytest.mark.parametrize(
    ("text", "name", "asked"),
    [
        ("Which version of beszel do we run?", "beszel", "version"),
    ],
)
def test_of_a_question_after_a_name_that_nobody_knows_the_name_is_left(text, name, asked):
    question = parse_without_names(text)
    assert question is not None
    assert (question.name, question.asked and question.asked.name) == (name, asked)


@pytest.mark.parametrize(
    ("context", "asked"),
    [
        ("ip address in the lab network", "address"),
        ("ssh address", "address"),
        ("which port does it listen on?", "port"),
        ("config file path", "path"),
        ("favourite colour", "favourite colour"),
        ("phone", "phone"),
        ("what does it weigh", "weigh"),
        ("size in bytes", "size"),
    ],
)
def test_a_short_context_asks_for_what_it_names_known_or_not(context, asked):
    attribute = read_context(context).asked
    assert attribute is not None
    assert attribute.name == asked


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
        "its port and its url",
    ],
)
def test_a_context_that_tells_where_or_why_asks_for_nothing(context):
    assert read_context(context).asked is None


def test_words_before_an_attribute_in_a_context_narrow_it_down():
    read = read_context("agent enrollment port")
    assert read.asked is not None
    assert (read.asked.name, read.qualifiers) == ("port", ("agent", "enrollment"))


def test_a_context_that_says_the_name_again_asks_for_the_rest():
    read = read_context("cube favourite colour", "cube")
    assert read.asked is not None
    assert read.asked.name == "favourite colour"
