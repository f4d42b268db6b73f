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
        # In order of the ranges, so that the last that wrote an element stays.
        rows = np.stack([own, first, end], axis=1)
        for number, start, stop in rows.tolist():
            owners[start:stop] = number
        return owners

    def shared(self, tensor: str, elements: int, width: int) -> NDArray[np.bool_]:
        """[elements] whether more than one core wrote it; arguments as of `owners`."""
        own, first, end = self._ranges(tensor, width)
        # +1 where a core's range begins, -1 behind its end: their sum up to an element counts its cores.
        steps = np.zeros(elements + 1, dtype=np.int32)
        core_of_range = self.core[own]
        for core in np.unique(core_of_range).tolist():
            mine = np.flatnonzero(core_of_range == core)
            mine = mine[np.argsort(first[mine], kind="stable")]
            ends = np.maximum.accumulate(end[mine])
            # What this core wrote twice counts once: a range begins where the ones before end.
            ends_before = np.append(0, ends[:-1])
            begins = np.maximum(first[mine], ends_before)
            is_new = begins < ends
            # Nothing is counted behind the last element, which a range may pass by its rounding.
            new_begins = np.minimum(begins[is_new], elements)
            new_ends = np.minimum(ends[is_new], elements)
            np.add.at(steps, new_begins, 1)
            np.add.at(steps, new_ends, -1)
        core_counts = np.cumsum(steps[:-1])
        several: NDArray[np.bool_] = core_counts > 1
        return several

    def cores_at(self, tensor: str, element: int, width: int) -> int:
        """How many cores wrote an element."""
        own, first, end = self._ranges(tensor, width)
        holds_element = (first <= element) & (element < end)
        cores = self.core[own[holds_element]]
        return len(np.unique(cores))

    def _ranges(self, tensor: str, width: int) -> tuple[Integers, Integers, Integers]:
        """Numbers of the ranges of an output, the first element of each, and the one behind its last."""
        name = tensor
        if name not in self.tensors:
            name = tensor.partition("[")[0]
        # -1: the number of no range.
        number = self.tensors.index(name) if name in self.tensors else -1
        own = np.flatnonzero(self.tensor == number)
        end = self.begin[own] + self.size[own]
        # Rounded outwards: an element counts as written with its first byte.
        first_element = self.begin[own] // width
        end_element = -(-end // width)
        return own, first_element, end_element


def writes_of(packed: str) -> Writes:
    """What the launch in an attachment of the judge wrote; raises InvalidInput for another form."""
    cores: dict[str, int] = {}
    places: dict[Place, int] = {}
    tensors: dict[str, int] = {}
    # A launch that wrote nothing has five columns too.
    parts = [np.zeros((5, 0), dtype=np.int64)]
    chunks = chunks_in(packed)
    parts += [_of_core(chunk, cores, places, tensors) for chunk in chunks]
    begin, size, core, place, tensor = np.concatenate(parts, axis=1)
    return Writes(
        cores=tuple(cores),
        places=tuple(places),
        tensors=tuple(tensors),
        begin=begin,
        size=size,
        core=core,
        place=place,
        tensor=tensor,
    )


def _of_core(
    chunk: Chunk,
    cores: dict[str, int],
    places: dict[Place, int],
    tensors: dict[str, int],
) -> NDArray[np.int64]:
    """[5, ranges]: begin, size, core, place and tensor."""
    # A record of this kind has the offset in the tensor as its start, and the tensor's name as its call.
    rows = chunk.records[chunk.records["kind"] == WROTE]
    core = cores.setdefault(chunk.core, len(cores))
    place = np.zeros(len(chunk.sites), dtype=np.int64)
    tensor = np.zeros(len(chunk.sites), dtype=np.int64)
    for site in np.unique(rows["site"]).tolist():
        name, file, line = chunk.sites[site]
        where = Place(file, line)
        place[site] = places.setdefault(where, len(places))
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
