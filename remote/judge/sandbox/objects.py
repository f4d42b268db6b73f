"""What a compiled object asks of the rest of the program, and what it keeps in memory.

A kernel computes and calls the API; op_host reads shapes and writes tiling data. Neither needs files,
processes, clocks or threads, so an object that names such a function is not linked. This is a screen against
accidents and lazy cheats, not a boundary: the sandbox is that. Source of the file format: System V ABI,
chapter 4 (ELF-64 object files).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1
fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb
lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt
tan tanh tgamma trunc
"""
_PLAIN_NAMES = """
memchr memcmp memcpy memmove mempcpy memset bzero malloc calloc realloc free aligned_alloc
strcat strchr strcmp strcpy strcspn strlen strncat strncmp strncpy strnlen strpbrk strrchr strspn strstr
strtod strtof strtol strtold strtoll strtoul strtoull atoi atol atof tolower toupper isalnum isalpha isdigit
isspace isxdigit printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts putchar fputs fputc
fwrite fflush stdout stderr abort abs labs llabs div qsort bsearch getenv _GLOBAL_OFFSET_TABLE_ __dso_handle
__gxx_personality_v0 __gcc_personality_v0 __stack_chk_fail __stack_chk_guard __tls_get_addr __assert_fail
__errno_location __libc_single_threaded
"""
_PLAIN = frozenset(
    [
        *_PLAIN_NAMES.split(),
        *(f"{name}{width}" for name in _MATH.split() for width in ("", "f", "l")),
    ]
)
_SUPPORT = re.compile(
    r"__cxa_\w+|_Unwind_\w+|__(?:mem|str|v?f?s?n?print)\w*_chk|__isoc\d*_strto\w+"
    # Arithmetic the compiler does not inline, such as __popcountdi2 and __divti3.
    r"|__\w+?(?:[qhsdt]i|[bhsdtx]f|[sd]c|[sdtx]f[sdtq]i)\d?"
)
# Other names of C++ are the candidate's own or the twin's: the linker finds them there or complains.
_STANDARD = re.compile(
    r"_ZN?K?S|_ZZ?NK?S|_ZT[ISVTHW]N?S|_ZN?K?9__gnu_cxx|_ZTV?N9__gnu_cxx"
)
# Functions that were written in a namespace, a class or neither.
_WRITTEN = re.compile(r"_Z(?!N?K?S|N10__cxxabiv1|N9__gnu_cxx)(?:N|L?\d)")
# Of the standard library: files, threads, clocks, true randomness.
_DENIED = re.compile(
    r"10filesystem|fstream|filebuf|12__basic_file|6thread|12__future_base|13random_device|6chrono"
    r"|18condition_variable|5mutex|15_Sp_locker"
)
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SYMBOL_TABLE = 2
_DATA = (1, 6)  # STT_OBJECT, STT_TLS
_KEPT = re.compile(r"\.(?:data(?!\.rel\.ro)|bss|tdata|tbss)\b")
# The twin's own, and what compilers keep for exceptions.
_TWINS = re.compile(r"_ZN4twin|DW\.ref\.|_ZZNK?(?:7AscendC|4twin)\w*9twin_call$")
_MOST_NAMED = 5  # names a refusal shows


class NotAnObject(Exception):
    """A file that is no ELF-64 object of this machine's byte order."""


@dataclass(frozen=True)
class Object:
    """What an object asks for and gives.

    Attributes:
        undefined: Names it needs from elsewhere.
        defined: Global names it gives.
        variables: Names of what lies in memory that is there as long as the program runs,
            and may be written.
    """

    undefined: frozenset[str]
    defined: frozenset[str]
    variables: frozenset[str]


