"""Names of the API reference: CANN's headers declare them, but for those of `names.txt` and `newer.txt`."""

from __future__ import annotations

import fnmatch
import re
from functools import cache
from pathlib import Path

from tools.api_reference.entries import entries, public_names
from tools.api_reference.write import newer
from tools.cann_headers.probes import NEW, OLD, Probe, refused_codes
from tools.cann_headers.sets import Flags

ABSENT = Path(__file__).parent / "names.txt"
_ROW = re.compile(r"([-+]) ([-+]) (\S+) +// (.+)")


def absent_names(layout: str) -> frozenset[str]:
    """Names that headers of a layout do not declare, by the lists.

    Args:
        layout: Of the header set; what is newer than the older one is listed with the reference.

    Raises:
        ValueError: A line of `names.txt` is no row; names it.
    """
    names = _includes()
    absent = set(newer()) if layout == OLD else set()
    lines = ABSENT.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise ValueError(f"{ABSENT.name}, line {number}: {line!r} is no row")
        in_old, in_new, pattern = row.group(1, 2, 3)
        mark = {OLD: in_old, NEW: in_new}[layout]
        if mark == "-":
            absent |= set(fnmatch.filter(names, pattern))
    return frozenset(absent)


def undeclared_names(flags: Flags, folder: Path) -> frozenset[str]:
    """Names of the reference that no header of a set declares, with or without the namespace.

    A name whose own header is none of the set is not asked for: libraries of operators bring it.

    Args:
        flags: How a compiler reads the set.
        folder: Where the translation units are written.
    """
    undeclared = sorted(_includes())
    # Only what the namespace lacks is looked for outside it.
    for spelling in (_in_namespace, _in_global_space):
        probes = {name: _probe(name, spelling(name)) for name in undeclared}
        every = list(probes.values())
        codes = refused_codes(every, "kernel", flags.kernel, folder, _heads("kernel"))
        codes |= refused_codes(every, "host", flags.host, folder, _heads("host"))
        undeclared = [name for name, probe in probes.items() if probe.code in codes]
    return frozenset(undeclared)


def _in_namespace(name: str) -> str:
    return name if "::" in name else f"AscendC::{name}"


def _in_global_space(name: str) -> str:
    return f"::{name}"


@cache
def _includes() -> dict[str, str]:
    """Name -> the header that the reference gives for it."""
    return {name: entry.include for entry in entries() for name in entry.names}


def _side(name: str) -> str:
    return "kernel" if "kernel" in public_names()[name].side else "host"


def _heads(side: str) -> str:
    """The headers of all names of a side, as far as there are such."""
    includes = _includes()
    paths = {includes[name] for name in includes if _side(name) == side}
    lines = []
    for path in sorted(paths):
        lines += [f'#if __has_include("{path}")', f'#include "{path}"', "#endif"]
    return "\n".join([*lines, ""])


def _probe(name: str, spelling: str) -> Probe:
    """A statement that a compiler takes where the name is declared, or its header is none of the set.

    Args:
        name: Of the reference.
        spelling: The same with its namespace.
    """
    header = _includes()[name]
    test = f"using {spelling};"
    if public_names()[name].kind == "macro":
        test = f"#ifndef {name}\n#error\n#endif"
    code = f'\n#if __has_include("{header}")\n{test}\n#endif\n/* {name} */'
    return Probe(_side(name), code, {})
