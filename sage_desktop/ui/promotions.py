"""What the window says about promotions to hot memory and demotions from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from core.memory.records import Lifecycle
from core.memory.views.rows import ItemPage
from core.method.parameters import MethodParameters
from sage_desktop.ui.widgets.verdicts import signed

_tr = partial(QCoreApplication.translate, "Promotions")


def moved_text(promoted: Sequence[str], demoted: Sequence[str]) -> str:
    """Which items (uids) an episode moved; empty where it moved none."""
    sentences = []
    if promoted:
        words = _tr("Promoted to hot memory: {0}")
        sentences.append(words.format(", ".join(promoted)))
    if demoted:
        words = _tr("Demoted from hot memory: {0}")
        sentences.append(words.format(", ".join(demoted)))
    return ". ".join(sentences)


def standing_text(page: ItemPage) -> str:
    """Why the item is where it is, in one sentence."""
    item, demotion = page.item, page.demotion
    defaults = MethodParameters()
    if item.hot_region:
        pinned = _tr(" It is pinned.") if item.pinned else ""
        return _tr("Resident in hot memory: its rule is part of every prompt.") + pinned
    if page.says_nothing_new:
        return _tr(
            "Kept out of hot memory: every prompt says it already. "
            "It is retrieved after a failure."
        )
    if item.barred:
        return _tr("Blocked from hot memory by a person; it can still be retrieved.")
    if demotion is not None:
        words = _tr(
            "Demoted by a person until newer evidence passes the gates. "
            "Since then: adopted {0} of {1}, by {2} of {3} operators, utility {4}."
        )
        counts = (
            demotion.adopted,
            demotion.K_ado,
            demotion.operators,
            demotion.K_op,
        )
        return words.format(*counts, signed(demotion.u))
    if item.sigma is Lifecycle.VALIDATED:
        obstacle = _tr("Waiting for its rule.")
        if item.rule_text:
            obstacle = _tr("Waiting for room in the budget.")
        return _tr("Passed the gates.") + " " + obstacle
    words = _tr(
        "Gates to hot memory: adopted {0} of {1}, by {2} of {3} operators, utility above zero: {4}."
    )
    gates = (
        item.n_ado,
        defaults.K_ado,
        len(item.adopted_operators),
        defaults.K_op,
    )
    is_useful = _tr("yes") if item.u_m > 0 else _tr("no")
    return words.format(*gates, is_useful)
