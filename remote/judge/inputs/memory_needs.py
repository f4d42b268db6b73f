"""Whether this machine has the memory that a large case takes: the judge refuses it before it starts.

These are estimates. The reference of a catalogue operator works on copies in float64 and makes results and
temporaries of that width; a run holds every input twice (as given and as the kernel may change it) and every
output twice (as it was and as it is), and the comparison reads both sides.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from core.operators.spec import TestCase
from remote.judge.inputs.case_data import CaseData
from remote.judge.inputs.fills import DTYPES

_WIDE = 8  # bytes of a float64
_SIZES = re.compile(r"[(\[]([\d\s,]+)[)\]]")
_GIB = 1 << 30
_SHARE = 0.75  # of the memory that is free, for what others' code does
_LEAST_RUN_MB = 3072  # the twin's own 48 cores map a third of it
_AVAILABLE = re.compile(r"^MemAvailable:\s*(\d+) kB", re.MULTILINE)


def available_bytes() -> int:
    """Memory a new process can have without swapping; all there is where the system does not say."""
    try:
        memory_info = Path("/proc/meminfo").read_text()
    except OSError:  # not Linux
        memory_info = ""
    available = _AVAILABLE.search(memory_info)
    return (
        int(available[1]) << 10
        if available
        else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    )


def spare_bytes() -> int:
    """What of that foreign code may take: were it all, the system would end other programs."""
    return int(_SHARE * available_bytes())


def reference_bytes(case: TestCase, outputs: int) -> int:
    """About what inputs and reference of a case take.

    Args:
        case: As it came with the job; of an imported task only the largest shape in its row is known.
        outputs: How many outputs the operator has.
    """
    if case.row:
        largest = max((_elements(str(value)) for value in case.row.values()), default=0)
        return largest * 4 * _WIDE
    input_bytes = 0
    elements: list[int] = []
    for spec in case.inputs.values():
        elements += [math.prod(shape) for shape in spec.all_shapes]
        input_bytes += (
            sum(math.prod(shape) for shape in spec.all_shapes)
            * DTYPES[spec.dtype].itemsize
        )
    return input_bytes + _WIDE * (
        sum(elements) + (2 + outputs) * max(elements, default=0)
    )


def run_bytes(data: CaseData) -> int:
    """About what one run of a case takes, judge and child together."""
    return 2 * sum(file.bytes for file in data.input_files) + 4 * sum(
        file.bytes for file in data.outputs
    )


def run_mb(asked_mb: int, at_a_time: int) -> int:
    """MiB of address space for each of the runs at a time.

    What the job allows, less where the machine has not that much for all of them: two
    that take all they get must not end other programs.
    """
    share_mb = spare_bytes() // at_a_time >> 20
    return min(asked_mb, max(_LEAST_RUN_MB, share_mb))


def refusal(needed: int) -> str:
    """Why a case that takes `needed` bytes is not started, empty when it can be."""
    free = spare_bytes()
    if needed <= free:
        return ""
    return (
        f"takes about {needed / _GIB:.1f} GiB of memory, of which this machine has {free / _GIB:.1f} GiB "
        "free: close other programs, or evaluate on a larger machine"
    )


def _elements(text: str) -> int:
    """Elements of the shapes that a value of a row may spell, 0 for none."""
    return sum(
        math.prod(int(size) for size in sizes.split(",") if size.strip())
        for sizes in _SIZES.findall(text)
    )
