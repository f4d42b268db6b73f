"""The syntax tree of libclang: its types, the few forms the checks need, and the values the compiler knows.

The Python binding makes a new call-back for every list of children; walking a kernel that way takes longer
than parsing it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol

Clang = Any  # the module `clang.cindex`, which has no types

_CONTINUE, _RECURSE = 1, 2  # CXChildVisitResult
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
_NUMBERS = {
    "FLOAT": "float",
    "DOUBLE": "double",
    "LONGDOUBLE": "double",
    "UCHAR": "unsigned",
    "USHORT": "unsigned",
    "UINT": "unsigned",
    "ULONG": "unsigned",
    "ULONGLONG": "unsigned",
    "INT": "signed",
    "SHORT": "signed",
    "SCHAR": "signed",
    "CHAR_S": "signed",
    "LONG": "signed",
    "LONGLONG": "signed",
}
_HALVES = frozenset({"half", "bfloat16_t"})
_WRAPPING = frozenset({"UNEXPOSED_EXPR", "PAREN_EXPR"})


class File(Protocol):
    """A file; `name` is its path as it was given to libclang."""

    name: str


class Location(Protocol):
    """A place in a source; lines and columns count from 1, offsets from 0, in bytes."""

    file: File | None
    line: int
    column: int
    offset: int


class Extent(Protocol):
    """From the first to behind the last character."""

    start: Location
    end: Location


class Kind(Protocol):
    """Kind of a cursor, a type or a storage class."""

    name: str
    value: int

    def is_expression(self) -> bool:
        """Whether cursors of this kind are expressions."""


class Type(Protocol):
    """A type."""

    kind: Kind
    spelling: str
    data: Sequence[int]
    _kind_id: int

    def get_canonical(self) -> Type:
        """The type itself, without aliases."""

    def is_const_qualified(self) -> bool:
        """Whether it is const."""


class Cursor(Protocol):
    """A node of the syntax tree: what of `clang.cindex.Cursor` the lint reads."""

    kind: Kind
    spelling: str
    hash: int
    type: Type
    result_type: Type  # of a function
    storage_class: Kind
    location: Location
    extent: Extent
    referenced: Cursor | None
    semantic_parent: Cursor | None
    canonical: Cursor
    translation_unit: Unit
    _kind_id: int
    _tu: Unit

    def get_usr(self) -> str:
        """Name of what it declares, the same in every translation unit."""

    def get_definition(self) -> Cursor | None:
        """The definition of what it declares, where this unit has one."""

    def get_children(self) -> Iterator[Cursor]:
        """Direct children."""

    def get_arguments(self) -> Iterator[Cursor]:
        """Arguments of a call, parameters of a function."""

    def walk_preorder(self) -> Iterator[Cursor]:
        """It and all below it."""

    def is_definition(self) -> bool:
        """Whether it defines what it declares."""

    def is_virtual_method(self) -> bool:
        """Whether it is a virtual member function."""


class Inclusion(Protocol):
    """An include: where it is written, and the file it brings in."""

    location: Location
    include: File


class Diagnostic(Protocol):
    """A message of clang."""

    severity: int
    location: Location
    spelling: str
    children: Sequence[Diagnostic]  # notes: why no function fits, …


class Unit(Protocol):
    """A translation unit."""

    cursor: Cursor
    diagnostics: Sequence[Diagnostic]

    def get_includes(self) -> Iterable[Inclusion]:
        """Every include, of headers too."""


class Tree:
    """Reads cursors of one translation unit.

    Args:
        clang: The module `clang.cindex`.
        kinds: Numbers of the kinds of cursors that `below` lists.
        closed: Those of them it lists without what lies in them.
    """

    def __init__(
        self, clang: Clang, kinds: Container[int], closed: Container[int]
    ) -> None:
        self._visit = clang.conf.lib.clang_visitChildren
        self._wanted = kinds
        self._closed = closed
        # The binding takes them as call-backs of its own type; made once, they serve for every list.
        kind = clang.callbacks["cursor_visit"]
        self._flat, self._deep = kind(self._note), kind(self._note_all)
        self._is_expression: dict[Kind, bool] = {}
        self._numbers: dict[tuple[int, int], str] = {}
        self._unit: Unit

    def children(self, cursor: Cursor) -> list[Cursor]:
        """Direct children."""
        cursors: list[Cursor] = self._listed(cursor, self._flat)
        return cursors

    def expressions(self, cursor: Cursor) -> list[Cursor]:
        """Direct children that are expressions."""
        return [
            child for child in self.children(cursor) if self._expression(child.kind)
        ]

    def below(self, cursor: Cursor) -> list[tuple[int, Cursor]]:
        """What is wanted of all that lies in `cursor`, with the number of its kind, in the source's order."""
        cursors: list[tuple[int, Cursor]] = self._listed(cursor, self._deep)
        return cursors

    def number(self, type_: Type) -> str:
        """What kind of number a type is: `float`, `double`, `half`, `unsigned`, `signed` or nothing."""
        key = (type_._kind_id, type_.data[0])  # noqa: SLF001 - the pointer is the type, qualifiers included
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = _number(type_)
        return number

    def from_half(self, cursor: Cursor) -> bool:
        """Whether a value is a half that was made a float only to have an operator applied."""
        if self.number(cursor.type) == "half":
            return True
        while cursor.kind.name in _WRAPPING:
            children = self.children(cursor)
            if len(children) != 1:
                return False
            cursor = children[0]
            if self.number(cursor.type) == "half":
                return True
        return bool(
            cursor.kind.name == "CALL_EXPR" and cursor.spelling == "operator float"
        )

    def source_expression(self, cursor: Cursor) -> Cursor:
        """The expression as the candidate wrote it, without the steps of the conversion around it."""
        while cursor.kind.name == "UNEXPOSED_EXPR" or (
            cursor.kind.name == "CALL_EXPR" and cursor.spelling in _HALVES
        ):
            parts = self.expressions(cursor)
            if len(parts) != 1:
                break
            cursor = parts[0]
        return cursor

    def _expression(self, kind: Kind) -> bool:
        is_expression = self._is_expression.get(kind)
        if is_expression is None:
            is_expression = self._is_expression[kind] = bool(kind.is_expression())
        return is_expression

    def _listed(self, cursor: Cursor, call_back: Callable[..., int]) -> Any:
        cursors: list[Cursor] = []
        self._unit = cursor.translation_unit
        self._visit(cursor, call_back, cursors)
        return cursors

    def _note(self, child: Cursor, _parent: Cursor, cursors: list[Cursor]) -> int:
        child._tu = self._unit  # noqa: SLF001 - keeps the unit alive, as the binding's own list does
        cursors.append(child)
        return _CONTINUE

    def _note_all(
        self, child: Cursor, _parent: Cursor, cursors: list[tuple[int, Cursor]]
    ) -> int:
        kind = child._kind_id  # noqa: SLF001 - the public one looks up an object, thousands of times
        if kind in self._wanted:
            child._tu = self._unit  # noqa: SLF001 - as above
            cursors.append((kind, child))
        return _CONTINUE if kind in self._closed else _RECURSE


