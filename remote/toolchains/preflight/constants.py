"""Values the compiler knows: what it can compute is never computed on the AI core."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_INTEGER, _FLOATING = 1, 2  # CXEvalResultKind
# Libclang 18 dies of a list for an array when it is asked for its value; none of these is one number.
_NO_NUMBER = frozenset(
    {
        "CONSTANTARRAY",
        "INCOMPLETEARRAY",
        "VARIABLEARRAY",
        "DEPENDENTSIZEDARRAY",
        "RECORD",
    }
)
_KNOWN = frozenset({"TEMPLATE_NON_TYPE_PARAMETER", "ENUM_CONSTANT_DECL"})


@cache
def _library(clang: Any) -> Any:
    """Functions of libclang for constants, which its Python binding leaves out."""
    library = clang.conf.lib
    library.clang_Cursor_Evaluate.argtypes = [clang.Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    library.clang_EvalResult_getKind.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    library.clang_EvalResult_getAsDouble.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_getAsDouble.restype = ctypes.c_double
    library.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_dispose.restype = None
    return library


def constant_value(clang: Any, cursor: Any) -> float | int | None:
    """Value of an expression or variable that is a constant of the compiler, None when it is not one."""
    library = _library(clang)
    if cursor.kind.name == "VAR_DECL" and not (
        cursor.type.is_const_qualified()
        or cursor.type.get_canonical().is_const_qualified()
    ):
        return None
    if cursor.type.get_canonical().kind.name in _NO_NUMBER:
        return None
    result = library.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        kind = library.clang_EvalResult_getKind(result)
        if kind == _INTEGER:
            return int(library.clang_EvalResult_getAsLongLong(result))
        return (
            float(library.clang_EvalResult_getAsDouble(result))
            if kind == _FLOATING
            else None
        )
    finally:
        library.clang_EvalResult_dispose(result)


def is_constant(clang: Any, cursor: Any) -> bool:
    """Whether the compiler knows the value; in a template, whether it will know it."""
    return constant_value(clang, cursor) is not None or not any(
        map(_is_run_time, cursor.walk_preorder())
    )


def _is_run_time(part: Any) -> bool:
    kind = part.kind.name
    if kind == "DECL_REF_EXPR" and part.referenced is not None:
        return part.referenced.kind.name not in _KNOWN
    return kind in {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR", "CXX_THIS_EXPR"}
