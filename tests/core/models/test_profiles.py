"""Endpoint profiles: kept by name without keys, refused by name when they make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.models.endpoint import Endpoint
from core.models.profiles import read_profiles, write_profiles


def test_profiles_come_back_in_order_and_hold_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_API_KEY", "sk-not-for-the-file")
    file = tmp_path / "deep" / "models.json"
    every = {
        "lab": Endpoint(
            "http://lab:8000/v1", "glm", temperature=0.2, headers={"X-Team": "a"}
        ),
        "cloud": Endpoint("https://c/v1", "q", "CLOUD_KEY", context_tokens=65536),
    }
    assert read_profiles(file) == {}
    write_profiles(file, every)
    assert read_profiles(file) == every
    assert list(read_profiles(file)) == ["lab", "cloud"]
    assert "sk-not" not in file.read_text()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{", "file"),
        ('{"lab": {"model": "m"}}', "lab"),
        ('{"lab": {"base_url": 3, "model": "m"}}', "lab"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "models.json"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=rf"models\.json.*{named}"):
        read_profiles(file)
