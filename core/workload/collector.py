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
# (operator, core) -> launches and microseconds.
OperatorTimes = dict[tuple[str, str], tuple[int, float]]
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
        operators: Inside and outside of steps.
    """

    computing_us: dict[str, float]
    busy_us: dict[str, float]
    communication_us: dict[str, float]
    span_us: dict[str, float]
    operators: OperatorTimes


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
        # (rank, step) and (rank, device) -> number.
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
        step_key = (rank, launch.step)
        device_key = (rank, launch.device)
        step = self._steps.setdefault(step_key, len(self._steps))
        device = self._devices.setdefault(device_key, len(self._devices))
        self._kind.append(number)
        self._step.append(step)
        self._device.append(device)
        self._start.append(launch.start_ns)
        self._duration.append(launch.duration_us)

    def _new_kind(self, launch: Launch, file: str) -> int:
        """The number of a signature that is met for the first time."""
        signature = launch.signature
        # Shapes, types and formats: of the inputs, then of the outputs.
        input_cells = signature[2:5]
        output_cells = signature[5:8]
        inputs = tensors(input_cells, (file, launch.row, "Input Shapes"))
        outputs = tensors(output_cells, (file, launch.row, "Output Shapes"))
        number = len(self._kinds)
        self._kinds.append(_Kind(signature, inputs, outputs, launch.name))
        self._numbers[signature] = number
        return number

    @staticmethod
    def _sample(kind: _Kind, launch: Launch) -> None:
        is_number = launch.blocks.strip().isdecimal()
        blocks = int(launch.blocks) if is_number else 0
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
        named = [step for one, step in self._steps if one == rank and step]
        return max(1, len(named))

    def _in_step(self) -> _Mask:
        """Which launches lie in a step, or are of a rank without steps."""
        ranks_with_steps = {rank for rank, step in self._steps if step}
        is_inside: list[bool] = []
        for rank, step in self._steps:
            has_no_steps = rank not in ranks_with_steps
            is_inside.append(has_no_steps or step != "")
        by_step = np.asarray(is_inside, dtype=bool)
        return by_step[self._columns().step]

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
        for number, kind in enumerate(self._kinds):
            rows = rows_by_kind[number]
            if not len(rows):
                continue
            times = launches.duration_us[rows]
            if kind.signature.is_communication:
                parts = talks.setdefault(kind.signature.operator, [])
                parts.append(times)
                continue
            exposed = None
            if follows is not None:
                exposed = _share(times, follows[rows])
            groups.append(_group(kind, times, calls[number], exposed))
        groups.sort(key=_longest_first)
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
        # One number for step and kind, so that `unique` sorts a single column.
        pairs = step * kinds + launches.kind[in_step]
        different_pairs, counts = np.unique(pairs, return_counts=True)
        ranks = [rank for rank, _step in self._steps]
        # (kind, rank) -> calls in each step that has any.
        by_rank: dict[tuple[int, str], list[int]] = {}
        rows = np.stack([different_pairs, counts], axis=1)
        for pair, count in rows.tolist():
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
        # Number -> name of the rank's steps.
        names: dict[int, str] = {}
        for (step_rank, step), number in self._steps.items():
            if step_rank == rank:
                names[number] = step
        is_of_rank = np.isin(launches.step, list(names))
        rows = np.flatnonzero(is_of_rank)
        start = launches.start_ns[rows]
        by_start = rows[np.argsort(start, kind="stable")]
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

    def _operators(self, launches: _Columns, rows: _Rows) -> OperatorTimes:
        """Sums of these rows: several kinds, of other shapes, are one operator."""
        size = len(self._kinds)
        kind = launches.kind[rows]
        weights = launches.duration_us[rows]
        counts = np.bincount(kind, minlength=size).tolist()
        times = np.bincount(kind, weights=weights, minlength=size).tolist()
        sums: OperatorTimes = {}
        for number, one in enumerate(self._kinds):
            count, time_us = counts[number], times[number]
            if not count:
                continue
            key = (one.signature.operator, one.signature.core)
            count_before, before_us = sums.get(key, (0, 0.0))
            sums[key] = (count_before + count, before_us + time_us)
        return sums


def _longest_first(group: Group) -> tuple[float, str, str]:
    """Key that sorts groups by falling time; the names keep the order of equals the same everywhere."""
    return -group.step_us, group.operator, group.core


def _by_number(numbers: npt.NDArray[np.int32], rows: _Rows, size: int) -> list[_Rows]:
    """Of the rows those with number 0, those with 1, and so on up to `size`.

    They stay in the order they have.
    """
    order = rows[np.argsort(numbers[rows], kind="stable")]
    following_numbers = np.arange(1, size)
    ends = np.searchsorted(numbers[order], following_numbers)
    return np.split(order, ends)


def _followed_at_once(launches: _Columns) -> _Mask | None:
    """After which launches their device began the next at once; None without starts."""
    start = launches.start_ns
    if not len(start) or np.any(start == NO_START):
        return None
    durations = np.rint(launches.duration_us * _NS)
    end = start + durations.astype(np.int64)
    order = np.lexsort((end, start, launches.device))
    before = order[:-1]
    after = order[1:]
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
    # Of several that are as frequent the largest: a profile loses calls, it adds none.
    most_frequent = [count for count, times in tally.items() if times == most]
    return float(max(most_frequent))


def _share(times: _Floats, follows: _Mask) -> float:
    """Part of the time that is of launches directly after which the device went on."""
    total = float(times.sum())
    if not total:
        return 0.0
    exposed = float(times[follows].sum())
    return exposed / total


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
        total_us = sum(times.tolist())
        listed.append(Communication(operator, len(times), total_us))
    listed.sort(key=lambda one: (-one.total_us, one.operator))
    return tuple(listed)


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
    # Of each launch counts what lies behind the latest end of all before it.
    latest_end = np.maximum.accumulate(end)
    end_before = np.append(0.0, latest_end[:-1])
    begin_alone = np.maximum(begin, end_before)
    alone = np.maximum(0.0, end - begin_alone)
    return float(alone.sum()) / _NS
