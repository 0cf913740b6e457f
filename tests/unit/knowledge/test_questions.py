"""What a question asks: the thing, the attribute, and what narrows it down."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.questions import find_attribute, parse_question, parse_without_names

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
        ("where does homepage keep its configuration", "homepage", "path"),
    ],
)
def test_of_a_question_after_a_name_that_nobody_knows_the_name_is_left(text, name, asked):
    question = parse_without_names(text)
    assert question is not None
    assert (question.name, question.asked and question.asked.name) == (name, asked)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("where is cube stored", "place"),
        ("how often does cube run?", "moment"),
        ("How long is a cube token valid?", "quantity"),
        ("What is cube set to?", "setting"),
        ("how do I feed cube", "way"),
    ],
)
def test_a_question_for_a_value_asks_for_one_though_no_word_names_it(text, asked):
    assert parse(text) == ("cube", asked)


def test_words_that_ask_are_no_name_and_narrow_nothing_down():
    question = parse_without_names("How long is an access token valid?")
    assert question is not None
    assert (question.name, question.asked and question.asked.name) == ("access token", "quantity")
    question = parse_question("which port do I open for cube?", "", lambda name: name == "cube")
    assert question is not None
    assert question.qualifiers == ()


def test_what_a_context_does_is_not_asked():
    assert find_attribute("looking up how often it happens and when it was stored") is None


def test_of_a_compound_the_last_word_is_asked():
    assert parse("cube web ui port") == ("cube", "port")


def test_a_mere_word_is_no_name_where_other_words_stand_beside_it():
    assert parse("home folder of the movies") is None
    assert parse("home folder") == ("home", "path")


def test_of_two_names_the_rarer_word_is_meant():
    known = {"backup", "zyzzyva"}
    question = parse_question("backup port of zyzzyva", "", lambda name: name in known)
    assert question is not None
    assert question.name == "zyzzyva"
