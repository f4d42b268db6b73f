"""What joins the files of a candidate: entry, operator definition, tiling data, messages of clang.

Some messages are of address spaces: a pointer into global memory is no plain pointer, nor the reverse. The
device's compiler has them in the types of pointers. g++ has not, and the twin's headers leave `__gm__`
empty. So the kernel is parsed a second time, with headers in which `__gm__` is an address space of clang's.
What clang refuses then and not before is the finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.cpp_text import code_in_place
from core.errors import InvalidInput
from core.evaluation.records import Candidate, Finding
from core.operators.spec import DType, TensorSpec
from remote.judge.building.glue import (
    decides_shapes,
    declared_outputs,
    entry_name,
    entry_parameters,
    interface_names,
)
from remote.judge.building.source_text import code_below
from remote.judge.job import Interface

from .parsing import Parsed, WrittenLines, shown_path
from .rules import rule_of_diagnostic, rules
from .syntax_tree import Cursor, Diagnostic

_OPDEF = re.compile(r"\bclass\s+(\w+)\s*(?:final\s*)?:\s*public\s+(?:ops::)?OpDef\b")
# A class that a macro of the project makes, with the operator's name pasted in.
_MADE = re.compile(r"\bclass\s+\w*\s*##[^;{}]*:\s*public\s+(?:ops::)?OpDef\b")
_OP_ADD = re.compile(r"\bOP_ADD\s*\(\s*(\w+)")
_TILING = re.compile(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)")
ENTRY = re.compile(r"\b__global__\b[^;{}()]*?\bvoid\s+(\w+)\s*\(")

_PARAMETER = re.compile(
    r"\b(Input|Output)\s*\(\s*\"(\w+)\"\s*\)((?:(?!\b(?:Input|Output|Attr|AICore)\s*\().)*)",
    re.DOTALL,
)
_ADDRESS_RULE = "address-space"
_ADDRESS_MARKS = ("address space", "address_space", "__gm__")  # in the words of clang
# Classes of the twin's; types of the language on the device, where a value is read through `__gm__ half*`.
_NUMBER_WORDS = re.compile(r"\b(?:half|bfloat16_t|TWIN_DEFINE_FLOAT16)\b")
_POINTER_WORDS = re.compile(r"\*|\bpointer\b")
_LIST = re.compile(r"\bDataType(?:List)?\s*\(\s*\{([^}]*)\}")
_DTYPES = {dtype.cann: dtype for dtype in DType}


def tiling_classes(files: Mapping[str, str]) -> list[str]:
    """Names the candidate gives its tiling data."""
    names: list[str] = []
    for text in files.values():
        names += _TILING.findall(code_in_place(text))
    return names


def check_operator_definition(
    operator: Interface, files: Mapping[str, str]
) -> Iterator[Finding]:
    """The class derived from OpDef and its registration carry the operator's name."""
    rule, name = rules()["opdef-name"], operator.name
    # Class name -> file and line of its definition, and of its registration.
    defined: dict[str, tuple[str, int]] = {}
    added: dict[str, tuple[str, int]] = {}
    for path, text in files.items():
        if not path.startswith("op_host/"):
            continue
        code = code_in_place(text)
        for pattern, names in ((_OPDEF, defined), (_OP_ADD, added)):
            for match in pattern.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                names.setdefault(match[1], (path, line))
    if not defined:
        # A macro of the project may make the class: compiler and runner say when it does not.
        if name in added or any(_MADE.search(text) for text in files.values()):
            return
        yield rule.finding(f"of {name} is missing: no class derived from OpDef", "", 0)
    elif name not in defined:
        other, place = next(iter(defined.items()))
        yield rule.finding(f"is of `{other}', the operator is `{name}'", *place)
    elif not added:
        yield rule.finding(
            f"of `{name}' is not registered: OP_ADD({name}) is missing", *defined[name]
        )
    elif name not in added:
        other, place = next(iter(added.items()))
        yield rule.finding(f"registers `{other}', the operator is `{name}'", *place)


def check_entry(
    operator: Interface, files: Mapping[str, str], kernel: str, parsed: Parsed
) -> Iterator[Finding]:
    """The entry exists and takes what CANN passes: every input and output, workspace, tiling."""
    snake = entry_name(files[kernel], operator.snake)
    code = code_in_place(files[kernel])
    entries: list[str] = []
    for text in code_below(files, "op_kernel"):
        entries += ENTRY.findall(text)
    if snake not in entries:
        file_name = kernel.rpartition("/")[2]
        # The words of CANN's own opc, so that a search for them leads on.
        what = f"`{snake}' not implement in `{file_name}'"
        if entries:
            what += f", only `{entries[0]}'"
        line = 0
        first = ENTRY.search(code)
        if first is not None:
            line = code.count("\n", 0, first.start(1)) + 1
        yield rules()["entry-name"].finding(what, kernel, line, snake)
        return
    inputs = [tensor.name for tensor in operator.inputs]
    declared = [tensor.name for tensor in operator.outputs]
    outputs = declared_outputs(
        files, inputs, declared, entry_parameters(files[kernel], snake)
    )
    names = [
        *interface_names(files, "Input", inputs),
        *interface_names(files, "Output", outputs),
    ]
    shapes = ["shapes of outputs"] if decides_shapes(files) else []
    parameters = [*names, *shapes, "workspace", "tiling"]
    for function in _functions(parsed.unit.cursor):
        in_kernel = shown_path(function.location.file).startswith("op_kernel/")
        if in_kernel and function.spelling == snake:
            yield from _check_signature(function, parameters, snake)
            return


