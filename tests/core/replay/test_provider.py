"""Replay answers exactly what was recorded and stops when the run is another one."""

from __future__ import annotations

import asyncio

import pytest

from core.models.port import ModelReply, ModelRequest, Purpose
from core.replay.provider import RecordingEnded, ReplayDiverged, ReplayProvider
from tests.core.agent.scripted import session


def ask(provider: ReplayProvider, **changes: object) -> ModelReply:
    fields: dict[str, object] = {
        "purpose": Purpose.REPAIR,
        "subject": "Lerp",
        "objective": "corr",
        "round": 2,
        "messages": (),
        "retrieved": ("seed-0001", "seed-0003"),
        "previous_verdict": "fail-build",
    }
    return asyncio.run(provider.complete(ModelRequest(**(fields | changes))))  # type: ignore[arg-type]


def test_a_request_gets_the_row_of_its_coordinates() -> None:
    provider = ReplayProvider(session())
    assert "## Files" in ask(provider).text
    assert "blockLen" in ask(provider, purpose=Purpose.DIAGNOSE).text
    assert provider.retrieved("Lerp", "corr", 2) == ("seed-0001", "seed-0003")
    assert (provider.label, provider.origin) == ("test script", "scripted")


@pytest.mark.parametrize(
    "changes",
    [
        {"previous_verdict": "fail-run"},
        {"previous_verdict": ""},
        {"retrieved": ("seed-0003", "seed-0001")},
        {"attempt": 1, "purpose": Purpose.CORRECTION},
        {"purpose": Purpose.CANDIDATE},
        {"subject": "Tril"},
    ],
)
def test_another_run_diverges(changes: dict[str, object]) -> None:
    with pytest.raises(ReplayDiverged):
        ask(ReplayProvider(session()), **changes)


def test_the_end_of_the_recording_is_told_apart() -> None:
    provider = ReplayProvider(session())
    assert provider.retrieved("Lerp", "opt", 4) is None
    with pytest.raises(RecordingEnded, match="ends before Lerp, speed, round 4"):
        ask(provider, objective="opt", round=4, previous_verdict="pass")