def read_object(path: Path) -> Object:
    """The names in an object file.

    Raises:
        NotAnObject: It cannot be read as one.
    """
    status = path.stat()
    return _read_file(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _read_file(path: Path, _size: int, _changed: int) -> Object:
    try:
        return _read(path.read_bytes())
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise NotAnObject(f"{path.name} is damaged") from error


def sections_of(data: bytes) -> tuple[int, list[tuple[int, ...]]]:
    """Where the headers of an object's sections begin, and their fields.

    Raises:
        NotAnObject: It is none.
        struct.error: It is cut off.
    """
    if data[:6] != b"\x7fELF\x02\x01":
        raise NotAnObject("no ELF-64 object")
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    if size != SECTION.size:
        raise NotAnObject("no ELF-64 object")
    # Where more sections are there than fit, the first one holds their number.
    count = count or SECTION.unpack_from(data, start)[5]
    return start, [SECTION.unpack_from(data, start + at * size) for at in range(count)]


def _read(data: bytes) -> Object:
    _, sections = sections_of(data)
    (names_at,) = struct.unpack_from("<H", data, 0x3E)
    names_at = sections[0][6] if names_at == 0xFFFF else names_at
    names = sections[names_at]
    undefined, defined, variables = set[str](), set[str](), set[str]()
    places = [_text(data, names[4] + section[0]) for section in sections]
    for section in (one for one in sections if one[1] == SYMBOL_TABLE):
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], SYMBOL.size):
            text, info, _, place, _, size = SYMBOL.unpack_from(data, at)
            if not text:
                continue
            symbol = _text(data, strings + text)
            if info >> 4:  # global or weak
                (undefined if place == 0 else defined).add(symbol)
            is_data = info & 0xF in _DATA and size > 0 and place < len(places)
            if is_data and _KEPT.match(places[place]):
                variables.add(symbol)
    return Object(frozenset(undefined), frozenset(defined), frozenset(variables))


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


def foreign_names(objects: Iterable[Object]) -> list[str]:
    """Names the objects need that neither they nor computation, the API or op_host's headers have."""
    objects = list(objects)
    defined = frozenset[str]().union(*(each.defined for each in objects))
    undefined = frozenset[str]().union(*(each.undefined for each in objects))
    return sorted(name for name in undefined - defined if not _is_allowed(name))


def foreign_to(part: Object, neighbours: Iterable[Object]) -> list[str]:
    """Functions of C++ that `part` needs and that neither it, nor `neighbours`, nor the standard library has."""
    defined = part.defined.union(*(each.defined for each in neighbours))
    return sorted(filter(_WRITTEN.match, part.undefined - defined))


def _is_allowed(name: str) -> bool:
    if name.startswith("_Z"):
        return not (_STANDARD.match(name) and _DENIED.search(name))
    return name in _PLAIN or bool(_SUPPORT.fullmatch(name))


def screen(hosts: Sequence[Path], kernels: Sequence[Path]) -> str:
    """Why a candidate is not linked, from the objects of op_host and of its kernel; empty when it may be."""
    try:
        host = [read_object(path) for path in hosts]
        objects = [read_object(path) for path in kernels]
    except NotAnObject as fault:
        return f"The compiler made an object that cannot be read: {fault}."
    if foreign := foreign_names(host):
        return (
            f"op_host asks for {', '.join(foreign[:_MOST_NAMED])}: it gets shapes and attributes and gives "
            "tiling data; it has no files, processes, clocks or threads."
        )
    if foreign := sorted(
        {name for found in objects for name in foreign_names([found])}
    ):
        names = ", ".join(foreign[:_MOST_NAMED])
        return (
            f"undefined symbol: {names}: a kernel has no such function on the device."
        )
    if kept := sorted(
        {
            name
            for found in objects
            for name in found.variables
            if not _TWINS.match(name)
        }
    ):
        names = ", ".join(kept[:_MOST_NAMED])
        return (
            f"The kernel keeps {names} in memory of the program, which its cores would share: a core has "
            "global memory, its buffers and its stack. Make it constexpr, a local variable or a member. Where "
            "cores agree by it, as by a __gm__ array, take a part of the workspace that op_host asks for and "
            "set it before the first SyncAll: what another launch left in the program is nothing to rely on."
        )
    return ""