def _number(type_: Type) -> str:
    exact = type_.get_canonical()
    name = exact.kind.name
    if name == "RECORD":
        return "half" if exact.spelling.removeprefix("const ") in _HALVES else ""
    return _NUMBERS.get(name, "")


@cache
def _library(clang: Clang) -> Any:
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


def constant_value(clang: Clang, cursor: Cursor) -> float | int | None:
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


def is_constant(clang: Clang, cursor: Cursor) -> bool:
    """Whether the compiler knows the value; in a template, whether it will know it."""
    return constant_value(clang, cursor) is not None or not any(
        map(_is_run_time, cursor.walk_preorder())
    )


def _is_run_time(part: Cursor) -> bool:
    kind = part.kind.name
    if kind == "DECL_REF_EXPR" and part.referenced is not None:
        return part.referenced.kind.name not in _KNOWN
    return kind in {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR", "CXX_THIS_EXPR"}


def overloads(clang: Clang, cursor: Cursor) -> Iterator[Cursor]:
    """The declarations an OVERLOADED_DECL_REF may mean."""
    library = clang.conf.lib
    for index in range(library.clang_getNumOverloadedDecls(cursor)):
        yield library.clang_getOverloadedDecl(cursor, index)


def printed(clang: Clang, cursor: Cursor) -> str:
    """A declaration as clang writes it out, with all its attributes."""
    library = clang.conf.lib
    library.clang_getCursorPrintingPolicy.argtypes = [clang.Cursor]
    library.clang_getCursorPrintingPolicy.restype = ctypes.c_void_p
    library.clang_PrintingPolicy_dispose.argtypes = [ctypes.c_void_p]
    printer = library.clang_getCursorPrettyPrinted
    printer.argtypes = [clang.Cursor, ctypes.c_void_p]
    printer.restype = clang._CXString  # noqa: SLF001 - the binding leaves this function out
    printer.errcheck = clang._CXString.from_result  # noqa: SLF001
    policy = library.clang_getCursorPrintingPolicy(cursor)
    try:
        return str(printer(cursor, policy))
    finally:
        library.clang_PrintingPolicy_dispose(policy)
