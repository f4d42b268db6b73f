"""The tiling structs of op_host for the kernel's translation unit.

CANN generates them from what op_host declares with the tiling data macros; host code around those
declarations never reaches the kernel. Here the declarations are cut out, with the constants they use, and
keep their lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from core.cpp_text import code_in_place
from remote.judge.building.source_text import code_below

REGISTERED = re.compile(
    r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*([\w:]+)\s*\)"
)
_STRUCT = re.compile(
    r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\)"
    r"(?:(?!\bBEGIN_TILING_DATA_DEF\b).)*?\bEND_TILING_DATA_DEF\b",
    re.DOTALL,
)
_CONSTANT = re.compile(
    r"^[ \t]*(?:(?:static|inline)\s+)*(?:constexpr|const)\s+(?:(?:static|inline)\s+)*[\w:]+(?:\s+\w+)?\s+"
    r"(?P<constant>\w+)\s*=[^;{}]+;"
    r"|^[ \t]*#define[ \t]+(?P<macro>\w+)[ \t]+\S.*$"
    r"|\benum\b(?:\s+(?:class|struct))?\s*\w*(?:\s*:\s*[\w:]+)?\s*\{(?P<enumerators>[^{}]*)\}\s*;",
    re.MULTILINE,
)
_OWN_STRUCT = re.compile(r"\b(?:struct|class)\s+(?:alignas\s*\([^()]*\)\s*)?(\w+)\s*\{")
_BRACE = re.compile(
    r"(?P<named>\b(?:inline\s+)?namespace\b[^;{}()]{0,400}|\bextern\s+\"C\"\s*)?\{|\}|\"(?:\\.|[^\"\\\n])*\""
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]+)[\">]", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")

T = TypeVar("T")


@dataclass(frozen=True)
class _Piece:
    """Text cut out of a file: a struct or the declaration of constants."""

    path: str
    line: int
    text: str

    @property
    def lines(self) -> list[str]:
        return [f'#line {self.line} "{self.path}"', self.text]


def registered_class(files: Mapping[str, str], operator: str) -> str:
    """Tiling struct that op_host registers for `operator`; empty when there is none."""
    found = ""
    for text in _hosts(files).values():
        found = next(
            (name for op, name in REGISTERED.findall(text) if op == operator), found
        )
    return found


def tiling_lines(files: Mapping[str, str], operator: str) -> list[str]:
    """Lines that declare the tiling structs of op_host in the kernel's translation unit.

    A header the kernel includes by itself is included; of everything else the structs are cut out. When a
    struct is registered for the operator, only it and what it is made of count: headers may serve several.
    """
    hosts = _hosts(files)
    structs = _structs(hosts)
    wanted = [
        name
        for name in _needed_pieces(files, hosts, structs, operator)
        if name not in _of_kernel(files)
    ]
    own = set(_included_by_kernel(files))
    lines = [
        f'#include "{path}"'
        for path in hosts
        if path in own and "BEGIN_TILING_DATA_DEF" in hosts[path]
    ]
    names = _closure(structs, wanted)
    names = [name for name in names if structs[name].path not in own]
    pieces = _with_constants(hosts, [structs[name] for name in names])
    cut = [line for piece in pieces for line in piece.lines]
    registered = {
        op: name
        for path, text in hosts.items()
        if path not in own
        for op, name in REGISTERED.findall(text)
        if name.rpartition("::")[2] in names
    }
    aliases = [
        f"REGISTER_TILING_DATA_CLASS({op}, {name})" for op, name in registered.items()
    ]
    if cut or aliases:
        headers = [
            '#include "register/tilingdata_base.h"',
            '#include "tiling/tiling_api.h"',
        ]
        lines += [*headers, "namespace optiling {", *cut, *aliases, "}"]
        # Only the structs: the kernel may have constants of the same names as op_host.
        lines += [f"using optiling::{name};" for name in names]
        lines += [f"using optiling::twin_tiling_of_{op};" for op in registered]
    return lines


def _needed_pieces(
    files: Mapping[str, str],
    hosts: Mapping[str, str],
    structs: Mapping[str, _Piece],
    operator: str,
) -> list[str]:
    """Structs the kernel needs: registered for the operator or one of its tiling keys, or named by it."""
    own = re.compile(rf"{operator}(?:_\w+)?")
    registered = {
        name.rpartition("::")[2]
        for text in hosts.values()
        for op, name in REGISTERED.findall(text)
        if own.fullmatch(op)
    }
    if not registered & structs.keys():
        return list(structs)
    named = {
        word for text in code_below(files, "op_kernel") for word in _WORD.findall(text)
    }
    return [name for name in structs if name in registered or name in named]


def _of_kernel(files: Mapping[str, str]) -> set[str]:
    """Structs that the kernel defines itself: it reads the host's bytes as those, and CANN generates none."""
    return {
        name
        for text in code_below(files, "op_kernel")
        for name in _OWN_STRUCT.findall(text)
    }


