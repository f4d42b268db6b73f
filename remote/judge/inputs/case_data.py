"""The data of one test case: where its tensors lie on disk, what is expected of it, and how wide a dtype is.

Needs no torch: what launches a program must not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from core.operators.spec import TestCase

# Bytes of an element.
WIDTHS = {
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "bool": 1,
    "complex64": 8,
}
# Numbers of aclDataType.
ACL_TYPES = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "uint16": 7,
    "uint32": 8,
    "int64": 9,
    "uint64": 10,
    "float64": 11,
    "bool": 12,
    "complex64": 16,
    "bfloat16": 27,
}
# What outputs hold before a launch: NaN in every floating type; another pattern in a second run.
FLOAT_POISON, INTEGER_POISON, SECOND_POISON = 0xFF, 0xA5, 0x5A
_FLOATING = ("float32", "float16", "bfloat16", "complex64")


def poison(dtype: str, *, second: bool = False) -> int:
    """The byte an output of `dtype` is filled with before a run, or before the second one.

    An element that keeps the byte in both runs is one that the kernel did not write.
    """
    if second:
        return SECOND_POISON
    return FLOAT_POISON if dtype in _FLOATING else INTEGER_POISON


@dataclass(frozen=True)
class Room:
    """The tensor a caller allocates for an output: of `shape`, set to zeros or holding anything."""

    shape: tuple[int, ...]
    zero: bool


@dataclass(frozen=True)
class TensorFile:
    """One tensor of a case on disk. `strides` is empty for contiguous memory; `bytes` counts the file.

    `room` is set for an output of an imported task whose binding says what it allocates; the kernel's
    result is the leading part of that.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    path: Path
    bytes: int
    room: Room | None = None

    @property
    def allocation(self) -> Room:
        """What the caller allocates for an output: `room`, else the output's own shape, holding anything."""
        return self.room or Room(self.shape, zero=False)


@dataclass(frozen=True)
class CaseData:
    """Inputs (by name, several for a list), expected outputs and attributes of a case.

    `returned` are the outputs as the operator's own checker is to see them: those of an imported task keep
    the dtype its model gave them, which may be wider than that of the kernel's output.
    """

    inputs: Mapping[str, tuple[TensorFile, ...]]
    outputs: tuple[TensorFile, ...]
    expected: tuple[torch.Tensor | None, ...]
    attributes: Mapping[str, Any]
    returned: tuple[torch.Tensor | None, ...]

    @property
    def input_files(self) -> list[TensorFile]:
        """All input tensors in one list, those of a tensor list one by one."""
        return [file for files in self.inputs.values() for file in files]

    def interface(self) -> tuple[tuple[str, str], ...]:
        """Name and dtype of every tensor: what a kernel is compiled for."""
        return tuple(
            (file.name, file.dtype) for file in (*self.input_files, *self.outputs)
        )

    def is_unchecked(self, case: TestCase, index: int) -> bool:
        """Whether the benchmark of an imported task compares nothing with output `index`."""
        return bool(case.row) and self.expected[index] is None
