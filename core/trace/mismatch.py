"""Where an output is wrong, and who wrote there: what the mismatch explorer shows, as numbers. No Qt."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.records import ErrorMap
from core.trace.columns import Integers, Place
from core.trace.writes import Writes

MOST_ELEMENTS = 32 << 20  # of an output whose writers are kept by element
_BLOCK = 32  # elements: lines of an output of one dimension are whole multiples


@dataclass(frozen=True)
class Blamed:
    """A line that wrote wrong elements: how many of those known, and on which cores."""

    place: Place
    wrong: int
    cores: tuple[str, ...]


class Mismatch:
    """An output with wrong elements as a grid of elements, row by row.

    Args:
        drawn: The judge's record.
        tensor: Name of the output.

    Attributes:
        columns: Elements in a row of the picture: the last dimension, or a line of an output of one.
        rows: How many rows.
        starts: [runs] first element of each run of wrong ones.
        ends: [runs] the element behind each.
        known_until: Elements before this one are known exactly.
        owners: [elements] number of the range that wrote each, -1 for none; None while that is not known.
        cores: [ranges + 1] number of the core of each range; the last is -1, for what no core wrote.
        blamed: The lines that wrote the wrong elements that are known, the worst first.
        never_written: How many of those elements no copy wrote.
        written_before: The line that wrote up to where such elements begin; None where no core did.
        shared: How many of the wrong elements more than one core wrote.
    """

    def __init__(self, error_map: ErrorMap, tensor: str) -> None:
        self.drawn = error_map
        self.tensor = tensor
        self.elements = max(1, math.prod(error_map.shape))
        if error_map.flat:
            # About a square, of whole blocks.
            side = max(1, math.isqrt(self.elements))
            blocks = -(-side // _BLOCK)
            self.columns = min(self.elements, blocks * _BLOCK)
        else:
            self.columns = max(1, error_map.shape[-1])
        self.rows = -(-self.elements // self.columns)
        # [runs, 2] first element and length.
        runs = np.array(error_map.runs, dtype=np.int64).reshape(-1, 2)
        self.starts: Integers = runs[:, 0]
        self.ends: Integers = runs.sum(axis=1)
        last = int(self.ends[-1]) if len(self.ends) else 0
        self.known_until = self.elements if error_map.complete else last
        self.values = {entry.index: entry for entry in error_map.elements}
        self.writes: Writes | None = None
        self.owners: NDArray[np.int32] | None = None
        self.cores: NDArray[np.int16] = np.full(1, -1, np.int16)
        self.blamed: tuple[Blamed, ...] = ()
        self.never_written = self.shared = 0
        self.written_before: Place | None = None

    def is_wrong(self, element: int) -> bool | None:
        """Whether an element is wrong; None where that is not known."""
        runs_begun = int(np.searchsorted(self.starts, element, side="right"))
        if runs_begun and element < self.ends[runs_begun - 1]:
            return True
        return False if element < self.known_until else None

    def share(self, element: int) -> float:
        """Share of wrong elements in the coarse cell of an element, rounded up to 255ths."""
        error_map = self.drawn
        if error_map.flat:
            cells = min(self.elements, len(error_map.cells) // 2)
            cell = element * cells // self.elements
        else:
            row, column = divmod(element, self.columns)
            cell_row = row * error_map.rows // self.rows
            cell_column = column * error_map.columns // self.columns
            cell = cell_row * error_map.columns + cell_column
        # Two hexadecimal digits a cell.
        digits = error_map.cells[2 * cell : 2 * cell + 2]
        return int(digits, 16) / 255

    def index_text(self, element: int) -> str:
        """An element by its index in every dimension: `[3, 17]`."""
        place = []
        for size in reversed(self.drawn.shape or (1,)):
            element, rest = divmod(element, max(1, size))
            place.append(rest)
        return str(place[::-1])

    def next_run(self, element: int, step: int) -> int:
        """First element of the next run of wrong ones (1) or of the one before (-1), around the end."""
        if not len(self.starts):
            return element
        if step > 0:
            following = int(np.searchsorted(self.starts, element, side="right"))
            return int(self.starts[following % len(self.starts)])
        runs_before = int(np.searchsorted(self.starts, element, side="left"))
        # Before the first run the index is -1, which is the last one.
        return int(self.starts[runs_before - 1])

    def take_writes(self, writes: Writes) -> None:
        """Remember who wrote which element, in any thread; nothing for more than `MOST_ELEMENTS`."""
        if self.drawn.width and self.elements <= MOST_ELEMENTS:
            owners = writes.owners(self.tensor, self.elements, self.drawn.width)
            self.cores = np.append(writes.core, -1).astype(np.int16)
            self.writes = writes
            self._sum_up(writes, owners)
            # Last: a thread that sees the owners sees everything else too.
            self.owners = owners

    def _sum_up(self, writes: Writes, owners: NDArray[np.int32]) -> None:
        """Count who wrote the wrong elements that are known: millions, which takes more than a frame."""
        wrong = np.zeros(self.elements, dtype=bool)
        runs = np.stack([self.starts, self.ends], axis=1)
        for start, end in runs.tolist():
            wrong[start:end] = True
        # Shifted by one: place 0 counts what no core wrote.
        owner_numbers = owners[wrong].astype(np.int64) + 1
        range_count = len(writes.place)
        counts = np.bincount(owner_numbers, minlength=range_count + 1)
        self.blamed = _blamed(writes, counts[1:])
        self.never_written = int(counts[0])
        missing = np.flatnonzero(wrong & (owners < 0))
        self.written_before = _written_before(missing, owners, writes)
        shared = writes.shared(self.tensor, self.elements, self.drawn.width)
        self.shared = int((shared & wrong).sum())

    def writer(self, element: int) -> tuple[str, Place] | None:
        """Core and line that wrote an element last; None where no core did or that is not known."""
        writes = self.writes
        if writes is None or self.owners is None:
            return None
        owner = int(self.owners[element])
        if owner < 0:
            return None
        core = int(writes.core[owner])
        place = int(writes.place[owner])
        return writes.cores[core], writes.places[place]

    def cores_of(self, element: int) -> int:
        """How many cores wrote an element; 0 while that is not known."""
        if self.writes is None:
            return 0
        return self.writes.cores_at(self.tensor, element, self.drawn.width)


def _written_before(
    missing: Integers, owners: NDArray[np.int32], writes: Writes
) -> Place | None:
    """The line that most often wrote the element before a run of unwritten ones: a copy that ends too early.

    Args:
        missing: Wrong elements that no core wrote, ascending.
        owners: [elements] number of the range that wrote each, -1 for none.
        writes: The ranges.
    """
    # -2, so that element 0 begins a run too.
    begins_run = np.diff(missing, prepend=-2) != 1
    begins = missing[begins_run]
    before = owners[begins[begins > 0] - 1]
    places = writes.place[before[before >= 0]]
    if not len(places):
        return None
    [(place, _count)] = Counter(places.tolist()).most_common(1)
    return writes.places[place]


def _blamed(writes: Writes, counts: Integers) -> tuple[Blamed, ...]:
    """The lines that wrote wrong elements, the worst first; `counts`: [ranges] how many each wrote."""
    wrong: Counter[int] = Counter()
    cores: dict[int, set[int]] = {}
    for number in np.flatnonzero(counts).tolist():
        place = int(writes.place[number])
        wrong[place] += int(counts[number])
        core = int(writes.core[number])
        cores.setdefault(place, set()).add(core)
    blamed = []
    for place, count in wrong.most_common():
        in_order = sorted(cores[place])
        names = tuple(writes.cores[core] for core in in_order)
        blamed.append(Blamed(writes.places[place], count, names))
    return tuple(blamed)
