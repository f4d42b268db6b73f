"""What the window says about engine events: log lines, status, toasts, and which panels must look again."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication

from core.agent.run import records
from core.engine import events
from core.engine.events import EngineEvent
from sage_desktop.ui.promotions import moved_text
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.verdicts import (
    latency_text,
    objective_word,
    origin_text,
    verdict_look,
)

_tr = partial(QCoreApplication.translate, "Events")

_STEPS = {
    "started": "preparing the prompt",
    "diagnosed": "querying the memory",
    "retrieved": "waiting for the model",
    "replied": "checking the adoption records",
    "gated": "compiling and running",
    "evaluated": "evaluated",
}


@dataclass(frozen=True)
class Channel:
    """How an event is worded.

    Attributes:
        text: For the log, and the toast if there is one.
        level: Logging level.
        activity: New words for the status bar, empty to leave them.
        toast: Kind of toast (info, success, warning, danger), empty for none.
        hint: Second line of the toast.
    """

    text: str
    level: int = logging.INFO
    activity: str = ""
    toast: str = ""
    hint: str = ""


def topics_of(event: EngineEvent) -> set[str]:
    """Which of `queue`, `rounds`, `memory` an event may have changed."""
    if isinstance(event, records.RoundAdvanced | records.RoundEvaluated):
        return {"rounds"}
    if isinstance(
        event,
        records.EpisodeApplied
        | records.EpisodeVoided
        | records.Consolidated
        | records.JobFinished,
    ):
        return {"queue", "memory"}
    if isinstance(
        event,
        events.EntryStarted
        | events.EntryFinished
        | events.QueueChanged
        | events.WorkspaceWritten,
    ):
        return {"queue"}
    if isinstance(event, events.EngineStateChanged):
        return {"queue", "memory"}
    return set()


def words_of(event: EngineEvent) -> Channel | None:
    """Words for an event, None where silence is better."""
    if isinstance(event, records.TrajectoryEvent):
        return _words_of_trajectory(event)
    if isinstance(event, events.EntryStarted):
        how = _tr("resumed") if event.resumed else _tr("started")
        return Channel(f"{event.operator}: {how}", activity=event.operator)
    if isinstance(event, events.EntryFinished):
        text = f"{event.operator}: {_tr(event.state)}"
        if event.reason:
            text += f": {translated(event.reason)}"
        failed = event.state == "failed"
        return Channel(
            text,
            logging.WARNING if failed else logging.INFO,
            toast="warning" if failed else "",
        )
    if isinstance(event, events.EngineStateChanged) and event.reason:
        # Why a run ended stands with what can be done about it.
        toast = "" if event.state is events.EngineState.IDLE else "warning"
        return Channel(translated(event.reason), logging.WARNING, toast=toast)
    return None


def _words_of_trajectory(event: records.TrajectoryEvent) -> Channel | None:
    name = event.operator
    if isinstance(event, records.RoundAdvanced):
        words = _tr(_STEPS[event.step.value])
        objective = objective_word(event.objective.value)
        where = _tr("{0} · {1} · round {2}").format(name, objective, event.round)
        return Channel(
            f"{where}: {words}", logging.DEBUG, activity=f"{where} · {words}"
        )
    if isinstance(event, records.RoundEvaluated):
        return _words_of_round(event)
    if isinstance(event, records.CorrectionAsked):
        complaints = "; ".join(map(translated, event.complaints))
        return Channel(
            _tr("{0}: the reply of round {1} needs correction: {2}").format(
                name, event.round, complaints
            )
        )
    if isinstance(event, records.EpisodeApplied):
        objective = objective_word(event.objective.value)
        text = _tr("{0}: {1} episode closed, z = {2:+.3f}, {3} items credited").format(
            name, objective, event.z, event.credited
        )
        moved = moved_text(event.promoted, event.demoted)
        if moved:
            return Channel(moved, toast=_toast_of(event), hint=text)
        return Channel(text)
    if isinstance(event, records.Consolidated):
        moved = moved_text(event.promoted, event.demoted)
        return Channel(moved, toast=_toast_of(event)) if moved else None
    if isinstance(event, records.EpisodeVoided):
        return Channel(
            _tr("{0}: an episode is void; it earns no credit").format(name),
            logging.WARNING,
        )
    if isinstance(event, records.ProgressNote):
        return Channel(
            f"{name}: {translated(event.text)}",
            logging.DEBUG,
            activity=f"{name} · {translated(event.text)}",
        )
    return None


def _toast_of(event: records.EpisodeApplied | records.Consolidated) -> str:
    """A promotion is worth a toast; a demotion alone stands in the log."""
    return "success" if event.promoted else ""


def _words_of_round(event: records.RoundEvaluated) -> Channel:
    parts = [
        _tr("{0}: round {1}").format(event.operator, event.round),
        verdict_look(event.verdict.value).text,
    ]
    if event.latency_us is not None:
        parts.append(
            f"{latency_text(event.latency_us)} {origin_text(event.latency_origin)}"
        )
    if event.new_best:
        parts.append(_tr("best so far"))
    if event.cause:
        parts.append(translated(event.cause))
    return Channel(" · ".join(parts))
