"""`kernel_details.csv` of torch_npu's profiler, `op_summary_*.csv` of msprof: a row for each kernel."""

from __future__ import annotations

from dataclasses import dataclass

from remote.diagnostics.reading import UnreadableOutput, number_in, read_table

_NAMES = ("Name", "Op Name")
_KINDS = ("Type", "OP Type")
_CORES = ("Accelerator Core", "Task Type")
_TIMES = ("Duration(us)", "Task Duration(us)")


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
    """The kernels that ran, in the order of the file; columns are found by either tool's names.

    Raises:
        UnreadableOutput: It is not such a file, or a row has no time.
    """
    rows = read_table(text, source, ())
    name, kind, core, time = (
        _column(rows[0], names, source) for names in (_NAMES, _KINDS, _CORES, _TIMES)
    )
    found = []
    for number, row in enumerate(rows, start=2):
        duration = number_in(row, time, source)
        if duration is None:
            raise UnreadableOutput(
                source, "row {number} has no {time}", number=number, time=time
            )
        found.append(KernelRun(row[name], row[kind], row[core], duration))
    return tuple(found)


def _column(row: object, names: tuple[str, ...], source: str) -> str:
    for name in names:
        if isinstance(row, dict) and name in row:
            return name
    raise UnreadableOutput(source, "it has no column {names!r}", names=names[0])
