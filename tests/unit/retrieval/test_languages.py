"""Telling the language of a text in Latin letters."""

from __future__ import annotations

import pytest
import Stemmer

from wellworn.engines.retrieval.text.languages import ENGLISH, detect_language
from wellworn.kit.words import load_table


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Schlüssel liegt unter der Matte", "german"),
        ("La llave está debajo del felpudo", "spanish"),
        ("La clé est sous le paillasson avec une carte", "french"),
        ("A chave está debaixo do tapete da porta", "portuguese"),
        ("La chiave è sotto lo zerbino della porta", "italian"),
        ("De sleutel ligt onder de mat bij het raam", "dutch"),
        ("Nyckeln ligger under mattan och är av stål", "swedish"),
        ("The key is under the mat", ENGLISH),
        ("In the end the word Schadenfreude und so weiter was of no use to them", ENGLISH),
        ("kubectl apply", ENGLISH),
        ("", ENGLISH),
    ],
)
def test_function_words_tell_the_language(text: str, language: str):
    assert detect_language(text.split()) == language


def test_every_language_has_a_stemmer():
    languages = load_table("wellworn.engines.retrieval.text", "function_words.toml")
    assert languages.keys() <= set(Stemmer.algorithms())
