"""How states and verdicts look everywhere: a drawing, a colour role and words, so colour is never alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from core.evaluation.records import Evaluation
    from core.operators.measured_kernels import MeasuredKernel


@dataclass(frozen=True)
class StatusStyle:
    """Drawing of `resources/icons`, colour role of the theme, and words (translated at use)."""

    icon: str
    role: str
    words: str

    @property
    def text(self) -> str:
        """The words in the language of the user."""
        return QCoreApplication.translate("Verdicts", self.words)


_VERDICTS = {
    "pass": StatusStyle("done", "success", "Correct"),
    "pass-with-hazard": StatusStyle("warning", "warning", "Correct, with a hazard"),
    "fail-build": StatusStyle("hammer", "danger", "Does not build"),
    "fail-run": StatusStyle("error", "danger", "Fails while running"),
    "fail-result": StatusStyle("failed", "danger", "Wrong result"),
    "fail-integrity": StatusStyle("warning", "danger", "Breaks an integrity rule"),
    "void": StatusStyle("cancelled", "muted", "Void: the environment failed"),
    "": StatusStyle("running", "info", "Running"),
    "unfinished": StatusStyle("cancelled", "muted", "Not finished"),
    "no-kernel": StatusStyle("cancelled", "muted", "No kernel"),
}
_STATES = {
    "queued": StatusStyle("queued", "muted", "Waiting"),
    "running": StatusStyle("running", "accent", "Running"),
    "interrupted": StatusStyle("pause", "warning", "Interrupted; resumes here"),
    "done": StatusStyle("done", "success", "Done"),
    "failed": StatusStyle("failed", "danger", "Failed"),
    "cancelled": StatusStyle("cancelled", "muted", "Cancelled"),
}
_ADOPTION = {
    "adopted": StatusStyle("check", "success", "Adopted"),
    "not_adopted": StatusStyle("cross", "muted", "Not adopted"),
    "unresolved": StatusStyle("clock", "warning", "Unresolved"),
}
_PURPOSES = {
    "candidate": "First candidate",
    "diagnose": "Diagnosis",
    "repair": "Next candidate",
    "examined": "After tool answer",
    "correction": "Correction",
    "abstract": "Rule",
    "distil": "New experience",
    "merge": "Merge",
}
_OBJECTIVES = {"corr": "Correctness", "opt": "Speed"}
_OBJECTIVE_WORDS = {"corr": "correctness", "opt": "speed"}
_ORIGINS = {"measured": "measured", "modelled": "modelled", "replayed": "replayed"}
_UNKNOWN = StatusStyle("help", "muted", "Unknown")


def verdict_look(verdict: str) -> StatusStyle:
    """Look of a verdict class; the empty string is a round in work."""
    return _VERDICTS.get(verdict, _UNKNOWN)


def round_look(verdict: str, candidate: str, state: str) -> StatusStyle:
    """Look of a round of an operator in a state of the queue.

    One without a verdict is in work, waits for the next run, or ended before, with a
    kernel or without.
    """
    if verdict or state == "running":
        return verdict_look(verdict)
    if candidate and state == "queued":
        return state_look("queued")
    return verdict_look("unfinished" if candidate else "no-kernel")


def state_look(state: str) -> StatusStyle:
    """Look of a queue state."""
    return _STATES.get(state, _UNKNOWN)


def adoption_look(state: str) -> StatusStyle:
    """Look of an adoption state."""
    return _ADOPTION.get(state, _UNKNOWN)


def purpose_text(value: str) -> str:
    """What a model call was for, in words."""
    return QCoreApplication.translate("Verdicts", _PURPOSES.get(value, value))


def objective_text(value: str) -> str:
    """The objective of an episode in words."""
    return QCoreApplication.translate("Verdicts", _OBJECTIVES.get(value, value))


def objective_word(value: str) -> str:
    """The objective of an episode as a word within a sentence."""
    return QCoreApplication.translate("Verdicts", _OBJECTIVE_WORDS.get(value, value))


def kind_text(value: str) -> str:
    """An experience type as words: `api_misuse` becomes `API misuse`."""
    first, *rest = value.split("_")
    first = first.upper() if first == "api" else first.capitalize()
    words = " ".join([first, *rest])
    return QCoreApplication.translate("Kinds", words)


def category_text(value: str) -> str:
    """The category of an experience; those that ship are translated, anybody's own stay as they are."""
    return QCoreApplication.translate("Categories", value)


def latency_text(value: float | None) -> str:
    """A latency in microseconds with its unit, three significant figures and more where they exist."""
    if value is None:
        return "\N{EN DASH}"
    if value >= 100_000:
        return f"{value / 1000:,.1f} ms"
    digits = 2 if value < 100 else 1
    return f"{value:,.{digits}f} µs"


def baseline_text(kernel: MeasuredKernel) -> str:
    """What CANN's own kernel took, and where that was measured."""
    words = QCoreApplication.translate(
        "CatalogueDialog", "CANN's {0}: {1} for {2} on {3} (profile {4})"
    )
    latency = latency_text(kernel.microseconds)
    return words.format(
        kernel.kernel, latency, kernel.work, kernel.part, kernel.profile
    )


def small_number(value: float) -> str:
    """An error with two significant figures: `0`, `0.012`, `2.0e-7`, `inf`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    size = abs(value)
    if 1e-3 <= size < 100:
        return f"{value:.2g}"
    if 100 <= size < 1e5:
        return f"{value:,.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def signed(value: float, digits: int = 3) -> str:
    """A number that always shows its sign, with a true minus."""
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def ratio_text(value: float | None) -> str:
    """A ratio as `1.32×`."""
    return "\N{EN DASH}" if value is None else f"{value:.2f}×"


def edited_text() -> str:
    """What marks a round and a run in which a person edited the kernel."""
    return QCoreApplication.translate("Verdicts", "edited by a person")


def range_text(low: float | None, high: float | None) -> str:
    """The range a time model leaves, as `modelled range 3.30 to 5.00 µs`; empty where there is none."""
    if low is None or high is None:
        return ""
    words = QCoreApplication.translate("Verdicts", "modelled range {0} to {1}")
    return words.format(f"{low:.2f}", latency_text(high))


def unproven_text() -> str:
    """What marks a round whose gain the time model does not prove."""
    return QCoreApplication.translate(
        "Verdicts", "gain inside what the time model knows"
    )


def origin_text(origin: str) -> str:
    """Where a number comes from, in words for the screen.

    The time model is named where it is not the twin's present one, and the calibration.
    """
    from core.evaluation.records import calibration_of, is_superseded, time_model_of

    if is_superseded(origin):
        words = QCoreApplication.translate(
            "Verdicts", "modelled by time model {0}, not comparable"
        )
        return words.format(time_model_of(origin))
    calibration = calibration_of(origin)
    if calibration:
        words = QCoreApplication.translate("Verdicts", "modelled by calibration {0}")
        return words.format(calibration)
    kind = origin.partition("-")[0]
    return QCoreApplication.translate("Verdicts", _ORIGINS.get(kind, kind))


def fault_text(evaluation: Evaluation | None) -> str:
    """The first fault with a line where results are wrong, `a.cpp:54 Adds: write of …`: often their cause."""
    from core.evaluation.records import FAULTS, VerdictClass

    if evaluation is None or evaluation.verdict is not VerdictClass.FAIL_RESULT:
        return ""
    for finding in evaluation.findings:
        if finding.severity in FAULTS and finding.file and finding.line:
            place = f"{PurePosixPath(finding.file).name}:{finding.line}"
            return f"{place} {finding.call}".rstrip() + f": {finding.message}"
    return ""
