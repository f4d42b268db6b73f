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
# A field that remembers what it cuts; in CANN it is the plain integer.
_FIELD = re.compile(r"\btwin::Field<(\w+)> (\w+) ?\{ ?(\w+) ?\}")
# The place of a call, which the twin's functions take for their messages.
_SITE = re.compile(r",? ?const twin :: Site & \w+( = twin :: Site :: here \( \))?")
_SPECIFIERS = re.compile(
    r"\binline |\bstatic (?=constexpr)|\bvirtual | override\b| const(?=$)"
)
_INTERNAL_BASE = re.compile(r" : (public )?twin ::.*")
_INTERNAL_SPACES = {
    "twin",
    "TwinTilingData",
    "std",
    "__gnu_cxx",
    "__cxxabiv1",
    "",
}
_INTERNAL_NAMES = ("twin_", "Twin", "kMmad")  # how they begin
_KIND = cindex.CursorKind
# A base has no access of its own.
_PUBLIC = {cindex.AccessSpecifier.PUBLIC, cindex.AccessSpecifier.INVALID}
_FUNCTIONS = (_KIND.FUNCTION_DECL, _KIND.FUNCTION_TEMPLATE)
_CLASSES = (_KIND.CLASS_DECL, _KIND.STRUCT_DECL, _KIND.CLASS_TEMPLATE, _KIND.UNION_DECL)
_METHODS = (*_FUNCTIONS, _KIND.CXX_METHOD, _KIND.CONSTRUCTOR)
_ALIASES = (
    _KIND.TYPE_ALIAS_DECL,
    _KIND.TYPE_ALIAS_TEMPLATE_DECL,
    _KIND.USING_DECLARATION,
    _KIND.TYPEDEF_DECL,
)
# What it declares is called by public kernels, but is no interface to be learnt.
_IMPLEMENTATION = "implementation.h"
_OWN_LINES = (Path(__file__).parent / "own.txt").read_text("utf-8").splitlines()
# Names of the twin that CANN does not have.
OWN = frozenset(line for line in _OWN_LINES if not line.startswith("#"))
_KEYWORDS = {"for", "while", "goto", "memcpy", "memmove", "memset"}


@dataclass
class Declaration:
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
        if self.space in {"", "AscendC"}:
            return self.name
        return f"{self.space}::{self.name}"


def declarations(side: str) -> dict[tuple[str, str], Declaration]:
    """Public declarations of the kernel's or the host's headers, by namespace and name."""
    by_name: dict[tuple[str, str], Declaration] = {}
    source = KERNEL if side == "kernel" else HOST
    text = _preprocessed(source, "-C")
    arguments = ["-std=c++17", "-fparse-all-comments", "-ferror-limit=0"]
    unit = cindex.Index.create().parse(
        "all.cpp", args=arguments, unsaved_files=[("all.cpp", text)]
    )
    files = _files(text)
    helpers = _helpers(unit.cursor, files)
    for cursor, space in _public(unit.cursor, "", files):
        header = files[cursor.location.line]
        entry = _entry(by_name, cursor, space, header, side)
        if entry is not None:
            _add_declaration(entry, cursor, helpers)
    for name, form, header in _macros(source):
        macro = Declaration(name, "", "macro", header, side, forms=[form])
        by_name["", name] = macro
    return by_name


def _preprocessed(source: str, option: str) -> str:
    """What g++ makes of a source; `option` keeps comments or shows macros."""
    command = ["g++", "-E", option, "-std=c++17", "-I", str(INCLUDE), "-x", "c++", "-"]
    return subprocess.run(
        command, input=source, capture_output=True, text=True, check=True
    ).stdout


def _public(cursor: Any, space: str, files: list[str]) -> Iterator[tuple[Any, str]]:
    """(declaration, namespace) of everything public that the twin's headers declare."""
    for child in cursor.get_children():
        name = child.spelling
        if child.kind is _KIND.NAMESPACE:
            if name not in _INTERNAL_SPACES:
                inner = f"{space}::{name}" if space else name
                yield from _public(child, inner, files)
            continue
        is_ours = bool(files[child.location.line])
        if name and is_ours and not name.startswith(_INTERNAL_NAMES):
            yield child, space


