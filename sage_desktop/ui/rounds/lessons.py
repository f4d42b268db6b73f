"""Words for what a round brought and for what taught a line, alike in review and memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QToolButton

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import Do, named, tool
from sage_desktop.ui.widgets.verdicts import latency_text, origin_text, signed

if TYPE_CHECKING:
    from core.analysis.blame import Basis, Effect, Evidence, RoundWork

_tr = partial(QCoreApplication.translate, "Lessons")


def item_link(uid: str, go: Callable[[str], object]) -> QToolButton:
    """A small button with the name of an experience that leads to it."""
    tip = _tr("Show this item in the memory")
    link = tool(lambda: go(uid), uid, "memory", "muted", tip=tip)
    theme().letter(link, "small")
    return named(link, _tr("Show item {0}").format(uid))


def place_link(path: str, line: int, go: Do) -> QToolButton:
    """A small button that leads to a line (from 1) of a file."""
    file_name = path.rsplit("/", 1)[-1]
    tip = _tr("Go to line {0} of {1}").format(line, path)
    link = tool(go, f"{file_name}:{line}", tip=tip)
    theme().letter(link, "small")
    return link


def effect_text(work: RoundWork) -> str:
    """What became of the latency from the round before to the first timed one."""
    effect = work.effect
    if effect is None and not work.row.verdict:
        return _tr("not judged yet")
    if effect is None:
        return _tr("no correct kernel since")
    after = latency_text(effect.after_us)
    origin = origin_text(effect.origin)
    if effect.change_us is None or effect.before_us is None:
        words = _tr("first correct kernel in round {0}: {1}, {2}")
        return words.format(effect.after, after, origin)
    words = _tr("{0} µs, {1} (round {2}: {3}, round {4}: {5})")
    change = signed(_shown_change_us(effect), 2)
    before = latency_text(effect.before_us)
    rounds = (effect.before, before, effect.after, after)
    return words.format(change, origin, *rounds)


def short_effect(effect: Effect | None) -> str:
    """The change alone; empty where there is none to tell."""
    if effect is None or effect.change_us is None:
        return ""
    change = signed(_shown_change_us(effect), 2)
    origin = origin_text(effect.origin)
    return _tr("{0} µs {1}").format(change, origin)


def _shown_change_us(effect: Effect) -> float:
    """The difference of the two latencies as they are written, which stand beside it."""
    return round(effect.after_us, 2) - round(effect.before_us or 0.0, 2)


def basis_text(basis: Basis) -> str:
    """What the agent declared."""
    from core.analysis.blame import Basis

    if basis is Basis.ADOPTED:
        return _tr("declared as adopted")
    return _tr("declared as followed (hot rule)")


def evidence_text(evidence: Evidence) -> str:
    """What the automatic check found for a line."""
    from core.analysis.blame import Evidence

    texts = {
        Evidence.LINE: _tr("its code is in this line"),
        Evidence.CHANGE: _tr("its code is at most three lines away"),
        Evidence.NAMED: _tr("the record names this line"),
        Evidence.ELSEWHERE: _tr("its code is in other lines of this round"),
        Evidence.NOWHERE: _tr("its code is not seen"),
        Evidence.UNCHECKED: _tr("it has no code to look for"),
    }
    return texts[evidence]
