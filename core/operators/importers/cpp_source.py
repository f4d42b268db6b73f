"""Reading operator definitions (OpDef) and Python bindings from C++ text, without a compiler.

Good for files in the shape that msopgen and the benchmarks write; what cannot be read is said, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.cpp_text import code_of
from core.errors import InvalidInput
from core.operators.spec import DType

_CLASS = re.compile(r"\bclass\s+(\w+)\s*(?:final\s*)?:\s*public\s+(?:ops::)?OpDef\b")
_MEMBER = re.compile(r'(?:this\s*->|\.)?\s*\b(Input|Output|Attr)\s*\(\s*"(\w+)"\s*\)')
_LIST = re.compile(r"\.\s*DataType(?:List)?\s*\(\s*(?:\{([^}]*)\}|(\w+)\s*\))")
_PARAM = re.compile(r"\.\s*(?:ParamType|AttrType)\s*\(\s*(\w+)\s*\)")
_ATTRIBUTE = re.compile(
    r"\.\s*(ListListInt|ListInt|ListFloat|ListBool|Float|Int|Bool|String)\s*\(([^()]*)\)"
)
_TYPES = {dtype.cann: dtype.value for dtype in DType}
_PARTNERS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_KINDS = {
    "Float": "float",
    "Int": "int",
    "Bool": "bool",
    "String": "str",
    "ListInt": "int_list",
    "ListFloat": "float_list",
    "ListBool": "bool_list",
    "ListListInt": "int_list",
}


@dataclass(frozen=True)
class DefinedTensor:
    """An input or output of an OpDef. `types` are CANN's names, one per signature; empty when computed."""

    name: str
    types: tuple[str, ...]
    optional: bool
    dynamic: bool


@dataclass(frozen=True)
class DefinedAttribute:
    """An attribute of an OpDef. `default` is its text in the file, empty when it has none."""

    name: str
    kind: str
    default: str


@dataclass(frozen=True)
class OperatorDefinition:
    """An OpDef as its file declares it."""

    name: str
    inputs: tuple[DefinedTensor, ...]
    outputs: tuple[DefinedTensor, ...]
    attributes: tuple[DefinedAttribute, ...]


def parse_operator_definition(text: str, source: str) -> OperatorDefinition:
    """The OpDef in a host file.

    Raises:
        InvalidInput: There is no class derived from OpDef, it is not registered, or a member has no types.
    """
    code = code_of(text)
    head = _CLASS.search(code)
    if head is None:
        raise InvalidInput(source, "OpDef", "no class derived from OpDef is defined")
    name = head[1]
    if not re.search(rf"\bOP_ADD\s*\(\s*{name}\b", code):
        raise InvalidInput(
            source, "OP_ADD", "class {name} is not registered", name=name
        )
    body = code[head.end() :]
    members = list(_MEMBER.finditer(body))
    inputs: list[DefinedTensor] = []
    outputs: list[DefinedTensor] = []
    attributes: list[DefinedAttribute] = []
    for index, member in enumerate(members):
        end = (
            members[index + 1].start()
            if index + 1 < len(members)
            else _statement_end(body, member.end())
        )
        rest = body[member.end() : end]
        if member[1] == "Attr":
            attributes.append(_attribute(member[2], rest, source))
        else:
            (inputs if member[1] == "Input" else outputs).append(
                _tensor(member[2], rest, code, source)
            )
    return OperatorDefinition(
        name, _unique(inputs), _unique(outputs), tuple(attributes)
    )


def _statement_end(body: str, start: int) -> int:
    end = body.find(";", start)
    return len(body) if end < 0 else end


def _unique(tensors: list[DefinedTensor]) -> tuple[DefinedTensor, ...]:
    """A second mention of a tensor (another configuration of the same operator) adds nothing."""
    by_name: dict[str, DefinedTensor] = {}
    for tensor in tensors:
        by_name.setdefault(tensor.name, tensor)
    return tuple(by_name.values())


def _tensor(name: str, rest: str, code: str, source: str) -> DefinedTensor:
    dtypes, parameter = _LIST.search(rest), _PARAM.search(rest)
    if dtypes is None:
        raise InvalidInput(
            source, f'Input or Output "{name}"', "declares no DataType list"
        )
    listed = dtypes[1] if dtypes[1] is not None else _named_list(dtypes[2], code)
    types = tuple(re.findall(r"\bDT_\w+", listed))
    kind = parameter[1] if parameter else "REQUIRED"
    return DefinedTensor(name, types, kind == "OPTIONAL", kind == "DYNAMIC")


