"""The public names of the twin's headers with their declarations, read by libclang.

It reads what g++ preprocesses: macros are expanded, so that a family of instructions is seen function by
function; line markers keep the names of the files.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clang import cindex

from remote.judge.building.twin_sources import TwinSources, placed_headers

TWIN = Path(__file__).parents[2] / "resources" / "twin"
INCLUDE = placed_headers(
    TwinSources(TWIN), Path(tempfile.gettempdir()) / "sage-twin-headers"
)
KERNEL = (
    '#include "kernel_operator.h"\n#include "lib/matmul_intf.h"\n'
    '#include "kernel_operator_list_tensor_intf.h"\n'
)
HOST = (
    '#include "register/op_def_registry.h"\n#include "tiling/tiling_api.h"\n'
    '#include "tiling/platform/platform_ascendc.h"\n#include "aclnn/opdev/op_log.h"\n'
    '#include "register/op_impl_registry.h"\n#include "tiling/tiling_templates_registry.h"\n'
    '#include "ascendc/host_api/tiling/template_argument.h"\n'
    '#include "graph/utils/type_utils.h"\n'
)
_PIPE = re.compile(r"\bPipe :: (\w+)")
_MARKER = re.compile(r'# \d+ "(.+?)"')
# a field that remembers what it cuts: in CANN it is the plain integer
_FIELD = re.compile(r"\btwin::Field<(\w+)> (\w+) ?\{ ?(\w+) ?\}")
_INTERNAL_BASE = re.compile(r" : (public )?twin ::.*")
_OURS = ("twin", "TwinTilingData")
_KIND = cindex.CursorKind
_FUNCTIONS = (_KIND.FUNCTION_DECL, _KIND.FUNCTION_TEMPLATE)
_CLASSES = (_KIND.CLASS_DECL, _KIND.STRUCT_DECL, _KIND.CLASS_TEMPLATE, _KIND.UNION_DECL)
_METHODS = (*_FUNCTIONS, _KIND.CXX_METHOD, _KIND.CONSTRUCTOR)
_ALIASES = (
    _KIND.TYPE_ALIAS_DECL,
    _KIND.TYPE_ALIAS_TEMPLATE_DECL,
    _KIND.USING_DECLARATION,
    _KIND.TYPEDEF_DECL,
)
# What it declares is no interface: public kernels call it, nobody should learn it.
_BEHIND = "implementation.h"
OWN = frozenset(
    line
    for line in (Path(__file__).parent / "own.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
)
_KEYWORDS = {"for", "while", "goto", "memcpy", "memmove", "memset"}


@dataclass
class Declared:
    """A name with everything declared under it.

    Attributes:
        name: Without namespace.
        space: Namespaces, `AscendC`, empty for the global one.
        kind: function, class, enum, constant, alias or macro.
        header: Below the include folder.
        side: kernel or host.
        comment: Text of the `///` lines before it, empty when there are none.
        forms: Signatures, members or values, in the order of the headers.
        types: Sets of element types that are accepted, `half, float`.
        bodies: Text of the functions, for the pipe they run on.
    """

    name: str
    space: str
    kind: str
    header: str
    side: str
    comment: str = ""
    forms: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)

    @property
    def qualified(self) -> str:
        """The name as it must be written to be found: `AscendC` is the usual one and left out."""
        return (
            self.name if self.space in {"", "AscendC"} else f"{self.space}::{self.name}"
        )


def declared(side: str) -> dict[tuple[str, str], Declared]:
    """(namespace, name) -> declaration, of the kernel's or the host's headers."""
    found: dict[tuple[str, str], Declared] = {}
    text = _preprocessed(KERNEL if side == "kernel" else HOST, "-C")
    arguments = ["-std=c++17", "-fparse-all-comments", "-ferror-limit=0"]
    unit = cindex.Index.create().parse(
        "all.cpp", args=arguments, unsaved_files=[("all.cpp", text)]
    )
    files = _files(text)
    helpers = _helpers(unit.cursor, files)
    for cursor, space in _public(unit.cursor, "", files):
        at = Declared("", "", "", files[cursor.location.line], side)
        _take(found, cursor, space, at, helpers)
    for name, form, header in _macros(KERNEL if side == "kernel" else HOST):
        found[("", name)] = Declared(name, "", "macro", header, side, forms=[form])
    return found


def _preprocessed(source: str, option: str) -> str:
    command = ["g++", "-E", option, "-std=c++17", "-I", str(INCLUDE), "-x", "c++", "-"]
    return subprocess.run(
        command, input=source, capture_output=True, text=True, check=True
    ).stdout


def _public(cursor: Any, space: str, files: list[str]) -> Iterator[tuple[Any, str]]:
    """Declarations of our headers outside `twin`, namespaces entered."""
    for child in cursor.get_children():
        if child.kind is _KIND.NAMESPACE:
            inner = f"{space}::{child.spelling}" if space else child.spelling
            if child.spelling not in {*_OURS, "std", "__gnu_cxx", "__cxxabiv1", ""}:
                yield from _public(child, inner, files)
        elif (
            child.spelling
            and files[child.location.line]
            and not child.spelling.startswith(("twin_", "Twin", "kMmad"))
        ):
            yield child, space


def _helpers(cursor: Any, files: list[str]) -> dict[str, str]:
    """Name -> text of the functions of the twin's own that public ones leave their work to."""
    helpers: dict[str, str] = {}
    for child in cursor.get_children():
        if child.kind is _KIND.NAMESPACE:
            helpers |= _helpers(child, files)
        elif child.kind in _FUNCTIONS and files[child.location.line]:
            text = _text(child)
            if len(set(_PIPE.findall(text))) < 2:  # others tell pipes apart
                helpers[child.spelling] = f"{helpers.get(child.spelling, '')}\n{text}"
    return helpers


