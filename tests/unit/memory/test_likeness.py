"""What the words and the language of a prompt tell of a few notes."""

from __future__ import annotations

import pytest

from wellworn.domain.memory.likeness import PromptWords

NOTES = ["The under-twelves play away on the 14th.", "The coach wants everyone in shin guards."]


@pytest.mark.parametrize(
    ("prompt", "is_another"),
    [
        ("¿Cuándo juegan fuera los menores de doce?", True),
        ("Wann ist das nächste Turnier?", True),
        ("次の試合はいつですか。", True),
        ("When do the under-twelves play?", False),
        ("shin guards", False),
        ("Coach Amir", False),
    ],
)
def test_a_prompt_in_another_language_is_told_by_its_small_words(prompt, is_another):
    assert PromptWords(prompt).is_in_another_language(NOTES) is is_another


def test_a_language_is_no_other_where_as_many_words_tell_that_of_the_notes():
    notes = ["La réunion d'équipe a lieu le mardi à dix heures."]
    assert not PromptWords("Où est garée la voiture ?").is_in_another_language(notes)


def test_notes_in_several_scripts_are_in_no_other_language():
    notes = [*NOTES, "会議室は三階にあります。"]
    assert not PromptWords("Wann ist das nächste Turnier?").is_in_another_language(notes)


def test_a_word_is_found_in_a_compound_of_the_note_and_the_other_way_round():
    assert PromptWords("Wer hat den Schlüssel?").measure_share("Der Hausschlüssel liegt da.") == 1.0
    assert PromptWords("Wer hat den Hausschlüssel?").measure_share("Der Schlüssel liegt da.") == 1.0
    assert PromptWords("Wer hat den Koffer?").measure_share("Der Hausschlüssel liegt da.") == 0.0


@pytest.mark.parametrize(
    ("prompt", "opening", "is_named"),
    [
        ("tell me about Skarholm", "On Skarholm there is a bakery.", True),
        ("What do we know about the ferry?", "Bicycles cost 4 euros on the ferries.", True),
        ("tell me about Skarholm", "The ferry leaves at 8:05.", False),
        ("When does the ferry leave?", "Bicycles cost 4 euros on the ferry.", False),
    ],
)
def test_who_asks_one_word_asks_for_all_that_it_names(prompt, opening, is_named):
    assert PromptWords(prompt).are_named_by(opening) is is_named