def _named_list(name: str, code: str, depth: int = 0) -> str:
    """Entries of the list that a variable holds; empty when they are computed in a way not known here."""
    if depth > 4:
        return ""
    definition = re.search(rf"\b{name}\s*=?\s*(?:\{{([^}}]*)\}}|(\w+))\s*;", code)
    if definition is not None and definition[1] is not None:
        return definition[1]
    listed = (
        _named_list(definition[2], code, depth + 1) if definition is not None else ""
    )
    if listed:
        return listed
    repeated = re.search(
        rf"\b{name}\s*\([^;]*\.size\s*\(\)\s*,\s*(?:ge\s*::\s*)?(DT_\w+)\s*\)\s*;", code
    )
    return (
        repeated[1] if repeated is not None else _translated_list(name, code, depth + 1)
    )


def _translated_list(name: str, code: str, depth: int) -> str:
    """Entries that a loop over another list appends, each translated by a function with a `switch`."""
    loop = re.search(
        rf"\bfor_each\s*\(\s*(\w+)[^;]*?\b{name}\s*\.\s*(?:push|emplace)_back\s*\(\s*(\w+)\s*\(",
        code,
    )
    function = (
        re.search(rf"\b{loop[2]}\s*\([^()]*\)\s*\{{\s*switch\b", code)
        if loop is not None
        else None
    )
    if loop is None or function is None:
        return ""
    end = code.find("}", function.end())
    answers: dict[str, str] = {}
    pending: list[str] = []
    for label, default, answer in re.findall(
        r"case\s+(?:ge\s*::\s*)?(DT_\w+)\s*:|(default)\s*:|return\s+(?:ge\s*::\s*)?(DT_\w+)\s*;",
        code[function.end() : end],
    ):
        if answer:
            answers |= dict.fromkeys(pending, answer)
            pending = []
        else:
            pending.append(label or default)
    entries = re.findall(r"\bDT_\w+", _named_list(loop[1], code, depth))
    return ", ".join(
        answers.get(entry, answers.get("default", "DT_UNDEFINED")) for entry in entries
    )


def _attribute(name: str, rest: str, source: str) -> DefinedAttribute:
    declaration = _ATTRIBUTE.search(rest)
    if declaration is None:
        raise InvalidInput(source, f'Attr "{name}"', "declares no type")
    return DefinedAttribute(name, _KINDS[declaration[1]], declaration[2].strip())


def interface_types(types: tuple[str, ...]) -> tuple[str | None, ...]:
    """Names of the interface for CANN's; None where it has no such type (complex128, float64, ...)."""
    return tuple(_TYPES.get(entry) for entry in types)


@dataclass(frozen=True)
class Source:
    """Where an argument of the kernel call comes from: a parameter of the binding, a number, or neither.

    Attributes:
        parameter: Position among the parameters of the bound function, -1 for none.
        constant: Text of a literal, empty for none.
    """

    parameter: int = -1
    constant: str = ""


@dataclass(frozen=True)
class Binding:
    """A pybind function around one aclnn call.

    Attributes:
        function: Name of the bound function.
        call: What is called, e.g. `aclnnCustomOp`.
        parameters: Names of the bound function's parameters.
        arguments: Names handed to the aclnn call, in order.
        sources: Per argument, where its value comes from.
        returned: Arguments of the call (by position) that are handed back to Python, in order.
    """

    function: str
    call: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    sources: tuple[Source, ...]
    returned: tuple[int, ...]


_DEFINED = re.compile(r'\bm\s*\.\s*def\s*\(\s*"[^"]*"\s*,\s*&\s*(\w+)')
_CALL = re.compile(r"\bEXEC_NPU_CMD\s*\(([^;]*)\)\s*;")
_LITERAL = re.compile(r'[-+]?\d[\w.+-]*|true|false|"[^"]*"')


def parse_binding(text: str, source: str) -> Binding:
    """The first bound function of a pybind file and its aclnn call.

    Raises:
        InvalidInput: Naming what is missing: `m.def`, the function, or the EXEC_NPU_CMD call.
    """
    code = code_of(text)
    bound = _DEFINED.search(code)
    if bound is None:
        raise InvalidInput(source, "m.def", "no function is bound")
    function = _function(bound[1], code)
    if function is None:
        raise InvalidInput(source, f"function {bound[1]}", "is not defined")
    parameters, body = function
    call = _npu_call(body, code)
    if call is None:
        raise InvalidInput(source, f"function {bound[1]}", "makes no EXEC_NPU_CMD call")
    name, arguments, before = call
    sources = tuple(_source(argument, parameters, before) for argument in arguments)
    return Binding(
        bound[1], name, parameters, arguments, sources, _returned(body, arguments)
    )


def _function(name: str, code: str) -> tuple[tuple[str, ...], str] | None:
    """Parameter names and body of a function defined in the file."""
    head = re.search(rf"\b{name}\s*\(([^{{;]*)\)\s*\{{", code)
    if head is None:
        return None
    parameters = tuple(
        _parameter_name(part) for part in split_arguments(head[1]) if part.strip()
    )
    return parameters, code[
        head.end() : next(top_level(code, "}", "{", head.end() - 1), len(code))
    ]