def _files(text: str) -> list[str]:
    """For every line of preprocessed text, from 1 on, the file below our include folder or nothing."""
    files, header = [""], ""
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            path = Path(marker.group(1))
            ours = INCLUDE in path.parents and path.name != _BEHIND
            header = path.relative_to(INCLUDE).as_posix() if ours else ""
        files.append(header)
    return files


def _take(
    found: dict[tuple[str, str], Declared],
    cursor: Any,
    space: str,
    at: Declared,
    helpers: Mapping[str, str],
) -> None:
    kind = _kind(cursor)
    if not kind or cursor.spelling.startswith("operator"):
        return
    name = cursor.spelling.split("<")[0]
    entry = found.setdefault(
        (space, name), Declared(name, space, kind, at.header, at.side)
    )
    entry.comment = entry.comment or _comment(cursor.raw_comment)
    text = _text(cursor)
    if kind == "function":
        entry.forms += _of_both_masks(_signature(text))
        called = dict.fromkeys(re.findall(r"\btwin :: (\w+)", text))
        entry.bodies += [text, *(helpers[name] for name in called if name in helpers)]
        entry.types += [f"{types}{_of_values(entry.forms)}" for types in _types(text)]
    elif kind == "class":
        if cursor.kind is _KIND.CLASS_TEMPLATE:
            entry.forms.append(_tidy(_INTERNAL_BASE.sub("", text.partition("{")[0])))
        entry.forms += [
            form
            for form in _members(cursor)
            if not (form.startswith("//") and entry.forms)
        ]
        entry.bodies.append(text)
    elif kind == "enum":
        entry.forms += [
            child.spelling for child in cursor.get_children() if child.spelling
        ]
    else:
        entry.forms.append(_own(text.rstrip(";"), name))


def _kind(cursor: Any) -> str:
    if cursor.kind in _FUNCTIONS:
        return "function"
    if cursor.kind in _CLASSES:
        return "class" if cursor.is_definition() else ""
    if cursor.kind is _KIND.ENUM_DECL:
        return "enum"
    if cursor.kind in _ALIASES:
        return "alias"
    return "constant" if cursor.kind is _KIND.VAR_DECL else ""


def _own(text: str, name: str) -> str:
    """The declaration of one of several constants that share a type, without the others."""
    last = re.search(rf", ({name} = .*)$", text)
    kind = re.match(r"(.*?)\w+ = ", text)
    return f"{kind.group(1)}{last.group(1)}" if last and kind else text


def _text(cursor: Any) -> str:
    return " ".join(
        token.spelling
        for token in cursor.get_tokens()
        if token.kind is not cindex.TokenKind.COMMENT
    )


