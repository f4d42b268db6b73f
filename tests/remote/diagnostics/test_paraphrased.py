"""Messages of the kinds that CANN 8.0 to 8.5 print, in our own words and paths (`paraphrased_logs.toml`)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from remote.diagnostics.diagnosis import diagnose

LOGS = Path(__file__).parents[2] / "data" / "paraphrased_logs.toml"
MESSAGES = tomllib.loads(LOGS.read_text(encoding="utf-8"))["message"]


@pytest.mark.parametrize(
    "message", MESSAGES, ids=[each["shown"][:40] for each in MESSAGES]
)
def test_a_message_is_read_by_its_family_whatever_its_names(
    message: dict[str, Any],
) -> None:
    cause = diagnose(message["log"], operator=message.get("operator", "")).cause
    assert str(cause.stage) in message["stages"], cause
    assert message["shown"].lower() in cause.line.lower()
    assert cause.environment is message.get("environment", False)
    if "fault" in message:
        assert cause.fault == message["fault"]
    assert cause.hint
