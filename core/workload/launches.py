"""One task of a profile, whatever file it comes from."""

from __future__ import annotations

from typing import NamedTuple

Counters = tuple[str, str, str, str]
"""Microseconds and cycles of the cube cores, then of the vector cores, as texts."""

NO_COUNTERS: Counters = ("", "", "", "")
NO_START = -1
_COMMUNICATION = ("HCCL", "COMMUNICATION")


class Signature(NamedTuple):
    """What makes launches alike; lists of tensors as the file has them."""

    operator: str
    core: str
    input_shapes: str = "N/A"
    input_dtypes: str = "N/A"
    input_formats: str = "N/A"
    output_shapes: str = "N/A"
    output_dtypes: str = "N/A"
    output_formats: str = "N/A"

    @property
    def is_communication(self) -> bool:
        """Whether devices talk to each other."""
        return self.core in _COMMUNICATION or self.operator.lower().startswith("hcom")


class Launch(NamedTuple):
    """A task on a device.

    Attributes:
        start_ns: Nanoseconds since some beginning; `NO_START` where it is not told.
        step: As the file has it, empty outside of steps.
        row: Of the file, for errors.
    """

    signature: Signature
    name: str
    start_ns: int
    duration_us: float
    step: str
    device: str
    blocks: str
    counters: Counters
    row: int


def operator_of(kernel_type: str, name: str) -> str:
    """CANN's type; where the profile has none, the kernel's name.

    Launches of collectives are numbered in their names, so theirs ends at the `__`.
    """
    if kernel_type not in ("", "N/A"):
        return kernel_type
    if name.lower().startswith("hcom"):
        return name.partition("__")[0].rstrip("_")
    return name
