"""How far the figures of an experiment can be trusted: watermarks, and lines about clocks and rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.evaluation.records import is_modelled, time_model_of
from core.experiments.plans.cells import Progress
from core.experiments.running.trials import MemoryState, Trial
from core.models.port import RECORDINGS, ModelOrigin

REPLAYED, UNFINISHED = "replayed", "unfinished"
STOOD_IN = "stand-in, no model"


def watermarks(
    trials: Sequence[Trial], progress: Mapping[str, Progress]
) -> tuple[str, ...]:
    """What a reader must not overlook."""
    notes = list[str]()
    if any(trial.model_origin in RECORDINGS for trial in trials):
        notes.append(REPLAYED)
    if any(trial.model_origin == ModelOrigin.STAND_IN for trial in trials):
        notes.append(STOOD_IN)
    if any(state.state not in {"done", "given"} for state in progress.values()):
        notes.append(UNFINISHED)
    if any(is_modelled(trial.origin) for trial in trials):
        notes.append("latencies are modelled")
    return tuple(notes)


def trust_notes(
    trials: Sequence[Trial],
    memory: Sequence[MemoryState],
    progress: Mapping[str, Progress],
) -> tuple[str, ...]:
    """Trust lines of the latencies, and what else a reader has to know."""
    notes = list[str]()
    if any(trial.model_origin == ModelOrigin.STAND_IN for trial in trials):
        notes.append(_STOOD_IN)
    origins = {trial.origin for trial in trials}
    kinds = {origin.partition("-")[0] for origin in origins}
    notes += [words for kind, words in _TRUST.items() if kind in kinds]
    modelled = set(filter(is_modelled, origins))
    if len(models := sorted(set(map(time_model_of, modelled)))) > 1:
        named = " and ".join(map(str, models))
        notes.append(
            f"Latencies of time models {named} are not comparable; none is set against "
            "one of another."
        )
    if len(modelled) > len(models):
        notes.append(
            "Latencies of the shipped constants and of calibrations, or of two "
            "calibrations, are not comparable; none is set against one of another."
        )
    rules = {"rule=paper" in trial.method for trial in trials}
    if rules == {True}:
        notes.append(
            "Correct: absolute and relative error at most 1e-3 for every dtype, as in the "
            "paper."
        )
    elif rules:
        some = "Some rows use each operator's own correctness rule (docs/operators.md), not the paper's 1e-3."
        every = "Correctness uses each operator's own rule (docs/operators.md), not the paper's 1e-3."
        notes.append(some if True in rules else every)
    if any(trial.tokens_estimated for trial in trials):
        notes.append(
            "The model server reported no token counts for some replies; they are "
            "estimated."
        )
    if trials and not any(trial.t_reference for trial in trials):
        notes.append(
            "torch_npu was not timed, so Fast 1.0 and speed-ups over it are not available."
        )
    if own := sorted(
        {t.operator for t in trials if t.t_reference and not _is_call(t.reference_of)}
    ):
        notes.append(
            f"T_torch was measured by running reference.py on torch_npu for {len(own)} "
            "operators, because no single call computes the same or torch_npu rejected it "
            f"(see reference_of in trials.csv): {', '.join(own)}."
        )
    if lost := sum(state.diverged for state in progress.values()):
        notes.append(
            f"Diverged operators, which have no result and count in no figure: {lost}. The "
            "arm's memory differs too much from the recorded one for the recording to have "
            "an answer; see the table of runs."
        )
    if broken := [state.cell for state in memory if state.is_unchanged is False]:
        notes.append(f"The frozen memory of {broken[0]} has changed since it was read.")
    return tuple(notes)


def _is_call(reference_of: str) -> bool:
    return bool(reference_of) and "reference.py" not in reference_of


_STOOD_IN = (
    "No model was asked. Kernels and adoption records are those of the stand-in, which follows stated rules "
    "(docs/experiments.md): the figures show that the experiment works, and nothing about a method or a model."
)
_TRUST = {
    "measured": (
        "Measured latencies are means of device events after warm-up, on the device "
        "shown."
    ),
    "modelled": "Modelled latencies come from the CPU twin's cycle model; no device was timed.",
    "replayed": "Replayed latencies were read from a recording; nothing was timed.",
}
