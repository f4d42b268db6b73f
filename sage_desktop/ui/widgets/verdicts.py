"""How states and verdicts look everywhere: a drawing, a colour role and words, so colour is never alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication


@dataclass(frozen=True)
class Look:
    """Drawing of `resources/icons`, colour role of the theme, and words (translated at use)."""

    icon: str
    role: str
    words: str

    @property
    def text(self) -> str:
        """The words in the language of the user."""
        return QCoreApplication.translate("Verdicts", self.words)


_VERDICTS = {
    "pass": Look("done", "success", "Correct"),
    "pass-with-hazard": Look("warning", "warning", "Correct, with a hazard"),
    "fail-build": Look("hammer", "danger", "Does not build"),
    "fail-run": Look("error", "danger", "Fails while running"),
    "fail-result": Look("failed", "danger", "Wrong result"),
    "fail-integrity": Look("warning", "danger", "Breaks an integrity rule"),
    "void": Look("cancelled", "muted", "Void: the environment failed"),
    "": Look("running", "info", "In work"),
    "unfinished": Look("cancelled", "muted", "Not finished"),
}
_STATES = {
    "queued": Look("queued", "muted", "Waiting"),
    "running": Look("running", "accent", "Running"),
    "interrupted": Look("pause", "warning", "Interrupted, goes on here"),
    "done": Look("done", "success", "Done"),
    "failed": Look("failed", "danger", "Failed"),
    "cancelled": Look("cancelled", "muted", "Cancelled"),
}
_ADOPTION = {
    "adopted": Look("check", "success", "Adopted"),
    "not_adopted": Look("cross", "muted", "Not adopted"),
    "unresolved": Look("clock", "warning", "Unresolved"),
}
_PURPOSES = {
    "candidate": "First candidate",
    "diagnose": "Diagnosis",
    "repair": "Next candidate",
    "examined": "After a diagnostic",
    "correction": "Correction",
    "abstract": "Rule",
    "distil": "New experience",
    "merge": "Merge",
}
_OBJECTIVES = {"corr": "Correctness", "opt": "Speed"}
_OBJECTIVE_WORDS = {"corr": "correctness", "opt": "speed"}
_ORIGINS = {"measured": "measured", "modelled": "modelled", "replayed": "replayed"}
_UNKNOWN = Look("help", "muted", "Unknown")


def verdict_look(verdict: str) -> Look:
    """Look of a verdict class; the empty string is a round in work."""
    return _VERDICTS.get(verdict, _UNKNOWN)


def state_look(state: str) -> Look:
    """Look of a queue state."""
    return _STATES.get(state, _UNKNOWN)


def adoption_look(state: str) -> Look:
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
    """An experience type as words: `api_misuse` becomes `Api misuse`."""
    return QCoreApplication.translate("Kinds", value.replace("_", " ").capitalize())


def latency_text(value: float | None) -> str:
    """A latency in microseconds with its unit, three significant figures and more where they exist."""
    if value is None:
        return "\N{EN DASH}"
    if value >= 100_000:
        return f"{value / 1000:,.1f} ms"
    digits = 2 if value < 100 else 1
    return f"{value:,.{digits}f} µs"


def small_number(value: float) -> str:
    """An error with two significant figures: `0`, `0.012`, `2.0e-7`, `inf`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def signed(value: float, digits: int = 3) -> str:
    """A number that always shows its sign, with a true minus."""
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def ratio_text(value: float | None) -> str:
    """A ratio as `1.32×`."""
    return "\N{EN DASH}" if value is None else f"{value:.2f}×"


def origin_text(origin: str) -> str:
    """Where a number comes from, in words for the screen."""
    return QCoreApplication.translate("Verdicts", _ORIGINS.get(origin, origin))
