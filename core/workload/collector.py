"""From launches to groups: every launch is counted and none is kept as an object.

Of a launch stay its group, step, start and duration as numbers in arrays, 28 bytes, so a
profile of a million launches takes about 100 MB with what sorting needs.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
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

_Rows = npt.NDArray[np.intp]  # which launches, by their place in the columns
_Mask = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Columns:
    """Every launch, one entry each.

    Attributes:
        kind: Number of its signature.
        step: Number of its step, each of one rank.
        device: Number of its device, each of one rank.
        start_ns: Nanoseconds, or `NO_START`.
        duration_us: Microseconds.
    """

    kind: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    device: npt.NDArray[np.int32]
    start_ns: npt.NDArray[np.int64]
    duration_us: _Floats


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
        """The number of a signature that is met for the first time."""
        signature = launch.signature
        input_cells, output_cells = signature[2:5], signature[5:8]
        inputs = tensors(input_cells, (file, launch.row, "Input Shapes"))
        outputs = tensors(output_cells, (file, launch.row, "Output Shapes"))
        number = len(self._kinds)
        self._kinds.append(_Kind(signature, inputs, outputs, launch.name))
        self._numbers[signature] = number
        return number

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
        return int(np.count_nonzero(~self._in_step()))

    def steps_of(self, rank: str) -> int:
        """How many it has; 1 for one without steps."""
        named = sum(1 for one, step in self._steps if one == rank and step)
        return max(1, named)

    def _in_step(self) -> _Mask:
        """Which launches lie in a step, or are of a rank without steps."""
        ranks_with_steps = {rank for rank, step in self._steps if step}
        inside = [
            bool(step) or rank not in ranks_with_steps for rank, step in self._steps
        ]
        return np.asarray(inside, dtype=bool)[self._columns().step]

    def groups(self) -> tuple[tuple[Group, ...], tuple[Communication, ...]]:
        """What computes, by time in a step, and what communicates."""
        if not self._kinds:
            return (), ()
        launches = self._columns()
        in_step = self._in_step()
        calls = self._calls(launches, in_step)
        follows = _followed_at_once(launches)
        in_steps = np.flatnonzero(in_step)
        rows_by_kind = _by_number(launches.kind, in_steps, len(self._kinds))
        groups: list[Group] = []
        talks: dict[str, list[_Floats]] = {}
        for kind, rows, kind_calls in zip(
            self._kinds, rows_by_kind, calls, strict=True
        ):
            if not len(rows):
                continue
            times = launches.duration_us[rows]
            if kind.signature.is_communication:
                talks.setdefault(kind.signature.operator, []).append(times)
                continue
            exposed = None if follows is None else _share(times, follows[rows])
            groups.append(_group(kind, times, kind_calls, exposed))
        groups.sort(key=lambda group: (-group.step_us, group.operator, group.core))
        return tuple(groups), _communication(talks)

    def _columns(self) -> _Columns:
        """The arrays as they are, without a copy; nothing can be added while it is used."""
        return _Columns(
            kind=np.frombuffer(self._kind, np.int32),
            step=np.frombuffer(self._step, np.int32),
            device=np.frombuffer(self._device, np.int32),
            start_ns=np.frombuffer(self._start, np.int64),
            duration_us=np.frombuffer(self._duration, np.float64),
        )

    def _calls(self, launches: _Columns, in_step: _Mask) -> list[float]:
        """Calls in a step of every kind, all ranks together.

        Of each rank the number most steps have: a profile may lose the first calls of a
        step, or have a step that is unlike the others. The mean where most have none.
        """
        kinds = len(self._kinds)
        step = launches.step[in_step].astype(np.int64)
        pairs, counts = np.unique(
            step * kinds + launches.kind[in_step], return_counts=True
        )
        ranks = [rank for rank, _step in self._steps]
        by_rank: dict[tuple[int, str], list[int]] = {}
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            step_number, kind = divmod(pair, kinds)
            of_rank = by_rank.setdefault((kind, ranks[step_number]), [])
            of_rank.append(count)
        calls = [0.0] * kinds
        for (kind, rank), calls_by_step in by_rank.items():
            calls[kind] += _usual(calls_by_step, self.steps_of(rank))
        return calls

    def totals(self, rank: str) -> RankTotals:
        """Sums of one rank."""
        launches = self._columns()
        talks_by_kind = [kind.signature.is_communication for kind in self._kinds]
        is_talk = np.array(talks_by_kind, dtype=bool)[launches.kind]
        names = {
            number: step for (one, step), number in self._steps.items() if one == rank
        }
        rows = np.flatnonzero(np.isin(launches.step, list(names)))
        by_start = rows[np.argsort(launches.start_ns[rows], kind="stable")]
        rows_by_step = _by_number(launches.step, by_start, len(self._steps))
        computing, busy, communication, span = {}, {}, {}, {}
        for number, name in names.items():
            in_step = rows_by_step[number]
            talks = in_step[is_talk[in_step]]
            works = in_step[~is_talk[in_step]]
            computing[name] = float(launches.duration_us[works].sum())
            communication[name] = float(launches.duration_us[talks].sum())
            if launches.start_ns[in_step[0]] != NO_START:
                busy[name] = _busy_us(launches, works)
                span[name] = _span_us(launches, in_step)
        operators = self._operators(launches, rows[~is_talk[rows]])
        return RankTotals(computing, busy, communication, span, operators)

    def _operators(
        self, launches: _Columns, rows: _Rows
    ) -> dict[tuple[str, str], tuple[int, float]]:
        """(operator, core) -> launches and microseconds, of these rows."""
        size = len(self._kinds)
        kind = launches.kind[rows]
        counts = np.bincount(kind, minlength=size).tolist()
        weights = launches.duration_us[rows]
        times = np.bincount(kind, weights=weights, minlength=size).tolist()
        sums: dict[tuple[str, str], tuple[int, float]] = {}
        for one, count, time_us in zip(self._kinds, counts, times, strict=True):
            if not count:
                continue
            key = (one.signature.operator, one.signature.core)
            count_before, before_us = sums.get(key, (0, 0.0))
            sums[key] = (count_before + count, before_us + time_us)
        return sums


def _by_number(numbers: npt.NDArray[np.int32], rows: _Rows, size: int) -> list[_Rows]:
    """Of the rows those with number 0, those with 1, and so on up to `size`.

    They stay in the order they have.
    """
    order = rows[np.argsort(numbers[rows], kind="stable")]
    ends = np.searchsorted(numbers[order], np.arange(1, size))
    return np.split(order, ends)


def _followed_at_once(launches: _Columns) -> _Mask | None:
    """After which launches their device began the next at once; None without starts."""
    start = launches.start_ns
    if not len(start) or np.any(start == NO_START):
        return None
    lengths = np.rint(launches.duration_us * _NS).astype(np.int64)
    end = start + lengths
    order = np.lexsort((end, start, launches.device))
    before, after = order[:-1], order[1:]
    is_same_device = launches.device[before] == launches.device[after]
    gap = start[after] - end[before]
    follows = np.zeros(len(start), dtype=bool)
    follows[before] = is_same_device & (gap <= _EXPOSED_GAP_NS)
    return follows


def _usual(counts: Sequence[int], steps: int) -> float:
    """Calls in a step, from those of the steps that have any."""
    if len(counts) < _SELDOM * steps:
        return sum(counts) / steps
    tally = Counter(counts)
    most = max(tally.values())
    return float(max(count for count, times in tally.items() if times == most))


def _share(times: _Floats, follows: _Mask) -> float:
    """Part of the time that is of launches directly after which the device went on."""
    total = float(times.sum())
    return float(times[follows].sum()) / total if total else 0.0


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


def _communication(talks: Mapping[str, Sequence[_Floats]]) -> tuple[Communication, ...]:
    """Collectives and messages, the longest first.

    Args:
        talks: Operator -> microseconds of its launches, in parts.
    """
    listed = []
    for operator, parts in talks.items():
        times = np.concatenate(parts)
        listed.append(Communication(operator, len(times), sum(times.tolist())))
    return tuple(sorted(listed, key=lambda one: (-one.total_us, one.operator)))


def _span_us(launches: _Columns, rows: _Rows) -> float:
    """From the first start to the last end of rows that come by start."""
    start = launches.start_ns[rows]
    begin = (start - start[0]).astype(np.float64)
    end = begin + launches.duration_us[rows] * _NS
    return float(end.max()) / _NS


def _busy_us(launches: _Columns, rows: _Rows) -> float:
    """Time in which at least one of the rows runs; they come by start."""
    if not len(rows):
        return 0.0
    start = launches.start_ns[rows]
    begin = (start - start[0]).astype(np.float64)
    end = begin + launches.duration_us[rows] * _NS
    latest_end = np.maximum.accumulate(end)
    end_before = np.concatenate(([0.0], latest_end[:-1]))
    alone = np.maximum(0.0, end - np.maximum(begin, end_before))
    return float(alone.sum()) / _NS
