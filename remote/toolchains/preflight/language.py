"""Checks on the syntax tree of a kernel: what the AI core's language lacks.

Templates are checked as written and for every instantiation; libclang lists these after the sources.
Macros of the API are not looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.evaluation.records import Finding

from .parsing import WrittenLines, shown_path
from .rules import rule_of_name, rules
from .syntax_tree import (
    Clang,
    Cursor,
    Tree,
    Unit,
    constant_value,
    is_constant,
    overloads,
)

_ARITHMETIC = frozenset({"+", "-", "*", "/", "+=", "-=", "*=", "/="})
_EXPLICIT = frozenset(
    {"CSTYLE_CAST_EXPR", "CXX_STATIC_CAST_EXPR", "CXX_FUNCTIONAL_CAST_EXPR"}
)
_UB_BYTES = 196_608
# Positions in unified buffer, by name or by number, in the type of a queue.
_UB_POSITION = re.compile(r"\bVEC(?:IN|OUT|CALC)\b|TPosition\)(?:9|10|11)\b")


@dataclass
class KernelWalk:
    """One pass over the kernel's part of a translation unit.

    Args:
        clang: The module `clang.cindex`.
        unit: The translation unit.
        files: The candidate; only what lies in `op_kernel/` is judged.
        entry: Name of the kernel entry, for the findings.
        api_macros: Names of the API's macros; what they expand to is not the candidate's.
    """

    clang: Clang
    unit: Unit
    files: Mapping[str, str]
    entry: str
    api_macros: frozenset[str]
    findings: list[Finding] = field(default_factory=list)
    _reported: set[tuple[str, str, int]] = field(default_factory=set)
    _calls: list[tuple[str, Cursor]] = field(default_factory=list)
    _functions: dict[str, str] = field(default_factory=dict)
    _buffers: int = 0

    def __post_init__(self) -> None:
        kinds = self.clang.CursorKind
        # Kinds by number: the binding makes an object of a kind with every question for it.
        self._checks = {
            getattr(kinds, name).value: check for name, check in _CHECKS.items()
        }
        self._explicit = frozenset(getattr(kinds, name) for name in _EXPLICIT)
        self._function_kinds = frozenset(
            getattr(kinds, name).value for name in _FUNCTIONS
        )
        self._lines = WrittenLines(self.files)
        self._tree = Tree(
            self.clang, self._function_kinds.union(self._checks), self._function_kinds
        )

    def run(self) -> list[Finding]:
        """All findings of the language rules."""
        for top in self._tree.children(self.unit.cursor):
            if self._is_kernel(top):
                self._visit(top.kind.value, top, "")
        self._find_recursion()
        return self.findings

    def _is_kernel(self, cursor: Cursor) -> bool:
        return shown_path(cursor.location.file).startswith("op_kernel/")

    def _is_of_api(self, cursor: Cursor) -> bool:
        """Whether a macro of the API stands where clang says the code is."""
        return self._lines.word_at(cursor.location) in self.api_macros

    def _visit(self, kind: int, cursor: Cursor, function: str) -> None:
        """Look at a cursor and all below it; `function` is the USR of the one it lies in."""
        if kind in self._function_kinds:
            if not cursor.is_definition() or self._is_constexpr(cursor):
                return
            function = cursor.get_usr()
            self._functions[function] = cursor.spelling
            self._buffers = 0
        self._look(kind, cursor, function)
        for below, part in self._tree.below(cursor):
            if below in self._function_kinds:
                self._visit(below, part, function)
            else:
                self._look(below, part, function)

    def _look(self, kind: int, cursor: Cursor, function: str) -> None:
        check = self._checks.get(kind)
        if check is not None:
            check(self, cursor)
            if function and check is KernelWalk.check_call:
                self._calls.append((function, cursor))

    def _is_constexpr(self, function: Cursor) -> bool:
        text = self.files.get(shown_path(function.location.file), "").encode()
        start, name = function.extent.start.offset, function.location.offset
        return re.search(rb"\bconst(?:expr|eval)\b", text[start:name]) is not None

    def report(self, rule: str, cursor: Cursor, what: str = "", once: str = "") -> None:
        """Note a finding, one per rule family and line."""
        place = cursor.location
        file, line = shown_path(place.file), place.line
        key = (once or rule, file, line)
        if key in self._reported or self._is_of_api(cursor):
            return
        self._reported.add(key)
        text = (
            self._lines.line(file, line).split("//")[0].strip()[:120] or cursor.spelling
        )
        self.findings.append(
            rules()[rule].finding(what or text, file, line, self.entry)
        )

    def check_cast(self, cursor: Cursor) -> None:
        """Explicit and implicit conversions of numbers."""
        to = self._tree.number(cursor.type)
        parts = self._tree.expressions(cursor) if to else []
        if parts:
            explicit = cursor.kind in self._explicit
            source = self._tree.source_expression(parts[-1]) if explicit else parts[-1]
            self._conversion(cursor, source, to, self._tree.number(source.type))

    def check_operator(self, cursor: Cursor) -> None:
        """Arithmetic in double, and of two half values."""
        parts = self._tree.expressions(cursor)
        if len(parts) != 2:
            return
        first, second = (self._tree.number(part.type) for part in parts)
        if "double" in (first, second) and not is_constant(self.clang, cursor):
            if (
                first == second == "double"
                or cursor.kind.name == "COMPOUND_ASSIGNMENT_OPERATOR"
            ):
                self.report("double-operation", cursor, once="double")
        elif (
            all(map(self._tree.from_half, parts))
            and self._operator_of(cursor, parts) in _ARITHMETIC
        ):
            self.report("half-arithmetic", cursor)

    def check_call(self, cursor: Cursor) -> None:
        """In-place arithmetic of half, buffers."""
        name = cursor.spelling
        if name.startswith("operator") and name.removeprefix("operator") in _ARITHMETIC:
            parts = self._tree.expressions(cursor)
            if self._tree.number(cursor.type) == "half" and self._tree.from_half(
                parts[-1]
            ):
                self.report("half-arithmetic", cursor)
        elif name == "InitBuffer" and not self._is_of_api(cursor):
            self._count_buffer(cursor)

    def check_reference(self, cursor: Cursor) -> None:
        """Names of the C and C++ library that exist on the host only, overloads in templates included."""
        rule = rule_of_name(cursor.spelling.rpartition("::")[2])
        if rule is None:
            return
        unsure = cursor.kind.name == "OVERLOADED_DECL_REF"
        declared = (
            overloads(self.clang, cursor) if unsure else iter((cursor.referenced,))
        )
        if any(map(self._is_library, declared)):
            self.report(rule.id, cursor)

    def check_method(self, cursor: Cursor) -> None:
        """Virtual member functions."""
        if cursor.is_virtual_method():
            self.report("virtual", cursor)

    def check_base(self, cursor: Cursor) -> None:
        """Virtual bases."""
        if self.clang.conf.lib.clang_isVirtualBase(cursor):
            self.report("virtual", cursor)

    def _conversion(self, cursor: Cursor, source: Cursor, to: str, of: str) -> None:
        pair = {to, of}
        if "" in pair or len(pair) == 1 or is_constant(self.clang, source):
            return
        if "double" in pair:
            self.report("double-cast", cursor, once="double")
        elif (
            cursor.kind in self._explicit
            and "unsigned" in pair
            and pair & {"float", "half"}
        ):
            # Only where a cast is written: 1.0f / length passes the device's compiler, static_cast does not.
            self.report("float-unsigned-cast", cursor)

    def _operator_of(self, cursor: Cursor, parts: list[Cursor]) -> str:
        """The operator between two operands, as written."""
        text = self.files.get(shown_path(cursor.location.file), "").encode()
        between = text[
            parts[0].extent.end.offset : parts[1].extent.start.offset
        ].decode(errors="replace")
        return between.strip(" ()\n\t")

    def _is_library(self, declared: Cursor | None) -> bool:
        """Whether something is declared by the standard library rather than by the candidate or the API."""
        if declared is None:
            return False
        file = shown_path(declared.location.file)
        if file.startswith(("op_kernel/", "op_host/")):
            return False
        parent = declared.semantic_parent
        while parent is not None and parent.kind.name == "LINKAGE_SPEC":
            parent = parent.semantic_parent
        while (
            parent is not None
            and parent.kind.name == "NAMESPACE"
            and parent.spelling == "__cxx11"
        ):
            parent = parent.semantic_parent
        if parent is None or parent.kind.name == "TRANSLATION_UNIT":
            return True
        return bool(parent.kind.name == "NAMESPACE" and parent.spelling == "std")

    def _count_buffer(self, cursor: Cursor) -> None:
        """Add an InitBuffer of unified buffer whose size is a constant to those of its function."""
        # An argument without a line is a default of the declaration.
        arguments = [
            argument for argument in cursor.get_arguments() if argument.location.line
        ]
        if not arguments or not _UB_POSITION.search(
            arguments[0].type.get_canonical().spelling
        ):
            return
        values = [constant_value(self.clang, argument) for argument in arguments[1:]]
        if not 2 <= len(arguments) <= 3 or None in values:
            return
        size = 1
        for value in values:
            size *= int(value or 0)
        before = self._buffers
        self._buffers += size
        if before <= _UB_BYTES < self._buffers:
            what = f"{self._buffers} bytes up to this line, {_UB_BYTES} bytes of UB"
            self.report("ub-budget", cursor, what)

    def _find_recursion(self) -> None:
        """Report the call that closes a circle of functions."""
        calls = self._calls_within()
        for function in calls:
            stack, visited = list(calls[function].items()), set[str]()
            while stack:
                target, call = stack.pop()
                if target == function:
                    self.report("recursion", call)
                    break
                if target in visited:
                    continue
                visited.add(target)
                stack.extend((further, call) for further in calls.get(target, ()))

    def _calls_within(self) -> dict[str, dict[str, Cursor]]:
        """Caller -> callee -> first call, for functions of the candidate."""
        names = {_plain(name) for name in self._functions.values()}
        calls: dict[str, dict[str, Cursor]] = {}
        for function, call in self._calls:
            if (
                _plain(call.spelling) not in names
                or self._is_of_api(call)
                or call.referenced is None
            ):
                continue
            calls.setdefault(function, {}).setdefault(call.referenced.get_usr(), call)
        return calls


def _plain(name: str) -> str:
    """A function's name without template arguments."""
    return name.partition("<")[0]


