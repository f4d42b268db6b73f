"""Output of the profilers, read by column name: of `msprof op` on one kernel, and of all kernels that ran.

Each CSV of `msprof op` has one row for each sub-block (`cube0`, `vector0`, `vector1`) of each
block. Columns of the unit a sub-block is not (aic for a vector core) are empty or `NA`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.evaluation.records import LatencyOrigin, PipeProfile, PipeTimes
from remote.diagnostics.tool_output import UnreadableOutput, number_in, read_table

_PIPES = ("scalar", "vector", "mte1", "mte2", "mte3", "cube", "fixpipe")
_COLUMN = {"vector": "vec"}
# Columns of `kernel_details.csv` (torch_npu) and `op_summary_*.csv` (msprof).
_NAMES = ("Name", "Op Name")
_KINDS = ("Type", "OP Type")
_CORES = ("Accelerator Core", "Task Type")
_TIMES = ("Duration(us)", "Task Duration(us)")


@dataclass(frozen=True)
class KernelBasics:
    """OpBasicInfo.csv, one launch.

    Attributes:
        name: Kernel.
        duration_us: Task duration in microseconds.
        block_dim: Blocks launched.
        clock_mhz: Clock while it ran, 0 when not given.
        rated_mhz: Rated clock, 0 when not given.
    """

    name: str
    duration_us: float
    block_dim: int
    clock_mhz: float
    rated_mhz: float

    @property
    def throttled(self) -> bool:
        """Whether the clock lay below 95 % of the rated one: the time is not that of a cool card."""
        return 0 < self.clock_mhz < 0.95 * self.rated_mhz


def read_basics(text: str, source: str = "OpBasicInfo.csv") -> tuple[KernelBasics, ...]:
    """The launches in OpBasicInfo.csv.

    Raises:
        UnreadableOutput: It is not such a file.
    """
    rows = read_table(text, source, ("Op Name", "Task Duration(us)"))
    return tuple(
        KernelBasics(
            name=row["Op Name"],
            duration_us=_required(row, "Task Duration(us)", source),
            block_dim=int(number_in(row, "Block Dim", source) or 0),
            clock_mhz=number_in(row, "Current Freq", source) or 0.0,
            rated_mhz=number_in(row, "Rated Freq", source) or 0.0,
        )
        for row in rows
    )


def read_pipe_utilization(
    text: str, source: str = "PipeUtilization.csv"
) -> PipeProfile:
    """Busy cycles of the pipes of every core, and the busiest pipe of the slowest core.

    Returns:
        One `PipeTimes` for each row, numbered by unit in the order of the file; the clock is that of the
        slowest core (cycles by microseconds).

    Raises:
        UnreadableOutput: It is not such a file, or no row has cycles.
    """
    rows = read_table(text, source, ("block_id",))
    if not any(f"{unit}_total_cycles" in rows[0] for unit in ("aiv", "aic")):
        raise UnreadableOutput(
            source, "it has neither column 'aiv_total_cycles' nor 'aic_total_cycles'"
        )
    cores: list[PipeTimes] = []
    clocks: list[float] = []
    for row in rows:
        unit = _unit(row, source)
        if not unit:
            continue
        cycles = number_in(row, f"{unit}_total_cycles", source) or 0.0
        times = number_in(row, f"{unit}_time(us)", source) or 0.0
        busy = {
            pipe: cycles * _ratio(row, unit, pipe, times, source) for pipe in _PIPES
        }
        number = sum(core.unit == unit for core in cores)
        cores.append(PipeTimes(number, cycles, **busy, unit=unit, lines=()))
        clocks.append(cycles / times if times else 0.0)
    if not cores:
        raise UnreadableOutput(source, "no row holds cycles of a core")
    slowest = max(range(len(cores)), key=lambda index: cores[index].total_cycles)
    bound = max(_PIPES, key=lambda pipe: float(getattr(cores[slowest], pipe)))
    return PipeProfile(clocks[slowest], tuple(cores), bound, LatencyOrigin.MEASURED)


def imbalance(profile: PipeProfile) -> float:
    """Cycles of the slowest core by the mean over all cores; 1 is perfect balance."""
    totals = [core.total_cycles for core in profile.cores]
    mean = sum(totals) / len(totals)
    return max(totals) / mean if mean else 1.0


def _unit(row: Mapping[str, str], source: str) -> str:
    """`aiv` or `aic`, whichever the row is about; empty for a row without cycles."""
    for unit in ("aiv", "aic"):
        if number_in(row, f"{unit}_total_cycles", source):
            return unit
    return ""


def _ratio(
    row: Mapping[str, str], unit: str, pipe: str, times: float, source: str
) -> float:
    name = f"{unit}_{_COLUMN.get(pipe, pipe)}"
    ratio = number_in(row, f"{name}_ratio", source)
    if ratio is None and times:
        ratio = (number_in(row, f"{name}_time(us)", source) or 0.0) / times
    return ratio or 0.0


def _required(row: Mapping[str, str], column: str, source: str) -> float:
    value = number_in(row, column, source)
    if value is None:
        raise UnreadableOutput(source, "column {column!r} is empty", column=column)
    return value


@dataclass(frozen=True)
class KernelRun:
    """One kernel on the device.

    Attributes:
        name: As CANN calls the launch.
        kind: Operator type.
        core: What it ran on, e.g. `AI_VECTOR_CORE`.
        duration_us: Time of the task.
    """

    name: str
    kind: str
    core: str
    duration_us: float


def read_kernel_details(
    text: str, source: str = "kernel_details.csv"
) -> tuple[KernelRun, ...]:
    """The kernels that ran, a row each in the order of the file; columns are found by either tool's names.

    Raises:
        UnreadableOutput: It is not such a file, or a row has no time.
    """
    rows = read_table(text, source, ())
    name, kind, core, time = (
        _column(rows[0], names, source) for names in (_NAMES, _KINDS, _CORES, _TIMES)
    )
    runs = []
    for number, row in enumerate(rows, start=2):
        duration = number_in(row, time, source)
        if duration is None:
            raise UnreadableOutput(
                source, "row {number} has no {time}", number=number, time=time
            )
        runs.append(KernelRun(row[name], row[kind], row[core], duration))
    return tuple(runs)


def _column(row: object, names: tuple[str, ...], source: str) -> str:
    for name in names:
        if isinstance(row, dict) and name in row:
            return name
    raise UnreadableOutput(source, "it has no column {names!r}", names=names[0])
