"""Files as memory: tensors of a case and the memory of a launch are looked at where they lie, not copied.

An evaluation moves its bytes as seldom as it can: to make the pages of a copy costs more than what is done
with them.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path

Memory = memoryview | bytearray
_PATTERN = 1 << 20  # bytes of a pattern that are written at a time
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def mapped(path: Path) -> memoryview:
    """The bytes of a file; a change of them changes a copy. They stay as long as they are referred to.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return memoryview(bytearray())
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY))


def loaded(path: Path) -> bytearray:
    """The bytes of a file as they are now.

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
    """Write `pattern`, again and again, into `size` bytes of a file at `offset`."""
    whole = max(min(size, _PATTERN) // len(pattern), 1) * len(pattern)
    piece = memoryview(pattern * (whole // len(pattern)))
    for start in range(0, size, whole):
        put(file, offset + start, piece[: size - start])
