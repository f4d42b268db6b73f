"""Two objects of one kernel in one program: compiled for cube and for vector cores, they share every name.

The linker keeps one function of each name, which on one side of the two is the wrong one. So the functions
and data that one object defines get names of their own before it is linked; only the state of the simulator
(namespace `twin`) and the entry stay common. Source of the file format: System V ABI, chapter 4 (ELF-64).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

from remote.judge.sandbox.objects import (
    SECTION,
    SYMBOL,
    SYMBOL_TABLE,
    NotAnObject,
    foreign_to,
    read_object,
    sections_of,
)

_PREFIX = b"_ZTWINCUBE"
_GROUP = 17
_NO_TYPE, _FUNCTION = 0, 2  # a group of constructors has a name without a type
# Variables of the simulator, their guards, statics of its functions, and numbers of calls of the API.
_STATE = re.compile(rb"_ZG?V?Z?N4twin|_ZZN\w+E9twin_call")
_COMMON = re.compile(rb"_ZN4twin16launch_cube_sideE")


def complete_sides(sides: Sequence[Path], runtime: Sequence[Path]) -> list[Path]:
    """The objects of a kernel without a side that calls functions that are not written for it.

    Kernels for cube cores alone declare their entry for both and define it for one; the device's build finds
    their type out and leaves the other side away. When no side is complete all stay; the linker says why. Not
    for kernels that say they run on both (`glue.declares_both_sides`): the device's build links each.

    Args:
        sides: Objects of one kernel.
        runtime: Objects of the twin they are linked with.
    """
    runtime_objects = [read_object(path) for path in runtime]
    complete = [
        path for path in sides if not foreign_to(read_object(path), runtime_objects)
    ]
    return complete or list(sides)


def with_own_names(data: bytes) -> bytes:
    """An object like `data` whose own symbols have other names.

    Raises:
        NotAnObject: It cannot be read as one.
    """
    try:
        return _renamed(data)
    except (struct.error, IndexError, ValueError) as error:
        raise NotAnObject("the object of the cube side is damaged") from error


def _renamed(data: bytes) -> bytes:
    start, sections = sections_of(data)
    (table,) = (section for section in sections if section[1] == SYMBOL_TABLE)
    strings_at = start + table[6] * SECTION.size
    strings = sections[table[6]]
    signatures = {section[7] for section in sections if section[1] == _GROUP}
    text = bytearray(data)
    names = bytearray(data[strings[4] : strings[4] + strings[5]])
    for index in range(table[5] // SYMBOL.size):
        at = table[4] + index * SYMBOL.size
        name_at, info, other, place, value, extent = SYMBOL.unpack_from(data, at)
        name = data[strings[4] + name_at : data.index(b"\0", strings[4] + name_at)]
        defined = bool(place and info >> 4)
        if not (defined or index in signatures) or not name or _COMMON.match(name):
            continue
        if info & 15 not in (_NO_TYPE, _FUNCTION) and _STATE.match(name):
            continue
        SYMBOL.pack_into(text, at, len(names), info, other, place, value, extent)
        names += _PREFIX + name + b"\0"
    SECTION.pack_into(
        text, strings_at, *strings[:4], len(text), len(names), *strings[6:]
    )
    return bytes(text + names)