def _helpers(cursor: Any, files: list[str]) -> dict[str, str]:
    """Texts of the functions that may do the work of public ones, by name; they tell the pipe it runs on."""
    helpers: dict[str, str] = {}
    for child in cursor.get_children():
        if child.kind is _KIND.NAMESPACE:
            helpers |= _helpers(child, files)
        elif child.kind in _FUNCTIONS and files[child.location.line]:
            text = _text(child)
            pipes = set(_PIPE.findall(text))
            # One that names several distinguishes them and says nothing of its caller's.
            if len(pipes) < 2:
                overloads = helpers.get(child.spelling, "")
                helpers[child.spelling] = f"{overloads}\n{text}"
    return helpers


def _files(text: str) -> list[str]:
    """The header that each line of preprocessed text is from, below the twin's include folder.

    Element 0 belongs to no line, since lines count from 1. Empty for lines of other
    headers, and of those whose names are no interface.
    """
    files, header = [""], ""
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            header = _header_of(marker)
        files.append(header)
    return files


def _header_of(marker: re.Match[str]) -> str:
    """The header that a line marker names, below the twin's include folder; empty for any other."""
    path = Path(marker.group(1))
    if INCLUDE not in path.parents or path.name == _IMPLEMENTATION:
        return ""
    return path.relative_to(INCLUDE).as_posix()


def _entry(
    by_name: dict[tuple[str, str], Declaration],
    cursor: Any,
    space: str,
    header: str,
    side: str,
) -> Declaration | None:
    """The declaration of a cursor's name in `by_name`, new where there is none; None for what is left out."""
    kind = _kind(cursor)
    if not kind or cursor.spelling.startswith("operator"):
        return None
    name = cursor.spelling.split("<")[0]
    new = Declaration(name, space, kind, header, side)
    return by_name.setdefault((space, name), new)


def _add_declaration(
    entry: Declaration, cursor: Any, helpers: Mapping[str, str]
) -> None:
    """Add one declaration of a name to what is known of it.

    Args:
        entry: Changed in place.
        cursor: The declaration, by libclang.
        helpers: Texts of the twin's own functions, by name.
    """
    kind, name = _kind(cursor), entry.name
    entry.comment = entry.comment or _comment(cursor.raw_comment)
    text = _text(cursor)
    if kind == "function":
        entry.forms += _mask_forms(_signature(text))
        calls = dict.fromkeys(re.findall(r"\btwin :: (\w+)", text))
        entry.bodies.append(text)
        entry.bodies += [helpers[call] for call in calls if call in helpers]
        note = _value_note(entry.forms)
        entry.types += [f"{types}{note}" for types in _types(text)]
    elif kind == "class":
        if cursor.kind is _KIND.CLASS_TEMPLATE:
            head, _brace, _body = text.partition("{")
            entry.forms.append(_tidy(_INTERNAL_BASE.sub("", head)))
        for form in _members(cursor):
            # "// is a …" only begins the list.
            if not (form.startswith("//") and entry.forms):
                entry.forms.append(form)
        entry.bodies.append(text)
    elif kind == "enum":
        values = (child.spelling for child in cursor.get_children())
        entry.forms += [value for value in values if value]
    else:
        entry.forms.append(_single_constant(text.rstrip(";"), name))


def _kind(cursor: Any) -> str:
    """The kind of a `Declaration`; empty for what is none, as a class without its definition."""
    if cursor.kind in _FUNCTIONS:
        return "function"
    if cursor.kind in _CLASSES:
        return "class" if cursor.is_definition() else ""
    if cursor.kind is _KIND.ENUM_DECL:
        return "enum"
    if cursor.kind in _ALIASES:
        return "alias"
    return "constant" if cursor.kind is _KIND.VAR_DECL else ""


def _single_constant(text: str, name: str) -> str:
    """The constant `name` of a declaration of several, with their type: `int a = 1, b = 2` -> `int b = 2`."""
    constant = re.search(rf", ({name} = .*)$", text)
    kind = re.match(r"(.*?)\w+ = ", text)
    if constant is None or kind is None:
        return text
    return f"{kind[1]}{constant[1]}"


