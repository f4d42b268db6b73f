"""Texts: English for files and logs, template and fields for a window of another language."""

from __future__ import annotations

import pytest

from core.errors import InvalidInput, SageError
from core.records_json import to_json
from core.text import Text

GERMAN = {
    "{what} {remedy}": "{what} {remedy}",
    "{count} of {all}": "{count} von {all}",
    "none": "keine",
    "There is no bank {name}.": "Es gibt keine Bank {name}.",
    "Available: {names}.": "Es gibt: {names}.",
}


def german(template: str) -> str:
    return GERMAN.get(template, template)


def test_a_text_is_english_and_its_fields_are_translated_with_it() -> None:
    text = Text("{count} of {all}", count=Text("none"), all="none")
    assert str(text) == f"{text}" == "none of none"
    assert text.in_language(german) == "keine von none"
    assert to_json({"detail": text}) == '{"detail":"none of none"}'


def test_a_text_without_fields_keeps_its_braces() -> None:
    assert str(Text("{count} of {all}")) == "{count} of {all}"
    assert not Text("")


def test_an_error_is_told_in_both_languages_with_its_remedy() -> None:
    remedy = Text("Available: {names}.", names="a, b")
    error = SageError("There is no bank {name}.", remedy, name="c")
    assert str(error) == "There is no bank c. Available: a, b."
    assert error.message.in_language(german) == "Es gibt keine Bank c. Es gibt: a, b."
    outer = SageError("Failed: {error}", error=error)
    assert outer.message.in_language(german) == (
        "Failed: Es gibt keine Bank c. Es gibt: a, b."
    )


@pytest.mark.parametrize("words", ["{braces} of a server", "an open { brace"])
def test_words_of_others_are_taken_as_they_stand(words: str) -> None:
    assert str(SageError(words, "Repeat {name}.", name="it")).startswith(words)
    assert (
        str(InvalidInput("file", "field", words, name="it")) == f"file: field: {words}"
    )


def test_secrets_are_taken_out_of_the_fields_too() -> None:
    text = Text("{error} at {at}", error=Text("key {key}", key="abc"), at=["abc", 1])
    clean = text.mapped(lambda part: part.replace("abc", "…"))
    assert str(clean) == "key … at ['…', 1]"