def _members(cursor: Any) -> Iterator[str]:
    for child in cursor.get_children():
        if child.access_specifier not in {
            cindex.AccessSpecifier.PUBLIC,
            cindex.AccessSpecifier.INVALID,
        }:
            continue
        if f"{cursor.spelling}::{child.spelling}" in OWN:
            continue
        text = _text(child)
        if child.kind in _METHODS:
            if (
                not child.spelling.startswith(("operator=", "~"))
                and "= delete" not in text
            ):
                yield _signature(text)
        elif child.kind is _KIND.UNION_DECL and child.is_anonymous():
            yield from _members(child)
        elif child.kind is _KIND.FIELD_DECL:
            yield _FIELD.sub(r"\1 \2 = \3", _tidy(text.partition("/*")[0]))
        elif child.kind is _KIND.CXX_BASE_SPECIFIER and "twin" not in child.spelling:
            yield f"// is a {child.type.spelling}"


def _signature(text: str) -> str:
    """The declaration without its body, our own argument and defaults of template machinery."""
    head = _head(text)
    head = re.sub(
        r",? ?const twin :: Site & \w+( = twin :: Site :: here \( \))?", "", head
    )
    return _tidy(
        re.sub(
            r"\binline |\bstatic (?=constexpr)|\bvirtual | override\b| const(?=$)",
            "",
            head,
        )
    )


def _of_both_masks(signature: str) -> list[str]:
    """CANN has a function for a number of lanes and one for bits; its reductions count in another type."""
    ours, count = "twin::Mask mask", "int32_t" if "Reduce" in signature else "uint64_t"
    masks = (
        (f"const {count} mask", "const uint64_t mask[]") if ours in signature else ("",)
    )
    return [signature.replace(ours, mask) for mask in masks]


def _head(text: str) -> str:
    """Up to the body: the first brace, or the colon of initialisers, outside parentheses."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == "{" and ")" in text[:place]:
            return text[:place]
        if depth == 0 and text[place : place + 3] == " : " and ")" in text[:place]:
            return text[:place]
    return text


def _tidy(text: str) -> str:
    """Tokens joined as people write them."""
    text = re.sub(r"\s*(::|\.)\s*", r"\1", text)
    text = re.sub(r"\s+([,;)\]>&*(\[])", r"\1", text)
    text = re.sub(r"([(\[<~])\s+", r"\1", text)
    text = re.sub(r"\s+<", "<", text).replace("template<", "template <")
    text = re.sub(r"([&*>])(?=[A-Za-z_])", r"\1 ", text).replace(">& ", ">& ")
    text = re.sub(r"= - (?=\d)", "= -", text)
    return re.sub(r"\s+", " ", text).replace("operator ()", "operator()").strip(" ;")


def _of_values(forms: Sequence[str]) -> str:
    """Where other forms of a name take tensors, the last one's types are said to be those of values."""
    of_tensors = ["Tensor" in form for form in forms]
    return " (of the form for values)" if any(of_tensors) and not of_tensors[-1] else ""


def _types(text: str) -> list[str]:
    """Accepted element types that a static_assert of the function names."""
    found = re.finditer(r"is_one_of < (\w+) , ([^>]+?) >", text)
    return [
        f"{match.group(1)}: {re.sub(r' *, *', ', ', match.group(2)).strip()}"
        for match in found
    ]


def _comment(raw: str | None) -> str:
    lines = [
        line.strip().lstrip("/").lstrip("<").strip()
        for line in (raw or "").splitlines()
        if "///" in line
    ]
    return " ".join(line for line in lines if line)


def _macros(source: str) -> list[tuple[str, str, str]]:
    """(name, form, header) of every macro of our headers that is no detail of theirs."""
    text = _preprocessed(source, "-dD")
    found: dict[str, tuple[str, str, str]] = {}
    header = ""
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            path = Path(marker.group(1))
            ours = INCLUDE in path.parents and path.name != _BEHIND
            header = path.relative_to(INCLUDE).as_posix() if ours else ""
        define = re.match(r"#define (\w+(?:\([^)]*\))?)", line)
        undefined = re.match(r"#undef (\w+)", line)
        if undefined is not None:
            found.pop(undefined.group(1), None)
        elif define is not None and header:
            name = define.group(1).partition("(")[0]
            if (
                not name.startswith(("TWIN", "__builtin", "_"))
                and name not in _KEYWORDS
            ):
                found[name] = (
                    name,
                    define.group(1).replace(",", ", ").replace("...", "..."),
                    header,
                )
    return sorted(found.values())
