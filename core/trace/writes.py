"""Which core wrote which bytes of an output, and by which line: from the records of a traced launch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import Integers, Place
from core.trace.records import WROTE, Chunk
from core.trace.twin_records import chunks_in


@dataclass(frozen=True, eq=False)
class Writes:
    """Ranges of bytes in the order each core wrote them, one core after the other.

    Attributes:
        cores: Names, as in `Lane`.
        places: Lines of source.
        tensors: Names of what was written.
        begin: [ranges] first byte in its tensor.
        size: [ranges] bytes.
        core: [ranges] number in `cores`.
        place: [ranges] number in `places`.
        tensor: [ranges] number in `tensors`.
    """

    cores: tuple[str, ...]
    places: tuple[Place, ...]
    tensors: tuple[str, ...]
    begin: Integers
    size: Integers
    core: Integers
    place: Integers
    tensor: Integers

    def owners(self, tensor: str, elements: int, width: int) -> NDArray[np.int32]:
        """[elements] number of the range that wrote each element last, -1 for one that no core wrote.

        Where several cores wrote the same element, the one with the highest number counts: cores run side by
        side, and which came last is not told.

        Args:
            tensor: Name of the output; `y[1]` is the second one of a list, which the records call `y` alone.
            elements: How many it has.
            width: Bytes of an element.
        """
        owners = np.full(elements, -1, dtype=np.int32)
        own, first, end = self._ranges(tensor, width)
        ranges = zip(own.tolist(), first.tolist(), end.tolist(), strict=True)
        for number, start, stop in ranges:
            owners[start:stop] = number
        return owners

    def shared(self, tensor: str, elements: int, width: int) -> NDArray[np.bool_]:
        """[elements] whether more than one core wrote it; arguments as of `owners`."""
        own, first, end = self._ranges(tensor, width)
        steps = np.zeros(elements + 1, dtype=np.int32)
        for core in np.unique(self.core[own]).tolist():
            mine = np.flatnonzero(self.core[own] == core)
            mine = mine[np.argsort(first[mine], kind="stable")]
            ends = np.maximum.accumulate(end[mine])
            # What this core wrote twice counts once: a range begins where the ones before end.
            ends_before = np.concatenate(([0], ends[:-1]))
            begins = np.maximum(first[mine], ends_before)
            new = begins < ends
            np.add.at(steps, np.minimum(begins[new], elements), 1)
            np.add.at(steps, np.minimum(ends[new], elements), -1)
        several: NDArray[np.bool_] = np.cumsum(steps[:-1]) > 1
        return several

    def cores_at(self, tensor: str, element: int, width: int) -> int:
        """How many cores wrote an element."""
        own, first, end = self._ranges(tensor, width)
        return len(np.unique(self.core[own[(first <= element) & (element < end)]]))

    def _ranges(self, tensor: str, width: int) -> tuple[Integers, Integers, Integers]:
        """Numbers of the ranges of an output, the first element of each, and the one behind its last."""
        name = tensor if tensor in self.tensors else tensor.partition("[")[0]
        number = self.tensors.index(name) if name in self.tensors else -1
        own = np.flatnonzero(self.tensor == number)
        end = self.begin[own] + self.size[own]
        # Rounded outwards: an element counts as written with its first byte.
        return own, self.begin[own] // width, -(-end // width)


def writes_of(packed: str) -> Writes:
    """What the launch in an attachment of the judge wrote; raises InvalidInput for another form."""
    cores: dict[str, int] = {}
    places: dict[Place, int] = {}
    tensors: dict[str, int] = {}
    parts = [_of_core(chunk, cores, places, tensors) for chunk in chunks_in(packed)]
    table = np.concatenate(parts, axis=1) if parts else np.zeros((5, 0), dtype=np.int64)
    return Writes(tuple(cores), tuple(places), tuple(tensors), *table)


def _of_core(
    chunk: Chunk,
    cores: dict[str, int],
    places: dict[Place, int],
    tensors: dict[str, int],
) -> NDArray[np.int64]:
    """[5, ranges]: begin, size, core, place and tensor."""
    rows = chunk.records[chunk.records["kind"] == WROTE]
    core = cores.setdefault(chunk.core, len(cores))
    place = np.zeros(len(chunk.sites), dtype=np.int64)
    tensor = np.zeros(len(chunk.sites), dtype=np.int64)
    for site in np.unique(rows["site"]).tolist():
        name, file, line = chunk.sites[site]
        place[site] = places.setdefault(Place(file, line), len(places))
        tensor[site] = tensors.setdefault(name, len(tensors))
    return np.stack(
        [
            rows["start"].astype(np.int64),
            rows["bytes"].astype(np.int64),
            np.full(len(rows), core),
            place[rows["site"]],
            tensor[rows["site"]],
        ]
    )