def _npu_call(body: str, code: str) -> tuple[str, tuple[str, ...], str] | None:
    """What aclnn function is called, its arguments as `body` names them, and the text before the call.

    A body that leaves the call to another function of the file is followed once, by argument position.
    """
    call = _CALL.search(body)
    if call is not None:
        name, *arguments = (part.strip() for part in split_arguments(call[1]))
        return name, tuple(arguments), body[: call.start()]
    for inner in re.finditer(r"\b(\w+)\s*\(([^;]*)\)\s*;", body):
        function = _function(inner[1], code)
        direct = _CALL.search(function[1]) if function else None
        if function is None or direct is None:
            continue
        passed = tuple(part.strip() for part in split_arguments(inner[2]))
        sources = [
            _source(part.strip(), function[0], function[1][: direct.start()])
            for part in split_arguments(direct[1])
        ][1:]
        names = tuple(
            passed[source.parameter]
            if 0 <= source.parameter < len(passed)
            else source.constant
            for source in sources
        )
        return split_arguments(direct[1])[0].strip(), names, body[: inner.start()]
    return None


def top_level(text: str, sign: str, brackets: str, start: int = 0) -> Iterator[int]:
    """Where `sign` stands outside of `brackets` that open from `start` on; a closing one is outside."""
    closing = [_PARTNERS[bracket] for bracket in brackets]
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in brackets) - (text[place] in closing)
        if text[place] == sign and depth == 0:
            yield place


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    commas = [-1, *top_level(text, ",", "([{<"), len(text)]
    parts = [text[before + 1 : after] for before, after in pairwise(commas)]
    return parts if len(parts) > 1 or text.strip() else []


def _parameter_name(text: str) -> str:
    words = re.findall(r"\w+", text.split("=", maxsplit=1)[0])
    return words[-1] if words else ""


def _source(
    argument: str, parameters: tuple[str, ...], before: str, depth: int = 0
) -> Source:
    """Follow a local name through its definitions to the one parameter, or the literal, it is made of."""
    if argument in parameters:
        return Source(parameter=parameters.index(argument))
    if _LITERAL.fullmatch(argument):
        return Source(constant=argument)
    if depth > 4 or not re.fullmatch(r"\w+", argument):
        return Source()
    definition = re.search(rf"\b{argument}\s*(?:=|\(|\{{)\s*([^;]*);", before)
    if definition is None:  # a collection that is filled entry by entry
        definition = re.search(
            rf"\b{argument}\s*\.\s*(?:push|emplace)_back\s*\(([^;]*)\)\s*;", before
        )
    if definition is None:
        return Source()
    value = definition[1].strip()
    if _LITERAL.fullmatch(value):
        return Source(constant=value)
    if re.match(r"(?:at|torch)::(?:empty|zeros|ones|full)", value):
        return Source()
    names = re.findall(r"\b[A-Za-z_]\w*\b(?!\s*(?:\(|::|<))", value)
    for word in names:
        if word in parameters:
            return Source(parameter=parameters.index(word))
    for word in names:
        followed = _source(word, parameters, before[: definition.start()], depth + 1)
        if followed != Source():
            return followed
    return Source()


def _returned(body: str, arguments: tuple[str, ...]) -> tuple[int, ...]:
    """Which arguments of the call a `return` hands back, in order, looking through local collections."""
    returns = re.findall(r"\breturn\s+([^;]+);", body)
    if not returns:
        return ()
    collections = dict(
        re.findall(r"\b(\w+)\s*=\s*(?:at::)?TensorList\s*\(\s*(\w+)\s*\)", body)
    )
    collected = tuple(collections.get(argument, argument) for argument in arguments)
    return tuple(_mentioned(returns[-1], body, collected, 0))


def _mentioned(
    expression: str, body: str, arguments: tuple[str, ...], depth: int
) -> list[int]:
    positions_found: list[int] = []
    for word in re.findall(r"\b[A-Za-z_]\w*", expression):
        positions = [arguments.index(word)] if word in arguments else []
        if not positions and depth < 4:
            parts = re.findall(rf"\b{word}\s*(?:=|\{{|\()\s*([^;]*);", body)
            parts += re.findall(
                rf"\b{word}\s*\.\s*(?:push_back|emplace_back)\s*\(([^;]*)\)\s*;", body
            )
            parts += re.findall(rf"\bfor\s*\([^:;()]*\b{word}\s*:\s*([^;()]*)\)", body)
            for part in parts:
                positions += _mentioned(part, body, arguments, depth + 1)
        positions_found += positions
    return list(dict.fromkeys(positions_found))
