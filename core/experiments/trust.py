"""How far the figures of an experiment can be trusted: watermarks, and lines about clocks and rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.experiments.cells import Progress
from core.experiments.trials import REPLAYS, MemoryState, Trial

REPLAYED = "replayed"


def watermarks(trials: Sequence[Trial], progress: Mapping[str, Progress]) -> tuple[str, ...]:
    """What a reader must not overlook."""
    found = []
    if any(trial.model_origin in REPLAYS for trial in trials):
        found.append(REPLAYED)
    if any(state.state not in {"done", "given"} for state in progress.values()):
        found.append("unfinished")
    if any(trial.origin == "modelled" for trial in trials):
        found.append("latencies are modelled")
    return tuple(found)


def trust_notes(
    trials: Sequence[Trial], memory: Sequence[MemoryState], progress: Mapping[str, Progress]
) -> tuple[str, ...]:
    """Trust lines of the latencies, and what else a reader has to know."""
    notes = []
    for origin, words in _TRUST.items():
        if any(trial.origin == origin for trial in trials):
            notes.append(words)
    rules = {"rule=paper" in trial.method for trial in trials}
    if rules == {True}:
        notes.append("Correct: absolute and relative error at most 1e-3 for every dtype, as in the paper.")
    elif rules:
        notes.append(
            "Correct is what the rule of each operator says (docs/operators.md), not the paper's 1e-3"
            + (" in some rows." if True in rules else ".")
        )
    if any(trial.tokens_estimated for trial in trials):
        notes.append("No server told the tokens of some replies; those are estimated from the texts.")
    if trials and not any(trial.t_reference for trial in trials):
        notes.append("No latency of torch_npu was measured, so Fast 1.0 and speed-ups over it are n/a.")
    if own := sorted({t.operator for t in trials if t.t_reference and not _is_call(t.reference_of)}):
        notes.append(
            f"T_torch is that of reference.py, run through torch_npu, for {len(own)} operators, because no "
            "call computes the same or torch_npu refused it (reference_of in trials.csv says which): "
            f"{', '.join(own)}."
        )
    if lost := sum(state.diverged for state in progress.values()):
        notes.append(
            f"Diverged, without a result and in no figure: {lost}. The memory of the arm differs so far from "
            "the recorded one that the recording has no answer; the table of runs says where."
        )
    if broken := [state.cell for state in memory if state.is_unchanged is False]:
        notes.append(f"The frozen memory of {broken[0]} is no longer the one that was read.")
    return tuple(notes)


def _is_call(reference_of: str) -> bool:
    return bool(reference_of) and "reference.py" not in reference_of


_TRUST = {
    "measured": "Measured latencies are means of device events after warm-up, on the device the judge names.",
    "modelled": "Modelled latencies come from the CPU twin's cycle model; no device was timed.",
    "replayed": "Replayed latencies were read from a recording; nothing was timed.",
}
