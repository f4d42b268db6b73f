"""Which part of the queue is listed: one batch, one benchmark, level or category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from sage_desktop.services.operator_facts import FACETS, NOTHING, Facts, Key, facts_of
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.combo import ComboBox

if TYPE_CHECKING:
    from core.analysis.queries import QueueRow

Pass = Callable[
    [Sequence[int], Mapping[int, "QueueRow"], Sequence[str]], tuple[int, ...]
]


class QueueFilters(QObject):
    """Two lists to choose from, each hidden where there is nothing to choose.

    Signals:
        changed: Something else was chosen.
    """

    changed = Signal()

    def __init__(self, operations: Operations, parent: QObject) -> None:
        super().__init__(parent)
        self._operations = operations
        self._facts: dict[Key, Facts] = {}
        self._keys: frozenset[Key] = frozenset()
        self._asked: set[Key] = set()
        self.batch = ComboBox(self.tr("Batch"))
        self.batch.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.facet = ComboBox(self.tr("Operators shown"))
        self.facet.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.facet.setMinimumContentsLength(9)
        for box in (self.batch, self.facet):
            box.activated.connect(self.changed)
            box.hide()

    def chosen(self) -> bool:
        """Whether only a part of the queue is to be listed."""
        return self.batch.currentIndex() > 0 or self.facet.currentIndex() > 0

    def passing(self) -> Pass:
        """What is chosen now, for another thread: (ids, rows, labels of batches) to the ids listed."""
        batch = str(self.batch.currentData() or "")
        facet, value = self.facet.currentData() or ("", "")
        facts = self._facts

        def narrow(
            ids: Sequence[int], rows: Mapping[int, QueueRow], labels: Sequence[str]
        ) -> tuple[int, ...]:
            listed = (entry for entry in ids if entry in rows)
            if batch in labels:
                listed = (entry for entry in listed if rows[entry].label == batch)
            if facet:
                listed = (
                    entry
                    for entry in listed
                    if facts.get(
                        (rows[entry].source, rows[entry].operator), NOTHING
                    ).facet(facet)
                    == value
                )
            return tuple(listed)

        return narrow

    def clear(self) -> None:
        """List everything."""
        for box in (self.batch, self.facet):
            box.setCurrentIndex(0)

    def offer(self, labels: Sequence[str], keys: frozenset[Key]) -> None:
        """Offer these batches, and where these operators belong."""
        before = [self.batch.itemData(row) for row in range(1, self.batch.count())]
        if before != list(labels):
            self.batch.offer(
                [(self.tr("All batches"), ""), *zip(labels, labels, strict=True)]
            )
            self.batch.setVisible(bool(labels))
        if keys != self._keys:
            self._keys = keys
            self._show_facets()
        unknown = keys - self._facts.keys() - self._asked
        if unknown:
            self._asked |= unknown
            self._operations.run_in_background(
                self, lambda: facts_of(unknown), self._learnt
            )

    def _learnt(self, facts: dict[Key, Facts]) -> None:
        self._facts = {**self._facts, **facts}
        self._show_facets()

    def _show_facets(self) -> None:
        """Offer the benchmarks, levels and categories of the queue where there is something to choose."""
        facts = [self._facts.get(key, NOTHING) for key in self._keys]
        counts = {
            name: Counter(entry.facet(name) for entry in facts) for name in FACETS
        }
        words = {
            "benchmark": self.tr("Benchmark {0} ({1})"),
            "level": self.tr("Level {0} ({1})"),
            "category": self.tr("Category {0} ({1})"),
        }
        front = self.facet.currentData()
        self.facet.clear()
        self.facet.addItem(self.tr("All operators"), None)
        for name in FACETS:
            values = {
                value: count for value, count in sorted(counts[name].items()) if value
            }
            if len(values) < 2:
                continue
            self.facet.insertSeparator(self.facet.count())
            for value, count in values.items():
                self.facet.addItem(words[name].format(value, count), (name, value))
        places = [
            n for n in range(self.facet.count()) if self.facet.itemData(n) == front
        ]
        self.facet.setCurrentIndex(places[0] if front and places else 0)
        self.facet.setVisible(self.facet.count() > 1)
