"""The syntax tree of libclang, in the few forms the checks need, read with as few calls as possible.

The Python binding makes a new call-back for every list of children; walking a kernel that way takes longer
than parsing it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

_CONTINUE, _RECURSE = 1, 2  # CXChildVisitResult
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


class Tree:
    """Reads cursors of one translation unit.

    Args:
        clang: The module `clang.cindex`.
        wanted: Numbers of the kinds of cursors that `below` lists.
        closed: Those of them it lists without what lies in them.
    """

    def __init__(
        self, clang: Any, wanted: Container[int], closed: Container[int]
    ) -> None:
        self._visit = clang.conf.lib.clang_visitChildren
        self._wanted = wanted
        self._closed = closed
        # The binding takes them as call-backs of its own type; made once, they serve for every list.
        kind = clang.callbacks["cursor_visit"]
        self._flat, self._deep = kind(self._note), kind(self._note_all)
        self._is_expression: dict[Any, bool] = {}
        self._numbers: dict[tuple[int, Any], str] = {}
        self._unit: Any = None

    def children(self, cursor: Any) -> list[Any]:
        """Direct children."""
        found: list[Any] = self._listed(cursor, self._flat)
        return found

    def expressions(self, cursor: Any) -> list[Any]:
        """Direct children that are expressions."""
        return [
            child for child in self.children(cursor) if self._expression(child.kind)
        ]

    def below(self, cursor: Any) -> list[tuple[int, Any]]:
        """What is wanted of all that lies in `cursor`, with the number of its kind, in the source's order."""
        found: list[tuple[int, Any]] = self._listed(cursor, self._deep)
        return found

    def number(self, type_: Any) -> str:
        """What kind of number a type is: `float`, `double`, `half`, `unsigned`, `signed` or nothing."""
        key = (type_._kind_id, type_.data[0])  # noqa: SLF001 - the pointer is the type, qualifiers included
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = _number(type_)
        return known

    def from_half(self, cursor: Any) -> bool:
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

    def written(self, cursor: Any) -> Any:
        """The expression as the candidate wrote it, without the steps of the conversion around it."""
        while cursor.kind.name == "UNEXPOSED_EXPR" or (
            cursor.kind.name == "CALL_EXPR" and cursor.spelling in _HALVES
        ):
            parts = self.expressions(cursor)
            if len(parts) != 1:
                break
            cursor = parts[0]
        return cursor

    def _expression(self, kind: Any) -> bool:
        known = self._is_expression.get(kind)
        if known is None:
            known = self._is_expression[kind] = bool(kind.is_expression())
        return known

    def _listed(self, cursor: Any, call_back: Callable[..., int]) -> Any:
        found: list[Any] = []
        self._unit = cursor.translation_unit
        self._visit(cursor, call_back, found)
        return found

    def _note(self, child: Any, _parent: Any, found: list[Any]) -> int:
        child._tu = self._unit  # noqa: SLF001 - keeps the unit alive, as the binding's own list does
        found.append(child)
        return _CONTINUE

    def _note_all(self, child: Any, _parent: Any, found: list[Any]) -> int:
        kind = child._kind_id  # noqa: SLF001 - the public one looks up an object, thousands of times
        if kind in self._wanted:
            child._tu = self._unit  # noqa: SLF001 - as above
            found.append((kind, child))
        return _CONTINUE if kind in self._closed else _RECURSE


def _number(type_: Any) -> str:
    exact = type_.get_canonical()
    name = exact.kind.name
    if name == "RECORD":
        return "half" if exact.spelling.removeprefix("const ") in _HALVES else ""
    return _NUMBERS.get(name, "")
