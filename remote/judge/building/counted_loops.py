"""How passes of a kernel's own loops get counted: loop keywords are macros while it is compiled.

The macros, and what a pass costs, are in the twin (`twin/count_loops.h`, `soc_data.h`). A kernel that takes
them away would compute for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from core.cpp_text import JOINT, code_in_place

_WORDS = r"(?:for|while|goto|(?:counted_|__builtin_)?mem(?:cpy|move|set))"
_DIRECTIVE = re.compile(rf"(?:#|%:|\?\?=)\s*(define|undef)\s+({_WORDS})\b")
_MACRO_STACK = re.compile(r"\b(?:push|pop)_macro\b")


def flags(include: Path) -> tuple[str, str]:
    """Flags that bring the macros in, from the folder `include` of the twin; behind the precompiled header.

    By their whole path: a candidate may have a file of the same name.
    """
    return "-include", str(include / "twin" / "count_loops.h")


def redefinition(files: Mapping[str, str]) -> str:
    """Complaint about a source that defines or undefines a counted word; empty when there is none."""
    for path, text in files.items():
        code = code_in_place(JOINT.sub("", text))
        directive = _DIRECTIVE.search(code)
        if directive:
            return (
                f"{path}: #{directive[1]} {directive[2]}: loop keywords and functions of the C library may not be "
                "redefined. Remove the directive."
            )
        if _MACRO_STACK.search(code):
            return f"{path}: push_macro and pop_macro are not for kernels. Remove them."
    return ""
