"""Reading operator definitions (OpDef) and Python bindings from C++ text, without a compiler.

Good for files in the shape that msopgen and the benchmarks write; what cannot be read is said, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

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
# Within a `switch` over types: a label, the default label, or an answer.
_SWITCH_PART = re.compile(
    r"case\s+(?:ge\s*::\s*)?(DT_\w+)\s*:|(default)\s*:|return\s+(?:ge\s*::\s*)?(DT_\w+)\s*;"
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
        start = member.end()
        # What is said of a member ends where the next begins.
        end = _statement_end(body, start)
        if index + 1 < len(members):
            end = members[index + 1].start()
        kind, member_name = member[1], member[2]
        rest = body[start:end]
        if kind == "Attr":
            attributes.append(_attribute(member_name, rest, source))
            continue
        tensors = inputs if kind == "Input" else outputs
        tensors.append(_tensor(member_name, rest, code, source))
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
    """An input or output from what the OpDef says of it.

    Args:
        name: Of the tensor.
        rest: Its calls, `.ParamType(REQUIRED).DataType({…})` and so on.
        code: The whole file, where lists of types may be defined.
        source: Name of the file for messages.
    """
    dtypes = _LIST.search(rest)
    parameter = _PARAM.search(rest)
    if dtypes is None:
        raise InvalidInput(
            source, f'Input or Output "{name}"', "declares no DataType list"
        )
    listed = dtypes[1]
    if listed is None:
        listed = _named_list(dtypes[2], code)
    types = tuple(re.findall(r"\bDT_\w+", listed))
    kind = parameter[1] if parameter else "REQUIRED"
    return DefinedTensor(name, types, kind == "OPTIONAL", kind == "DYNAMIC")


def _named_list(name: str, code: str, depth: int = 0) -> str:
    """Entries of the list that a variable holds; empty when they are computed in a way not known here."""
    if depth > 4:
        return ""
    # `name = {…};`, or `name = other;`.
    definition = re.search(rf"\b{name}\s*=?\s*(?:\{{([^}}]*)\}}|(\w+))\s*;", code)
    if definition is not None:
        entries, other_name = definition[1], definition[2]
        if entries is not None:
            return entries
        listed = _named_list(other_name, code, depth + 1)
        if listed:
            return listed
    # `name(other.size(), DT_FLOAT);`.
    repeated = re.search(
        rf"\b{name}\s*\([^;]*\.size\s*\(\)\s*,\s*(?:ge\s*::\s*)?(DT_\w+)\s*\)\s*;", code
    )
    if repeated is not None:
        return repeated[1]
    return _translated_list(name, code, depth + 1)


def _translated_list(name: str, code: str, depth: int) -> str:
    """Entries that a loop over another list appends, each translated by a function with a `switch`."""
    loop = re.search(
        rf"\bfor_each\s*\(\s*(\w+)[^;]*?\b{name}\s*\.\s*(?:push|emplace)_back\s*\(\s*(\w+)\s*\(",
        code,
    )
    if loop is None:
        return ""
    list_name, function_name = loop[1], loop[2]
    function = re.search(rf"\b{function_name}\s*\([^()]*\)\s*\{{\s*switch\b", code)
    if function is None:
        return ""
    end = code.find("}", function.end())
    answers: dict[str, str] = {}
    pending: list[str] = []
    switch = code[function.end() : end]
    for label, default, answer in _SWITCH_PART.findall(switch):
        if not answer:
            # Labels one below the other share the next answer.
            pending.append(label or default)
            continue
        answers |= dict.fromkeys(pending, answer)
        pending = []
    other = answers.get("default", "DT_UNDEFINED")
    entries = re.findall(r"\bDT_\w+", _named_list(list_name, code, depth))
    return ", ".join(answers.get(entry, other) for entry in entries)


def _attribute(name: str, rest: str, source: str) -> DefinedAttribute:
    declaration = _ATTRIBUTE.search(rest)
    if declaration is None:
        raise InvalidInput(source, f'Attr "{name}"', "declares no type")
    kind = _KINDS[declaration[1]]
    default = declaration[2].strip()
    return DefinedAttribute(name, kind, default)


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
        function=bound[1],
        call=name,
        parameters=parameters,
        arguments=arguments,
        sources=sources,
        returned=_returned(body, arguments),
    )


class _Function(NamedTuple):
    """A function of the file: names of its parameters, and the text between its braces."""

    parameters: tuple[str, ...]
    body: str


def _function(name: str, code: str) -> _Function | None:
    """The function of this name, None where the file has none."""
    head = re.search(rf"\b{name}\s*\(([^{{;]*)\)\s*\{{", code)
    if head is None:
        return None
    parts = split_arguments(head[1])
    parameters = tuple(_parameter_name(part) for part in parts if part.strip())
    start = head.end()
    closing = top_level(code, "}", "{", start - 1)
    end = next(closing, len(code))
    return _Function(parameters, code[start:end])


class _NpuCall(NamedTuple):
    """An aclnn function, its arguments, and the text before the call."""

    name: str
    arguments: tuple[str, ...]
    before: str


def _npu_call(body: str, code: str) -> _NpuCall | None:
    """What aclnn function is called, its arguments as `body` names them, and the text before the call.

    A body that leaves the call to another function of the file is followed once, by argument position.
    """
    call = _CALL.search(body)
    if call is not None:
        name, *arguments = _stripped_arguments(call[1])
        return _NpuCall(name, tuple(arguments), body[: call.start()])
    for inner in re.finditer(r"\b(\w+)\s*\(([^;]*)\)\s*;", body):
        function = _function(inner[1], code)
        if function is None:
            continue
        call = _CALL.search(function.body)
        if call is None:
            continue
        passed = _stripped_arguments(inner[2])
        name, *arguments = _stripped_arguments(call[1])
        before = function.body[: call.start()]
        outer_names = []
        for argument in arguments:
            source = _source(argument, function.parameters, before)
            is_passed = 0 <= source.parameter < len(passed)
            outer_names.append(
                passed[source.parameter] if is_passed else source.constant
            )
        return _NpuCall(name, tuple(outer_names), body[: inner.start()])
    return None


def _stripped_arguments(text: str) -> list[str]:
    return [part.strip() for part in split_arguments(text)]


def top_level(text: str, sign: str, brackets: str, start: int = 0) -> Iterator[int]:
    """Where `sign` stands outside of `brackets` that open from `start` on; a closing one is outside."""
    closing = [_PARTNERS[bracket] for bracket in brackets]
    depth = 0
    for place in range(start, len(text)):
        character = text[place]
        if character in brackets:
            depth += 1
        elif character in closing:
            depth -= 1
        # Behind the count: the bracket that closes the outermost one is outside.
        if character == sign and depth == 0:
            yield place


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts = []
    start = 0
    for comma in top_level(text, ",", "([{<"):
        parts.append(text[start:comma])
        start = comma + 1
    parts.append(text[start:])
    # An empty text is no argument, not an empty one.
    return parts if len(parts) > 1 or text.strip() else []


def _parameter_name(text: str) -> str:
    """The last word before a default: `x` of `const at::Tensor& x = y`."""
    declaration, _, _default = text.partition("=")
    words = re.findall(r"\w+", declaration)
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
    # Only what stands before the definition: a name may be defined twice.
    earlier = before[: definition.start()]
    for word in names:
        source = _source(word, parameters, earlier, depth + 1)
        if source != Source():
            return source
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
    """Arguments that an expression names, itself or by what its names are made of, each once."""
    mentioned: list[int] = []
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
        mentioned += positions
    return list(dict.fromkeys(mentioned))
