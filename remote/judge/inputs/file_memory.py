"""Files as memory: tensors of a case and the memory of a launch are read where they lie, not copied.

An evaluation copies as few bytes as it can: making the pages of a copy costs more than the work on them.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path

Memory = memoryview | bytearray
_PIECE = 1 << 20  # bytes of a repeated pattern that are written at a time
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def mapped(path: Path) -> memoryview:
    """The bytes of a file, mapped: writing to them changes private pages, never the file.

    The mapping ends with the last reference to it.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:  # an empty file cannot be mapped
            return memoryview(bytearray())
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY))


def loaded(path: Path) -> bytearray:
    """A copy of the bytes of a file, which later writes to it do not change.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        data = bytearray(os.fstat(file.fileno()).st_size)
        view = memoryview(data)
        while view and (count := file.readinto(view)):
            view = view[count:]
        return data


def same_bytes(one: Memory, other: Memory) -> bool:
    """Whether two pieces of memory hold the same."""
    size = len(one)
    if size != len(other) or not size:
        return size == len(other)
    first, second = ctypes.c_char.from_buffer(one), ctypes.c_char.from_buffer(other)
    return same_addresses(ctypes.addressof(first), ctypes.addressof(second), size)


def same_addresses(one: int, other: int, size: int) -> bool:
    """Whether `size` bytes at two addresses are the same."""
    return bool(_compare(one, other, size) == 0)


def put(file: int, offset: int, data: Memory | bytes) -> None:
    """Write `data` into a file at `offset`."""
    remaining = memoryview(data)
    while remaining:
        size = os.pwrite(file, remaining, offset)
        remaining, offset = remaining[size:], offset + size


def put_pattern(file: int, offset: int, size: int, pattern: bytes) -> None:
    """Fill `size` bytes of a file at `offset` with `pattern`, repeated; the last may be cut short."""
    repeats = max(min(size, _PIECE) // len(pattern), 1)
    piece = memoryview(pattern * repeats)
    for start in range(0, size, len(piece)):
        put(file, offset + start, piece[: size - start])
