"""What the window says about promotions to hot memory and demotions from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

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