def _always(rule: str) -> Callable[[KernelWalk, Cursor], None]:
    return lambda walk, cursor: walk.report(rule, cursor)


_FUNCTIONS = frozenset(
    {"FUNCTION_DECL", "CXX_METHOD", "FUNCTION_TEMPLATE", "CONSTRUCTOR", "DESTRUCTOR"}
)
_CHECKS: dict[str, Callable[[KernelWalk, Cursor], None]] = {
    "CSTYLE_CAST_EXPR": KernelWalk.check_cast,
    "CXX_STATIC_CAST_EXPR": KernelWalk.check_cast,
    "CXX_FUNCTIONAL_CAST_EXPR": KernelWalk.check_cast,
    "UNEXPOSED_EXPR": KernelWalk.check_cast,
    "BINARY_OPERATOR": KernelWalk.check_operator,
    "COMPOUND_ASSIGNMENT_OPERATOR": KernelWalk.check_operator,
    "CALL_EXPR": KernelWalk.check_call,
    "OVERLOADED_DECL_REF": KernelWalk.check_reference,
    "TYPE_REF": KernelWalk.check_reference,
    "TEMPLATE_REF": KernelWalk.check_reference,
    "DECL_REF_EXPR": KernelWalk.check_reference,
    "CXX_METHOD": KernelWalk.check_method,
    "CXX_BASE_SPECIFIER": KernelWalk.check_base,
    "CXX_NEW_EXPR": _always("dynamic-memory"),
    "CXX_DELETE_EXPR": _always("dynamic-memory"),
    "CXX_THROW_EXPR": _always("exception"),
    "CXX_TRY_STMT": _always("exception"),
    "CXX_TYPEID_EXPR": _always("runtime-type"),
    "CXX_DYNAMIC_CAST_EXPR": _always("runtime-type"),
}
