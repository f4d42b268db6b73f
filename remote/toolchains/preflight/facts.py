"""What a candidate's own text refers to, as the syntax tree resolves it: facts for the integrity rules.

A name counts as what it resolves to, however it was reached: through aliases, using declarations, macros,
pasted tokens, spliced lines, overloads, its address. Which facts break a rule is decided by
`core.evaluation.integrity`; nothing here judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from core.cpp_text import JOINT, code_of
from core.evaluation.integrity.tree import FIRST_NUMBER, Fact, FactKind, Place

from .parsing import HeaderPlaces, WrittenLines, shown_path
from .syntax_tree import (
    Clang,
    Cursor,
    Location,
    Tree,
    Unit,
    constant_value,
    overloads,
    printed,
)

_CANDIDATE_FOLDERS = ("op_kernel/", "op_host/")
# CXBinaryOperatorKind: == and !=; <, >, <= and >=; - and ^.
_USES = {
    15: FactKind.EQUAL,
    16: FactKind.EQUAL,
    11: FactKind.BOUND,
    12: FactKind.BOUND,
    13: FactKind.BOUND,
    14: FactKind.BOUND,
    7: FactKind.DIFFERENCE,
    18: FactKind.DIFFERENCE,
}
_REFERENCES = (
    "DECL_REF_EXPR",
    "MEMBER_REF_EXPR",
    "TYPE_REF",
    "TEMPLATE_REF",
    "NAMESPACE_REF",
    "OVERLOADED_DECL_REF",
)
_NUMBERS = ("BINARY_OPERATOR", "CASE_STMT", "INIT_LIST_EXPR")
_DEFINE = re.compile(
    r"^[ \t]*(?:#|%:)[ \t]*(?:define|undef)[ \t]+(\w+)([^\n]*)", re.MULTILINE
)
# Drops the comma where nothing follows; pastes no name.
_COMMA = re.compile(r",\s*##\s*__VA_ARGS__\b")
_LINE = re.compile(r'#line (\d+) "([^"]*)"$')
_OUT_OF_REACH = re.compile(r"cannot open file '([^']*)'")
_SHOWN_PARTS = re.compile(r"__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\]", re.DOTALL)
_WORD = re.compile(r"\w+")
_HIDDEN = re.compile(r"__\w+$|_V\d+$")  # inline namespaces of the standard library


class FactsOfUnit:
    """Reads the facts of one translation unit, once.

    Args:
        clang: The module `clang.cindex`.
        unit: The translation unit.
        files: The candidate, path -> text.
        places: Folders of the twin's headers and of the compiler's.
        glue: Path and text of the generated unit of a kernel: what op_host declares was copied into it.
        api_macros: Names of the API's macros; what they expand to is not the candidate's.
    """

    def __init__(
        self,
        clang: Clang,
        unit: Unit,
        files: Mapping[str, str],
        places: HeaderPlaces,
        api_macros: frozenset[str],
        glue: tuple[str, str] = ("", ""),
    ) -> None:
        kinds = clang.CursorKind
        self._clang, self._unit = clang, unit
        self._places = places
        self._glue = glue[0]
        self._copied = _copied_lines(glue[1])
        self._references = frozenset(getattr(kinds, name).value for name in _REFERENCES)
        self._asm = frozenset(
            {kinds.ASM_STMT.value, kinds.MS_ASM_STMT.value, kinds.ASM_LABEL_ATTR.value}
        )
        self._attribute = kinds.UNEXPOSED_ATTR.value
        self._numbers = frozenset(getattr(kinds, name).value for name in _NUMBERS)
        kinds_read = self._references | self._asm | self._numbers | {self._attribute}
        self._tree = Tree(clang, kinds_read, closed=frozenset())
        self._known: dict[int, str] = {}  # by the hash libclang gives a declaration
        self._placed: set[str] = set()
        code = {path: JOINT.sub("", code_of(text)) for path, text in files.items()}
        macros: list[re.Match[str]] = []
        for text in code.values():
            macros += _DEFINE.finditer(text)
        # A macro of the API that the candidate defines again is the candidate's.
        self._own_macros = frozenset(macro[1] for macro in macros)
        self._api_macros = api_macros - self._own_macros
        bodies = [_COMMA.sub("", macro[2]) for macro in macros]
        self._pastes = any("##" in body or "%:%:" in body for body in bodies)
        words: set[str] = set()
        for text in code.values():
            words.update(_WORD.findall(text))
        self._words = frozenset(words)
        self._lines = WrittenLines({**files, self._glue: glue[1]})

    def read(self) -> Iterator[Fact]:
        """All facts, in the order of the tree: names where they are written first, some several times.

        To be called once: a second call gives no names.
        """
        yield from self._includes()
        for top in self._tree.children(self._unit.cursor):
            file = shown_path(top.location.file)
            if not file.startswith(_CANDIDATE_FOLDERS) and file != self._glue:
                continue
            kind = top.kind.name
            # An `asm` outside of functions: libclang has no kind of its own for it.
            if kind == "UNEXPOSED_DECL" and printed(self._clang, top).startswith(
                ("__asm", "asm")
            ):
                yield from self._fact(FactKind.NAME, "asm", top)
            for number, cursor in self._tree.below(top):
                yield from self._look(number, cursor, top)

    def _look(self, kind: int, cursor: Cursor, top: Cursor) -> Iterator[Fact]:
        if kind in self._references:
            yield from self._reference(cursor)
        elif kind in self._numbers:
            yield from self._constants(cursor)
        elif kind in self._asm:
            yield from self._fact(FactKind.NAME, "asm", cursor)
        else:
            # libclang has no name for these attributes; printed with their declaration they can be read.
            for attribute in _SHOWN_PARTS.findall(printed(self._clang, top)):
                yield from self._fact(
                    FactKind.NAME, " ".join(attribute.split()), cursor
                )

    def _reference(self, cursor: Cursor) -> Iterator[Fact]:
        """The name that an expression or type resolves to, once for the whole unit."""
        if cursor.kind.name == "OVERLOADED_DECL_REF":
            targets = overloads(self._clang, cursor)
            names = {self._name_of(target) for target in targets}
            # One of them is the candidate's: the instantiation says which is meant.
            if "" in names:
                return
        else:
            target = cursor.referenced
            names = {self._name_of(target)} if target is not None else set()
        for name in names:
            # Where it is written first will do: finding that out takes longer than all the rest.
            if name and name not in self._placed:
                for fact in self._fact(FactKind.NAME, name, cursor):
                    self._placed.add(name)
                    yield fact

    def _name_of(self, target: Cursor) -> str:
        """What `_qualified` gives, remembered for each declaration."""
        key = target.hash
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = self._qualified(target)
        return name

    def _qualified(self, target: Cursor) -> str:
        """Qualified name of a declaration: `A::f()` of a function, `A::` of a namespace.

        Empty for what the candidate declares itself, for operators and parameters, and for
        what is local to a function.
        """
        kind = target.kind.name
        if kind in {
            "PARM_DECL",
            "TEMPLATE_TYPE_PARAMETER",
            "TEMPLATE_NON_TYPE_PARAMETER",
        }:
            return ""
        # An operator stands for no name; a declaration repeated by the candidate is that of the header.
        if target.spelling.startswith("operator"):
            return ""
        file = shown_path(target.canonical.location.file)
        if (file.startswith(_CANDIDATE_FOLDERS) or file == self._glue) and not (
            kind in {"FUNCTION_DECL", "VAR_DECL"} and _is_only_declared(target)
        ):
            return ""
        parts = [target.spelling.partition("<")[0]]
        if kind in {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD"}:
            parts[0] += "()"
        elif kind == "NAMESPACE":
            parts[0] += "::"
        parent = target.semantic_parent
        while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
            if parent.kind.name == "FUNCTION_DECL":
                return ""
            if parent.spelling and not _HIDDEN.match(parent.spelling):
                parts.append(parent.spelling.partition("<")[0])
            parent = parent.semantic_parent
        return "::".join(reversed(parts))

    def _constants(self, cursor: Cursor) -> Iterator[Fact]:
        """Numbers that the candidate compares something with or fills a table with.

        Only integers from `FIRST_NUMBER` on, and no comparison of two constants.
        """
        kind = cursor.kind.name
        how = FactKind.TABLE if kind == "INIT_LIST_EXPR" else FactKind.EQUAL
        if kind == "BINARY_OPERATOR":
            used = _USES.get(
                self._clang.conf.lib.clang_getCursorBinaryOperatorKind(cursor)
            )
            if used is None:
                return
            how = used
        parts = self._tree.children(cursor)
        if kind == "CASE_STMT":
            parts = parts[:1]
        values = [constant_value(self._clang, part) for part in parts]
        # Two constants compare the same for every input.
        if kind == "BINARY_OPERATOR" and None not in values:
            return
        for value in values:
            if isinstance(value, int) and value >= FIRST_NUMBER:
                yield from self._fact(how, str(value), cursor)

    def _includes(self) -> Iterator[Fact]:
        """Files the candidate's own files bring in, by the name they can be told by."""
        for inclusion in self._unit.get_includes():
            place = self._written_at(inclusion.location)
            if place is None:
                continue
            target = shown_path(inclusion.include)
            if target.startswith(_CANDIDATE_FOLDERS):
                continue
            yield Fact(FactKind.INCLUDE, self._header(target), *place)
        # A file that is there and out of reach is included all the same.
        for message in self._unit.diagnostics:
            refused = _OUT_OF_REACH.match(message.spelling)
            place = self._written_at(message.location)
            if refused is not None and place is not None:
                yield Fact(FactKind.INCLUDE, PurePath(refused[1]).name, *place)

    def _header(self, target: str) -> str:
        """An included file as `"name"` of the toolkit, `<name>` of the compiler, or its bare name."""
        path = PurePath(target)
        if path.is_relative_to(self._places.twin):
            return f'"{path.relative_to(self._places.twin)}"'
        homes = [
            folder for folder in self._places.system if path.is_relative_to(folder)
        ]
        return f"<{path.relative_to(max(homes, key=len))}>" if homes else path.name

    def _fact(self, kind: FactKind, text: str, cursor: Cursor) -> Iterator[Fact]:
        place = self._place(cursor, text)
        if place is not None:
            yield Fact(kind, text, *place)

    def _place(self, cursor: Cursor, text: str) -> Place | None:
        """Where the candidate wrote it.

        None in other files, and when a macro of the API wrote it, or one of the candidate's
        around such a macro.
        """
        location = cursor.location
        place = self._written_at(location)
        if place is None:
            return None
        word = self._lines.word_at(location)
        if word in self._api_macros:
            return None
        if word in self._own_macros and not self._pastes:
            # A macro around one of the API: its names are those that stand nowhere in the candidate.
            names = _WORD.findall(text)
            if (
                names
                and names[-1] not in self._words
                and names[0] not in {"asm", "__attribute__"}
            ):
                return None
        return place

    def _written_at(self, location: Location) -> Place | None:
        """File and line of the candidate for a location; None for one in other files."""
        file = shown_path(location.file)
        if file.startswith(_CANDIDATE_FOLDERS):
            return file, location.line
        return self._copied.get(location.line) if file == self._glue else None


def _is_only_declared(target: Cursor) -> bool:
    """Whether the candidate only declares what others are to define."""
    return target.storage_class.name == "EXTERN" or (
        target.kind.name == "FUNCTION_DECL" and target.get_definition() is None
    )


def _copied_lines(glue: str) -> dict[int, Place]:
    """Lines of a generated unit that come from op_host -> where they stand there."""
    copied: dict[int, Place] = {}
    now: Place | None = None
    for number, text in enumerate(glue.split("\n"), start=1):
        marked = _LINE.match(text)
        if marked:
            now = (
                (marked[2], int(marked[1]))
                if marked[2].startswith(_CANDIDATE_FOLDERS)
                else None
            )
        elif now is not None:
            copied[number] = now
            now = (now[0], now[1] + 1)
    return copied
