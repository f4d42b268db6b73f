"""From launches to groups: every launch is counted and none is kept as an object.

Of a launch stay its group, step, start and duration as numbers in arrays, 28 bytes, so a
profile of a million launches takes about 100 MB with what sorting needs.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.workload.cells import tensors
from core.workload.launches import NO_START, Launch, Signature
from core.workload.processor import Sample, sample_of
from core.workload.records import Communication, Group, Tensor

_EXPOSED_GAP_NS = 2000  # what begins so soon had to wait for the launch before
_SAMPLES = 8  # of a group, to tell the processor by
_SELDOM = 0.5  # an operator in fewer of the steps has no usual number of calls
_NS = 1000.0

_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


@dataclass
class _Kind:
    """A signature that was met."""

    signature: Signature
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    kernel: str
    blocks: int = 0
    samples: list[Sample] = field(default_factory=list)


@dataclass(frozen=True)
class RankTotals:
    """What one rank's launches add up to, all of them in steps.

    Attributes:
        computing_us: By step: the sum of all that computes.
        busy_us: By step: the time in which something computes.
        communication_us: By step: the sum.
        span_us: By step, from the first task to the end of the last; empty without
            start times.
        operators: (operator, core) -> launches and microseconds, inside and outside of
            steps.
    """

    computing_us: dict[str, float]
    busy_us: dict[str, float]
    communication_us: dict[str, float]
    span_us: dict[str, float]
    operators: dict[tuple[str, str], tuple[int, float]]


class Collector:
    """Counts launches, rank by rank."""

    def __init__(self) -> None:
        self._kinds: list[_Kind] = []
        self._numbers: dict[Signature, int] = {}
        self._kind = array("i")
        self._step = array("i")
        self._device = array("i")
        self._start = array("q")
        self._duration = array("d")
        self._steps: dict[tuple[str, str], int] = {}
        self._devices: dict[tuple[str, str], int] = {}

    def __len__(self) -> int:
        return len(self._kind)

    def add(self, launch: Launch, rank: str, file: str) -> None:
        """Count a launch.

        Raises:
            InvalidInput: Its shapes or its blocks cannot be read.
        """
        number = self._numbers.get(launch.signature)
        if number is None:
            number = self._new_kind(launch, file)
        kind = self._kinds[number]
        if len(kind.samples) < _SAMPLES:
            self._sample(kind, launch)
        step = self._steps.setdefault((rank, launch.step), len(self._steps))
        device = self._devices.setdefault((rank, launch.device), len(self._devices))
        self._kind.append(number)
        self._step.append(step)
        self._device.append(device)
        self._start.append(launch.start_ns)
        self._duration.append(launch.duration_us)

    def _new_kind(self, launch: Launch, file: str) -> int:
        signature = launch.signature
        of_inputs, of_outputs = signature[2:5], signature[5:8]
        place = (file, launch.row)
        inputs = tensors(of_inputs, (*place, "Input Shapes"))
        outputs = tensors(of_outputs, (*place, "Output Shapes"))
        self._kinds.append(_Kind(signature, inputs, outputs, launch.name))
        self._numbers[signature] = len(self._kinds) - 1
        return len(self._kinds) - 1

    @staticmethod
    def _sample(kind: _Kind, launch: Launch) -> None:
        blocks = int(launch.blocks) if launch.blocks.strip().isdecimal() else 0
        kind.blocks = max(kind.blocks, blocks)
        sample = sample_of(kind.signature.core, blocks, launch.counters)
        if sample is not None:
            kind.samples.append(sample)

    @property
    def samples(self) -> list[Sample]:
        """What tells the processor."""
        return [sample for kind in self._kinds for sample in kind.samples]

    @property
    def has_steps(self) -> bool:
        """Whether any launch lies in a step."""
        return any(step for _rank, step in self._steps)

    def outside_steps(self) -> int:
        """Launches outside of every step, of ranks that have steps."""
        return int(np.count_nonzero(~self._counted()))

    def steps_of(self, rank: str) -> int:
        """How many it has; 1 for one without steps."""
        named = sum(1 for one, step in self._steps if one == rank and step)
        return max(1, named)

    def _counted(self) -> npt.NDArray[np.bool_]:
        """Which launches lie in a step, or are of a rank without steps."""
        ranks_with_steps = {rank for rank, step in self._steps if step}
        inside = [
            bool(step) or rank not in ranks_with_steps for rank, step in self._steps
        ]
        return np.asarray(inside, dtype=bool)[np.frombuffer(self._step, np.int32)]

    def groups(self) -> tuple[tuple[Group, ...], tuple[Communication, ...]]:
        """What computes, by time in a step, and what communicates."""
        if not self._kinds:
            return (), ()
        duration = np.frombuffer(self._duration, np.float64)
        kind = np.frombuffer(self._kind, np.int32)
        counted = self._counted()
        calls = self._calls(kind, counted)
        exposed = self._exposed()
        members = np.flatnonzero(counted)
        order = members[np.argsort(kind[members], kind="stable")]
        bounds = np.searchsorted(kind[order], np.arange(len(self._kinds) + 1))
        groups: list[Group] = []
        talks: dict[str, list[float]] = {}
        for number, one in enumerate(self._kinds):
            rows = order[bounds[number] : bounds[number + 1]]
            times = duration[rows]
            if not len(times):
                continue
            if one.signature.is_communication:
                talks.setdefault(one.signature.operator, []).extend(times.tolist())
                continue
            share = None if exposed is None else _share(times, exposed[rows])
            groups.append(_group(one, times, calls[number], share))
        groups.sort(key=lambda group: (-group.step_us, group.operator, group.core))
        communication = (
            Communication(name, len(times), sum(times)) for name, times in talks.items()
        )
        ordered = sorted(communication, key=lambda one: (-one.total_us, one.operator))
        return tuple(groups), tuple(ordered)

    def _calls(
        self, kind: npt.NDArray[np.int32], counted: npt.NDArray[np.bool_]
    ) -> list[float]:
        """Calls in a step of every kind, all ranks together.

        Of each rank the number most steps have: a profile may lose the first calls of a
        step, or have a step that is unlike the others. The mean where most have none.
        """
        step = np.frombuffer(self._step, np.int32)[counted].astype(np.int64)
        pairs = step * len(self._kinds) + kind[counted]
        met, counts = np.unique(pairs, return_counts=True)
        rank_of = [rank for rank, _step in self._steps]
        by_rank: dict[tuple[int, str], list[int]] = {}
        for pair, count in zip(met.tolist(), counts.tolist(), strict=True):
            step_number, number = divmod(pair, len(self._kinds))
            by_rank.setdefault((number, rank_of[step_number]), []).append(count)
        calls = [0.0] * len(self._kinds)
        for (number, rank), counted_calls in by_rank.items():
            calls[number] += _usual(counted_calls, self.steps_of(rank))
        return calls

    def _exposed(self) -> npt.NDArray[np.bool_] | None:
        """Which launches were followed at once on their device; None without starts."""
        start = np.frombuffer(self._start, np.int64)
        if not len(start) or np.any(start == NO_START):
            return None
        device = np.frombuffer(self._device, np.int32)
        end = start + np.rint(np.frombuffer(self._duration, np.float64) * _NS).astype(
            np.int64
        )
        order = np.lexsort((end, start, device))
        follows = np.zeros(len(start), dtype=bool)
        before, after = order[:-1], order[1:]
        same = device[before] == device[after]
        follows[before] = same & (start[after] - end[before] <= _EXPOSED_GAP_NS)
        return follows

    def totals(self, rank: str) -> RankTotals:
        """Sums of one rank."""
        kind = np.frombuffer(self._kind, np.int32)
        step = np.frombuffer(self._step, np.int32)
        start = np.frombuffer(self._start, np.int64)
        duration = np.frombuffer(self._duration, np.float64)
        talks = np.array([one.signature.is_communication for one in self._kinds])
        is_talk = talks[kind] if len(kind) else np.zeros(0, dtype=bool)
        computing, busy, communication, span = {}, {}, {}, {}
        order = np.lexsort((start, step))
        bounds = np.searchsorted(step[order], np.arange(len(self._steps) + 1))
        of_rank = np.zeros(len(kind), dtype=bool)
        for (one, name), number in self._steps.items():
            if one != rank:
                continue
            rows = order[bounds[number] : bounds[number + 1]]
            of_rank[rows] = True
            works = rows[~is_talk[rows]]
            computing[name] = float(duration[works].sum())
            communication[name] = float(duration[rows[is_talk[rows]]].sum())
            first = start[rows[0]]
            if first == NO_START:
                continue
            busy[name] = _union_us(start[works], duration[works])
            ends = (start[rows] - first).astype(np.float64) + duration[rows] * _NS
            span[name] = float(ends.max()) / _NS
        return RankTotals(
            computing, busy, communication, span, self._operators(of_rank & ~is_talk)
        )

    def _operators(
        self, rows: npt.NDArray[np.bool_]
    ) -> dict[tuple[str, str], tuple[int, float]]:
        size = len(self._kinds)
        kind = np.frombuffer(self._kind, np.int32)[rows]
        weights = np.frombuffer(self._duration, np.float64)[rows]
        counts = np.bincount(kind, minlength=size)
        times = np.bincount(kind, weights=weights, minlength=size)
        sums: dict[tuple[str, str], tuple[int, float]] = {}
        for one, count, time in zip(self._kinds, counts, times, strict=True):
            if not count:
                continue
            key = (one.signature.operator, one.signature.core)
            known_count, known_us = sums.get(key, (0, 0.0))
            sums[key] = (known_count + int(count), known_us + float(time))
        return sums


def _usual(counts: Sequence[int], steps: int) -> float:
    """Calls in a step, from those of the steps that have any."""
    if len(counts) < _SELDOM * steps:
        return sum(counts) / steps
    tally = Counter(counts)
    most = max(tally.values())
    return float(max(count for count, times in tally.items() if times == most))


def _share(times: _Floats, exposed: npt.NDArray[np.bool_]) -> float:
    total = float(times.sum())
    return float(times[exposed].sum()) / total if total else 0.0


def _group(kind: _Kind, times: _Floats, calls: float, exposed: float | None) -> Group:
    return Group(
        operator=kind.signature.operator,
        core=kind.signature.core,
        inputs=kind.inputs,
        outputs=kind.outputs,
        launches=len(times),
        calls=calls,
        total_us=float(times.sum()),
        median_us=float(np.median(times)),
        blocks=kind.blocks,
        exposed=exposed,
        kernel=kind.kernel,
    )


def _union_us(start: _Integers, duration: _Floats) -> float:
    """Time in which at least one of the tasks runs; they come by start."""
    if not len(start):
        return 0.0
    begin = (start - start[0]).astype(np.float64)
    end = begin + duration * _NS
    reached = np.maximum.accumulate(end)
    before = np.concatenate(([0.0], reached[:-1]))
    return float(np.maximum(0.0, end - np.maximum(begin, before)).sum()) / _NS