def _check_signature(
    function: Cursor, parameters: Sequence[str], snake: str
) -> Iterator[Finding]:
    """The entry returns void and takes one address for each parameter CANN passes."""
    rule = rules()["entry-signature"]
    place = (shown_path(function.location.file), function.location.line)
    arguments = list(function.get_arguments())
    if function.result_type.get_canonical().kind.name != "VOID":
        yield rule.finding(
            f"`{snake}' returns {function.result_type.spelling}, not void",
            *place,
            snake,
        )
    count, expected = len(arguments), len(parameters)
    if count != expected:
        names = ", ".join(parameters)
        takes = f"`{snake}' takes {count} arguments"
        what = f"{takes}, CANN passes {expected}: {names}"
        yield rule.finding(what, *place, snake)
    for argument in arguments:
        kind = argument.type.get_canonical()
        if kind.kind.name != "POINTER":
            written_type = argument.type.spelling
            takes = f"`{snake}' takes `{argument.spelling}' as {written_type}"
            what = f"{takes}, not as GM_ADDR"
            yield rule.finding(what, *place, snake)


def _functions(cursor: Cursor) -> Iterator[Cursor]:
    """Function definitions of a translation unit, those in `extern "C"` included."""
    for child in cursor.get_children():
        if child.kind.name == "FUNCTION_DECL" and child.is_definition():
            yield child
        elif child.kind.name in {"LINKAGE_SPEC", "UNEXPOSED_DECL", "NAMESPACE"}:
            yield from _functions(child)


def check_messages(
    errors: Iterable[tuple[str, int, int, str]], side: str, classes: Sequence[str]
) -> Iterator[Finding]:
    """Errors of clang in the candidate that the device's build has too."""
    # A tiling header may hold host code; what the kernel's parse says about it means nothing.
    for file, line, _column, text in errors:
        if file.startswith(f"op_{side}/"):
            rule = rule_of_diagnostic(text, side, classes)
            if rule is not None:
                yield rule.finding(text, file, line)


def check_addresses(
    plain: Parsed,
    apart: Parsed,
    files: Mapping[str, str],
    entry: str,
    api_macros: frozenset[str],
) -> Iterator[Finding]:
    """Lines of the kernel that mix pointers into global memory with plain ones.

    Args:
        plain: The kernel as the other rules read it.
        apart: The same source, parsed with address spaces.
        files: The candidate; only what lies in `op_kernel/` is judged.
        entry: Name of the kernel entry, for the findings.
        api_macros: Names of the API's macros; what they expand to is not the candidate's.
    """
    wrong = {(file, line) for file, line, _column, _text in plain.errors}
    lines = WrittenLines(files)
    for message in apart.unit.diagnostics:
        place = message.location
        file = shown_path(place.file)
        if not file.startswith("op_kernel/") or not _is_of_addresses(message):
            continue
        if (file, place.line) in wrong or lines.word_at(place) in api_macros:
            continue
        code = lines.line(file, place.line).partition("//")[0]
        line_text = code.strip()[:120]
        rule = rules()[_ADDRESS_RULE]
        yield rule.finding(line_text, file, place.line, entry)


def _is_of_addresses(message: Diagnostic) -> bool:
    """Whether a message, or a note that says why no function fits, names an address space."""
    texts = [message.spelling, *(note.spelling for note in message.children)]
    words = "\n".join(texts)
    if _NUMBER_WORDS.search(words) and not _POINTER_WORDS.search(words):
        return False
    return any(mark in words for mark in _ADDRESS_MARKS)


def declared_operator(candidate: Candidate) -> Interface:
    """The interface as the candidate's OpDef says it.

    Raises:
        InvalidInput: There is no class derived from OpDef.
    """
    # By path, so that the same candidate gives the same interface in whichever order its files came.
    files = dict(sorted(candidate.files.items()))
    host = "\n".join(code_below(files, "op_host"))
    definition = _OPDEF.search(host)
    if definition is None:
        raise InvalidInput(
            "candidate", "op_host", "no class derived from OpDef", "Name the operator."
        )
    inputs: dict[str, TensorSpec] = {}
    outputs: dict[str, TensorSpec] = {}
    for kind, name, rest in _PARAMETER.findall(host):
        dtype_list = _LIST.search(rest)
        words = re.findall(r"\bDT_\w+", dtype_list[1]) if dtype_list else []
        dtypes = tuple(_DTYPES[word] for word in words if word in _DTYPES)
        tensors = inputs if kind == "Input" else outputs
        # A second mention, of another configuration, adds nothing.
        tensors.setdefault(name, TensorSpec(name, dtypes))
    operator = definition[1]
    return Interface(
        operator,
        _snake(operator, candidate),
        tuple(inputs.values()),
        tuple(outputs.values()),
    )


def _snake(name: str, candidate: Candidate) -> str:
    """The operator's name in snake case, in whichever spelling the kernel entry has."""
    at_capitals = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    # The entry of `RMSNorm` may be called `rmsnorm` or `rms_norm`.
    in_acronyms = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", at_capitals)
    split = in_acronyms.lower()
    for text in code_below(candidate.files, "op_kernel"):
        if split in ENTRY.findall(text):
            return split
    return at_capitals.lower()