def _hosts(files: Mapping[str, str]) -> dict[str, str]:
    return {
        path: code_in_place(files[path])
        for path in sorted(files)
        if path.startswith("op_host/")
    }


def _structs(hosts: Mapping[str, str]) -> dict[str, _Piece]:
    pieces: dict[str, _Piece] = {}
    for path, text in hosts.items():
        for match in _STRUCT.finditer(text):
            pieces.setdefault(
                match[1], _Piece(path, text.count("\n", 0, match.start()) + 1, match[0])
            )
    return pieces


def _included_by_kernel(files: Mapping[str, str]) -> Iterator[str]:
    """Paths of op_host headers that op_kernel includes, directly or through other op_host headers."""
    known = {
        PurePosixPath(path).name: path for path in files if path.startswith("op_host/")
    }
    kernel = {
        PurePosixPath(path).name for path in files if path.startswith("op_kernel/")
    }
    waiting = code_below(files, "op_kernel")
    seen: set[str] = set()
    while waiting:
        for name in _INCLUDE.findall(waiting.pop()):
            base = PurePosixPath(name).name
            if (
                base in known
                and (base not in kernel or "op_host" in name)
                and base not in seen
            ):
                seen.add(base)
                waiting.append(code_in_place(files[known[base]]))
                yield known[base]


def _closure(structs: Mapping[str, _Piece], roots: list[str]) -> list[str]:
    """`roots` and the structs they hold, what is held first."""

    def parts(name: str) -> Iterator[str]:
        words = _WORD.findall(structs[name].text)
        return (word for word in words if word in structs)

    return _after_needs(roots, parts)


def _after_needs(roots: Iterable[T], needs: Callable[[T], Iterable[T]]) -> list[T]:
    """`roots` and all they need, each once and behind its own needs, circles aside."""
    order: list[T] = []
    visited: set[T] = set()
    for root in roots:
        if root in visited:
            continue
        visited.add(root)
        path = [(root, iter(needs(root)))]
        while path:
            item, rest = path[-1]
            need = next((need for need in rest if need not in visited), None)
            if need is None:
                order.append(item)
                path.pop()
            else:
                visited.add(need)
                path.append((need, iter(needs(need))))
    return order


def _with_constants(hosts: Mapping[str, str], structs: list[_Piece]) -> list[_Piece]:
    """`structs` behind the constants they use; a name declared in several files means the nearest one."""
    declared = _constants(hosts)
    taken: set[str] = set()

    def constants(piece: _Piece) -> Iterator[_Piece]:
        for word in _WORD.findall(piece.text):
            if word in taken:
                continue
            choices = [entry for entry in declared.get(word, ()) if entry != piece]
            if choices:
                taken.add(word)
                near = (entry for entry in choices if entry.path == piece.path)
                yield next(near, choices[0])

    return _after_needs(structs, constants)


def _constants(hosts: Mapping[str, str]) -> dict[str, list[_Piece]]:
    pieces_of: dict[str, list[_Piece]] = {}
    for path, text in hosts.items():
        inner = _inner_parts(text)
        for match in _CONSTANT.finditer(text):
            part = bisect_left(inner, (match.start(), 0)) - 1
            if not match["macro"] and part >= 0 and match.start() < inner[part][1]:
                continue  # a variable of a function or a member is no constant of another file
            piece = _Piece(
                path, text.count("\n", 0, match.start()) + 1, match[0].strip("\n")
            )
            names = [match["constant"] or match["macro"] or ""]
            if match["enumerators"] is not None:
                names = re.findall(
                    r"(\w+)\s*(?:=[^,]*)?(?:,|$)", match["enumerators"].strip()
                )
            for name in names:
                pieces_of.setdefault(name, []).append(piece)
    return pieces_of


def _inner_parts(text: str) -> list[tuple[int, int]]:
    """Parts of `text` in braces that are not a namespace's, in order: bodies of functions and classes."""
    parts: list[tuple[int, int]] = []
    opened: list[tuple[int, bool]] = []
    for match in _BRACE.finditer(text):
        if match[0].endswith("{"):
            opened.append((match.start(), match["named"] is not None))
        elif match[0] == "}" and opened:
            begin, named = opened.pop()
            if not named and all(outer for _, outer in opened):
                parts.append((begin, match.end()))
    return parts