def _text(cursor: Any) -> str:
    """The tokens of a declaration without comments, with one blank between any two."""
    comment = cindex.TokenKind.COMMENT
    tokens = [token for token in cursor.get_tokens() if token.kind is not comment]
    return " ".join(token.spelling for token in tokens)


def _members(cursor: Any) -> Iterator[str]:
    """Public members of a class as CANN declares them, and `// is a …` for its bases."""
    for child in cursor.get_children():
        if child.access_specifier not in _PUBLIC:
            continue
        if f"{cursor.spelling}::{child.spelling}" in OWN:
            continue
        text = _text(child)
        if child.kind in _METHODS:
            is_implied = child.spelling.startswith(("operator=", "~"))
            if not is_implied and "= delete" not in text:
                yield _signature(text)
        elif child.kind is _KIND.UNION_DECL and child.is_anonymous():
            yield from _members(child)
        elif child.kind is _KIND.FIELD_DECL:
            declaration, _comment_begin, _rest = text.partition("/*")
            yield _FIELD.sub(r"\1 \2 = \3", _tidy(declaration))
        elif child.kind is _KIND.CXX_BASE_SPECIFIER and "twin" not in child.spelling:
            yield f"// is a {child.type.spelling}"


def _signature(text: str) -> str:
    """The declaration of a function as CANN has it: without body, specifiers and the twin's own argument."""
    head = _SITE.sub("", _head(text))
    return _tidy(_SPECIFIERS.sub("", head))


def _mask_forms(signature: str) -> list[str]:
    """The signatures of CANN for one of the twin: where the twin has one mask, CANN has two functions.

    One takes the number of lanes, the other their bits. Reductions count lanes in
    another type.
    """
    mask = "twin::Mask mask"
    if mask not in signature:
        return [signature]
    count_type = "int32_t" if "Reduce" in signature else "uint64_t"
    by_count = signature.replace(mask, f"const {count_type} mask")
    by_bits = signature.replace(mask, "const uint64_t mask[]")
    return [by_count, by_bits]


def _head(text: str) -> str:
    """A function's text up to its body: the first brace, or the colon of its initialisers, after its arguments."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        ends_here = character == "{" or text.startswith(" : ", place)
        if depth == 0 and ends_here and ")" in text[:place]:
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


def _value_note(forms: Sequence[str]) -> str:
    """What to add to the types of the last form: that it takes values where other forms take tensors."""
    takes_tensors = ["Tensor" in form for form in forms]
    if any(takes_tensors) and not takes_tensors[-1]:
        return " (of the form for values)"
    return ""


def _types(text: str) -> list[str]:
    """Accepted element types that a static_assert of the function names."""
    types = []
    for match in re.finditer(r"is_one_of < (\w+) , ([^>]+?) >", text):
        names = re.sub(r" *, *", ", ", match.group(2)).strip()
        types.append(f"{match.group(1)}: {names}")
    return types


def _comment(raw: str | None) -> str:
    """The text of the `///` lines of a comment, in one line."""
    lines = []
    for line in (raw or "").splitlines():
        if "///" in line:
            text = line.strip().lstrip("/")
            # `///<` belongs to what stands before it.
            lines.append(text.lstrip("<").strip())
    return " ".join(line for line in lines if line)


def _macros(source: str) -> list[tuple[str, str, str]]:
    """(name, form, header) of every macro of our headers that is no detail of theirs."""
    text = _preprocessed(source, "-dD")
    macros: dict[str, tuple[str, str, str]] = {}
    header = ""
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            header = _header_of(marker)
        define = re.match(r"#define (\w+(?:\([^)]*\))?)", line)
        undefined = re.match(r"#undef (\w+)", line)
        if undefined is not None:
            macros.pop(undefined.group(1), None)
        elif define is not None and header:
            form = define.group(1).replace(",", ", ")
            name = form.partition("(")[0]
            is_detail = name.startswith(("TWIN", "__builtin", "_"))
            if not is_detail and name not in _KEYWORDS:
                macros[name] = (name, form, header)
    return sorted(macros.values())
