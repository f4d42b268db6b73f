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
        self._requested: set[Key] = set()  # of which facts are or were looked up
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

    def narrows(self) -> bool:
        """Whether only a part of the queue is to be listed."""
        return self.batch.currentIndex() > 0 or self.facet.currentIndex() > 0

    def passing(self) -> Pass:
        """What is chosen now, for another thread: (ids, rows, labels of batches) to the ids listed."""
        batch = str(self.batch.currentData() or "")
        facet, value = self.facet.currentData() or ("", "")
        # Widgets must not be asked in another thread, so the answers are taken now.
        facts = self._facts

        def has_value(row: QueueRow) -> bool:
            of_operator = facts.get((row.source, row.operator), NOTHING)
            return of_operator.facet(facet) == value

        def narrow(
            ids: Sequence[int], rows: Mapping[int, QueueRow], labels: Sequence[str]
        ) -> tuple[int, ...]:
            listed = [entry for entry in ids if entry in rows]
            # A batch that is no longer in the queue narrows nothing.
            if batch in labels:
                listed = [entry for entry in listed if rows[entry].label == batch]
            if facet:
                listed = [entry for entry in listed if has_value(rows[entry])]
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
            every_batch = (self.tr("All batches"), "")
            batches = [(label, label) for label in labels]
            self.batch.offer([every_batch, *batches])
            self.batch.setVisible(bool(labels))
        if keys != self._keys:
            self._keys = keys
            self._show_facets()
        unknown = keys - self._facts.keys() - self._requested
        if unknown:
            self._requested |= unknown
            self._operations.run_in_background(
                self, lambda: facts_of(unknown), self._take_facts
            )

    def _take_facts(self, facts: dict[Key, Facts]) -> None:
        # A new dictionary: `passing` has given the one before to another thread.
        self._facts = {**self._facts, **facts}
        self._show_facets()

    def _show_facets(self) -> None:
        """Offer the benchmarks, levels and categories of the queue where there is something to choose."""
        words = {
            "benchmark": self.tr("Benchmark {0} ({1})"),
            "level": self.tr("Level {0} ({1})"),
            "category": self.tr("Category {0} ({1})"),
        }
        front = self.facet.currentData()
        self.facet.clear()
        self.facet.addItem(self.tr("All operators"), None)
        for name in FACETS:
            counts = self._counts(name)
            # With one value only there is nothing to choose.
            if len(counts) < 2:
                continue
            self.facet.insertSeparator(self.facet.count())
            for value in sorted(counts):
                entry = words[name].format(value, counts[value])
                self.facet.addItem(entry, (name, value))
        choices = [self.facet.itemData(n) for n in range(self.facet.count())]
        is_offered = front and front in choices
        self.facet.setCurrentIndex(choices.index(front) if is_offered else 0)
        self.facet.setVisible(self.facet.count() > 1)

    def _counts(self, facet: str) -> Counter[str]:
        """How many operators of the queue have each value of a facet."""
        facts = [self._facts.get(key, NOTHING) for key in self._keys]
        values = [entry.facet(facet) for entry in facts]
        return Counter(value for value in values if value)
