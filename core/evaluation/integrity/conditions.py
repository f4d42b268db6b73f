"""Conditions of the preprocessor that compilers answer differently.

The rules on the syntax tree read the program that libclang sees; what runs is what the host's compiler sees. A
candidate that asks for a macro of one of both shows the rules another program. Every macro that a compiler or its
own headers define has a reserved name, so what counts is which reserved names a condition comes to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.evaluation.integrity.source import Source

_DIRECTIVE = re.compile(
    r"^[^\S\n]*+#[^\S\n]*+(?P<kind>\w+)(?P<rest>[^\n]*+)", re.MULTILINE
)
_CONDITIONS = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"))
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+")
_RESERVED = re.compile(r"__|_[A-Z]")
_DEFINITION = re.compile(r"\s*+(?P<name>\w++)(?P<called>\(?)(?P<body>.*+)", re.DOTALL)
_ABSENT = re.compile(r"\s*+!\s*+defined\s*+\(?\s*+(?P<name>\w++)\s*+\)?\s*+")
# What CANN's compiler defines, of which no host compiler knows, and the language's own.
_OF_CANN = re.compile(
    r"__(?:cplusplus|CCE_\w+|NPU_\w+|DAV_\w+|TIK2_\w+|ASCENDC_\w+|CUBE_\w+|FIXED_POINT_\w+)"
)
# Words in the guards of headers that come with g++ or clang.
_OF_COMPILERS = re.compile(
    r"GCC|GNUC|GXX|CLANG|clang|INTRIN|INCLUDED|STDINT|STDDEF|STDARG|STDBOOL|STDALIGN"
    r"|STDNORETURN|STDATOMIC|STDFIX|LIMITS|_FLOAT_H|VARARGS|VA_LIST|ISO646|CPUID"
    r"|MM_MALLOC|UNWIND|TGMATH|_CET_|SIZE_T|SIZET|WCHAR_T|WINT_T|PTRDIFF|MAX_ALIGN"
    r"|RUNE_T|_OMP_|OPENACC|ACC_PROF|BUILTINS"
)

Hit = tuple[str, int, str]  # path, line, what


@dataclass
class _Macros:
    """The macros of a candidate: the names in their bodies, and which of them take arguments."""

    names: dict[str, set[str]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)


def compiler_conditions(sources: Sequence[Source]) -> Iterator[Hit]:
    """The first condition of each file that comes to a name of compilers, or calls a macro, which could make one."""
    macros = _macros(sources)
    harmless: set[str] = set()
    for source in sources:
        directives = list(_DIRECTIVE.finditer(source.code))
        for number, directive in enumerate(directives):
            if directive["kind"] not in _CONDITIONS:
                continue
            following = directives[number + 1 : number + 2]
            if following and _is_guard(directive, following[0]):
                continue
            name = _odd_name(directive["rest"], macros, harmless)
            if name:
                asks = (
                    "calls a macro, which may ask"
                    if name in macros.functions
                    else "asks"
                )
                what = f"{asks} which compiler or machine it is judged on: {name}"
                yield source.path, source.line_of(directive.start("kind")), what
                break


def _macros(sources: Sequence[Source]) -> _Macros:
    macros = _Macros()
    for source in sources:
        for directive in _DIRECTIVE.finditer(source.code):
            definition = _DEFINITION.fullmatch(directive["rest"])
            if directive["kind"] != "define" or definition is None:
                continue
            name = definition["name"]
            if definition["called"]:
                macros.functions.add(name)
            macros.names.setdefault(name, set()).update(
                _NAME.findall(definition["body"])
            )
    return macros


def _is_guard(directive: re.Match[str], following: re.Match[str]) -> bool:
    """Whether two directives begin a header that may be included twice, and no header of a compiler."""
    name = ""
    if directive["kind"] == "ifndef":
        name = directive["rest"].strip()
    elif directive["kind"] == "if":
        absent = _ABSENT.fullmatch(directive["rest"])
        name = absent["name"] if absent else ""
    definition = _DEFINITION.fullmatch(following["rest"])
    if following["kind"] != "define" or definition is None:
        return False
    return definition["name"] == name and not _OF_COMPILERS.search(name)


def _odd_name(condition: str, macros: _Macros, harmless: set[str]) -> str:
    """The first name a condition may come to that a compiler or the arguments of a call decide; "" for none.

    Args:
        condition: What stands behind the directive.
        macros: Those of the candidate.
        harmless: Names that come to no such name; those of a condition without one are added.
    """
    pending: list[str] = _NAME.findall(condition)
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or name in harmless:
            continue
        seen.add(name)
        is_reserved = _RESERVED.match(name) and not _OF_CANN.fullmatch(name)
        if is_reserved or name in macros.functions:
            return name
        pending += macros.names.get(name, ())
    harmless |= seen
    return ""
