"""Which words are kept out of texts."""

from __future__ import annotations

from core.models.api_keys import secrets_of


def test_the_key_and_the_words_of_secret_headers_are_secrets_longest_first() -> None:
    headers = {"X-Api-Key": "abcdefgh", "Accept": "application/json"}
    assert secrets_of("sk-0123456789", headers) == ("sk-0123456789", "abcdefgh")


def test_the_scheme_before_a_key_stays_in_texts() -> None:
    headers = {"Authorization": "Bearer sk-0123456789"}
    assert secrets_of("none", headers) == ("sk-0123456789",)
