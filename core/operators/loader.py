"""Read `operator.toml` into an `OperatorSpec`: the one place where task files from outside are validated.

Nothing here runs `reference.py`; its text only enters the digest. Format 1:

    format = 1
    name = "Lerp"                  # PascalCase, as in OpDef
    level = 1                      # 1-3, 0 outside the benchmark
    category = "Math"
    summary = '''What it computes, in Markdown.'''
    rule = "catalogue"             # optional: one of `DecidingRule`
    deny = ["Lerp"]                # optional: primitives a candidate may not lean on
    references = ["..."]           # optional: where the definition comes from
    lacks.zero_size = "..."        # optional: why there is no case of a kind (see `CASE_KINDS`)
    tolerance = "..."              # optional: what the rule "checker" accepts, in numbers
    files = ["task/module.py"]     # optional: code of an imported task, for the judge's child only

    [[input]]                      # and [[output]]: the interface, in call order
    name = "start"
    dtypes = ["float32", "float16"]   # parallel lists over all tensors, as in OpDef; one entry serves all
    [[attribute]]
    name = "epsilon"
    type = "float"
    default = 1e-6

    [[case]]
    name = "tail"
    dtype = ["float32", "float16"] # optional: one test case per entry; an input may give its own, the others
                                   # follow the signature in which the first of them has this dtype
    hidden = false                 # also: timed (default: not hidden), big, seed
    calls = 28                     # optional: calls in a step of a model, by which its latency is weighted;
                                   # weight = 0.5 where another weight is due; derived = true: stands for big ones
    holds = ["special_values"]     # optional: what shapes and fills do not tell; also "zero_size"
    attributes = { epsilon = 1e-5 }
    [case.inputs]
    start = { shape = [7, 33], fill = "uniform(0.5,2)" }   # or stride = [66, 2], in elements

A case of an imported task gives `row = { m = 128, dtype = "float16" }` instead of dtype, inputs and attributes.
"""

from __future__ import annotations

import ast
import hashlib
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from core.errors import InvalidInput
from core.operators.baselines import read_baseline
from core.operators.fills import check_fill
from core.operators.spec import (
    CASE_KINDS,
    HELD_CLASSES,
    AttributeSpec,
    AttributeValue,
    DecidingRule,
    DType,
    InputSpec,
    OperatorSpec,
    RowValue,
    TensorSpec,
    TestCase,
)
from core.operators.toml_table import Table
from core.outside import read_file, toml_table
from core.text import Text

SPECIFICATION_FILE = "operator.toml"
REFERENCE_FILE = "reference.py"
FORMAT = 1

LAYOUTS = ("contiguous", "transposed", "strided")
BY_STRIDE = "by stride"  # of an input that gives its strides instead
ATTRIBUTE_TYPES = ("int", "float", "bool", "str", "int_list", "float_list", "bool_list")
_ACCEPTED: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_CASE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def load_operator(folder: Path) -> OperatorSpec:
    """Read and check the operator in `folder`.

    Args:
        folder: Holds `operator.toml` and `reference.py`.

    Raises:
        InvalidInput: Naming file, field and value, for anything the format does not allow.
    """
    specification, reference = folder / SPECIFICATION_FILE, folder / REFERENCE_FILE
    texts = {path.name: _read(path) for path in (specification, reference)}
    table = Table(
        str(specification),
        "",
        toml_table(texts[SPECIFICATION_FILE], str(specification)),
    )
    files = table.take_strings("files", ())
    for index, name in enumerate(files):
        path = Path(name)
        if path.is_absolute() or ".." in path.parts:
            raise table.fault(
                f"files[{index}]",
                "{name!r} does not lie in the folder of the operator",
                name=name,
            )
        texts[name] = _read(folder / name)
    digest = hashlib.sha256()
    for text in texts.values():
        # With its length, or the end of one text could as well be the beginning of the next.
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text)
    operator = _operator(table, folder, digest.hexdigest(), files)
    return replace(operator, amended=_amendment(texts[REFERENCE_FILE]))


def _amendment(source: bytes) -> str:
    """What the reference's `make_inputs` puts in the place of drawn values, as its docstring says.

    Args:
        source: Text of `reference.py`, which is parsed and not run.

    Returns:
        The docstring's first paragraph in one line; empty where there is no such function.
    """
    if b"def make_inputs" not in source:
        return ""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ""  # `operators check` names the fault
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "make_inputs":
            docstring = ast.get_docstring(node) or ""
            paragraph = docstring.partition("\n\n")[0]
            return " ".join(paragraph.split())
    return ""


def _read(path: Path) -> bytes:
    """A file of the operator; the error says which files its folder needs."""
    try:
        return read_file(path)
    except InvalidInput as error:
        remedy = Text(
            "An operator folder needs {specification_file} and {reference_file}.",
            specification_file=SPECIFICATION_FILE,
            reference_file=REFERENCE_FILE,
        )
        raise InvalidInput(error.source, error.field, error.problem, remedy) from error


def _operator(
    table: Table, folder: Path, digest: str, files: tuple[str, ...]
) -> OperatorSpec:
    """The operator that a specification describes, every key of which is taken or refused.

    Args:
        table: The whole document.
        folder: Of the operator.
        digest: Over its files.
        files: Further files of an imported task.
    """
    version = table.take("format", int)
    if version != FORMAT:
        raise table.fault(
            "format",
            "{version} is not supported",
            "This version reads format {ours}.",
            version=version,
            ours=FORMAT,
        )
    name = table.take_text("name", _OPERATOR_NAME, "a PascalCase operator name")
    level = table.take("level", int)
    if not 0 <= level <= 3:
        raise table.fault("level", "{level} is not between 0 and 3", level=level)
    category = cast("str", table.take("category", str)).strip()
    summary = cast("str", table.take("summary", str)).strip()
    for key, text in (("category", category), ("summary", summary)):
        if not text:
            raise table.fault(key, "is empty")
    rule = table.take_choice("rule", DecidingRule, DecidingRule.CATALOGUE.value)
    benchmark = table.take("benchmark", str, "catalogue")
    tolerance = table.take("tolerance", str, "").strip()
    deny = table.take_strings("deny", ())
    references = table.take_strings("references", ())
    reasons = table.take_table("lacks")
    lacks = {}
    for kind in CASE_KINDS:
        why = reasons.take(kind, str, "").strip()
        if why:
            lacks[kind] = why
    reasons.finish()
    inputs = tuple(map(_tensor, table.take_tables("input")))
    outputs = tuple(map(_tensor, table.take_tables("output")))
    attributes = tuple(map(_attribute, table.take_tables("attribute")))
    _check_interface(table, inputs, outputs, attributes)
    cases: list[TestCase] = []
    for row in table.take_tables("case"):
        cases.extend(_cases(row, name, inputs, attributes))
    table.finish()
    _check_cases(table, outputs, cases)
    return OperatorSpec(
        name=name,
        level=level,
        category=category,
        summary=summary,
        inputs=inputs,
        outputs=outputs,
        attributes=attributes,
        cases=tuple(cases),
        folder=folder,
        digest=digest,
        rule=DecidingRule(rule),
        benchmark=benchmark,
        deny=deny,
        references=references,
        lacks=lacks,
        files=files,
        tolerance=tolerance,
        baseline=read_baseline(folder, name),
    )


def _tensor(table: Table) -> TensorSpec:
    spec = TensorSpec(
        name=table.take_text("name", _IDENTIFIER, "an identifier"),
        dtypes=_dtypes(table, "dtypes", None),
        optional=table.take("optional", bool, default=False),
        is_list=table.take("list", bool, default=False),
        description=table.take("description", str, ""),
        shape_from_data=table.take("shape_from_data", bool, default=False),
    )
    table.finish()
    return spec


def _dtypes(
    table: Table, key: str, default: tuple[str, ...] | None
) -> tuple[DType, ...]:
    return tuple(
        _dtype(table, f"{key}[{i}]", text)
        for i, text in enumerate(table.take_strings(key, default))
    )


def _dtype(table: Table, key: str, text: str) -> DType:
    return DType(table.one_of(key, text, DType))


def _attribute(table: Table) -> AttributeSpec:
    name = table.take_text("name", _IDENTIFIER, "an identifier")
    kind = table.take_choice("type", ATTRIBUTE_TYPES)
    description = table.take("description", str, "")
    # Taken by hand: the type of a default is that of the attribute.
    rest = table.rest()
    default = None
    if "default" in rest:
        default = attribute_value(
            table.source, table.field("default"), kind, rest.pop("default")
        )
    for key in rest:
        raise table.fault(key, "is not a known key", "Check the spelling or remove it.")
    return AttributeSpec(name=name, type=kind, default=default, description=description)


def attribute_value(
    source: str, field: str, kind: str, value: object
) -> AttributeValue:
    """Check `value` against the attribute type `kind`; an int serves where a float is asked.

    Raises:
        InvalidInput: When the value is of another type.
    """
    element = kind.removesuffix("_list")
    is_list = kind.endswith("_list")
    entries = value if is_list and isinstance(value, list) else [value]
    if is_list != isinstance(value, list):
        raise InvalidInput(
            source, field, "expected {kind}, found {value!r}", kind=kind, value=value
        )
    accepted = _ACCEPTED[element]
    for entry in entries:
        # To Python a truth value is an int, to an operator it is none.
        is_stray_bool = isinstance(entry, bool) and element != "bool"
        if is_stray_bool or not isinstance(entry, accepted):
            raise InvalidInput(
                source,
                field,
                "expected {kind}, found {value!r}",
                kind=kind,
                value=value,
            )
    converted: list[Any] = [
        float(cast("float", entry)) if element == "float" else entry
        for entry in entries
    ]
    return cast("AttributeValue", tuple(converted) if is_list else converted[0])


def _check_interface(
    table: Table,
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    attributes: tuple[AttributeSpec, ...],
) -> None:
    """Refuse names that are used twice, and lists of types of different lengths."""
    if not outputs:
        raise table.fault("output", "an operator needs at least one output")
    # An output may share its name with an input: that is an in-place operator. Everything else is unique.
    arguments = [tensor.name for tensor in inputs]
    arguments += [attribute.name for attribute in attributes]
    results = [entry.name for entry in outputs]
    for kind, names in (("input", arguments), ("output", results)):
        for name in names:
            if names.count(name) > 1:
                raise table.fault(kind, "the name {name!r} is used twice", name=name)
    # The parallel lists have one entry for each signature, one for all, or none (imported tasks).
    tensors_of_all = (*inputs, *outputs)
    count = max(len(tensor.dtypes) for tensor in tensors_of_all)
    for kind, tensors in (("input", inputs), ("output", outputs)):
        for index, tensor in enumerate(tensors):
            if len(tensor.dtypes) not in (0, 1, count):
                raise table.fault(
                    f"{kind}[{index}].dtypes",
                    "has {count} entries where other tensors have {expected}",
                    "Give every tensor as many dtypes as there are signatures, or one for all.",
                    count=len(tensor.dtypes),
                    expected=count,
                )


def _cases(
    table: Table,
    operator: str,
    inputs: tuple[TensorSpec, ...],
    attributes: tuple[AttributeSpec, ...],
) -> list[TestCase]:
    """The test cases of one `[[case]]`: one for each entry of its `dtype`, which then ends their names.

    Args:
        table: The entry.
        operator: Name of the operator; seeds that are not given are drawn from it.
        inputs: Of the interface.
        attributes: Of the interface.
    """
    name = table.take_text(
        "name", _CASE_NAME, "a case name (letters, digits, `_`, `-`, `.`)"
    )
    hidden = table.take("hidden", bool, default=False)
    timed = table.take("timed", bool, default=not hidden)
    big = table.take("big", bool, default=False)
    seed = table.take("seed", int, -1)
    calls = float(table.take("calls", (int, float), 0.0))
    # A case whose calls are not known counts once.
    weight = float(table.take("weight", (int, float), calls or 1.0))
    for key, value in (("calls", calls), ("weight", weight)):
        # No calls means that their number is not known; without weight a case would not count.
        is_empty_weight = key == "weight" and value == 0.0
        if is_empty_weight or not 0.0 <= value < math.inf:
            raise table.fault(key, "{value} is not a positive number", value=value)
    derived = table.take("derived", bool, default=False)
    holds = table.take_strings("holds", ())
    for index, special in enumerate(holds):
        table.one_of(f"holds[{index}]", special, HELD_CLASSES)
    row = _row(table)
    if row:
        table.finish()  # dtype, inputs and attributes are in the row
        return [
            TestCase(
                name=name,
                inputs={},
                row=row,
                hidden=hidden,
                timed=timed,
                big=big,
                seed=_seed(operator, name, seed),
                holds=holds,
                weight=weight,
                calls=calls,
                derived=derived,
            )
        ]
    _check_dtypes(table.source, "input", inputs)
    dtypes = _dtypes(table, "dtype", ())
    values = _attribute_values(table.take_table("attributes"), attributes)
    tensors = table.take("inputs", dict, {})
    table.finish()
    cases = []
    for dtype in dtypes or (None,):
        full_name = name
        if dtype and len(dtypes) > 1:
            full_name = f"{name}-{dtype.value}"
        rows = Table(table.source, table.field("inputs"), tensors)
        specs = _case_inputs(rows, inputs, dtype)
        cases.append(
            TestCase(
                name=full_name,
                inputs=specs,
                attributes=values,
                hidden=hidden,
                timed=timed,
                big=big,
                seed=_seed(operator, full_name, seed),
                holds=holds,
                weight=weight,
                calls=calls,
                derived=derived,
            )
        )
    return cases


def _seed(operator: str, case: str, seed: int) -> int:
    """The seed of a case: the one in the file, else (-1) one that its name decides."""
    if seed >= 0:
        return seed
    full_name = f"{operator}/{case}"
    return zlib.crc32(full_name.encode())


def _row(table: Table) -> dict[str, RowValue]:
    """The opaque parameters of a case of an imported task, empty for other cases."""
    row: dict[str, RowValue] = {}
    for key, value in table.take("row", dict, {}).items():
        if not isinstance(value, bool | int | float | str):
            raise table.fault(
                f"row.{key}",
                "expected a number, a truth value or a text, found {value!r}",
                value=value,
            )
        row[key] = value
    return row


def _attribute_values(
    table: Table, attributes: tuple[AttributeSpec, ...]
) -> dict[str, AttributeValue]:
    """Values of every attribute in call order: what the case gives, else the default."""
    rest = table.rest()
    values: dict[str, AttributeValue] = {}
    for attribute in attributes:
        name = attribute.name
        if name in rest:
            value = rest.pop(name)
            values[name] = attribute_value(
                table.source, table.field(name), attribute.type, value
            )
        elif attribute.default is not None:
            values[name] = attribute.default
        else:
            raise table.fault(name, "is missing and has no default")
    for key in rest:
        raise table.fault(key, "is not an attribute of this operator")
    return values


def _case_inputs(
    table: Table, interface: tuple[TensorSpec, ...], dtype: DType | None
) -> dict[str, InputSpec]:
    """The inputs of one case by name; `dtype` is the case's own, None where it has none."""
    rest = table.rest()
    specs: dict[str, InputSpec] = {}
    dtypes = _signature(interface, rest, dtype)
    for tensor in interface:
        name = tensor.name
        if name in rest:
            row = Table(table.source, table.field(name), rest.pop(name))
            specs[name] = _input(row, tensor, dtypes.get(name, dtype))
        elif not tensor.optional:
            raise table.fault(name, "is missing")
    for key in rest:
        raise table.fault(key, "is not an input of this operator")
    _check_signature(table, interface, specs)
    return specs


def _signature(
    interface: tuple[TensorSpec, ...],
    rows: Mapping[str, object],
    dtype: DType | None,
) -> dict[str, DType]:
    """The signature that a case asks for: dtypes of its inputs, by name.

    An input may give a dtype of its own; the others follow the case's `dtype`. The
    signature is the first that agrees with all of them. Where none does, it is the
    first that agrees with those of their own and with the leading input of the others:
    a bfloat16 case of an operator whose scalar input is float32 there.

    Args:
        interface: Inputs of the operator.
        rows: What the case says of its inputs, unchecked, by name.
        dtype: Of the case; None where it has none.

    Returns:
        Empty when no signature agrees.
    """
    present = [tensor for tensor in interface if tensor.name in rows]
    own = _own_dtypes(rows)
    # An input of a single dtype decides nothing.
    with_choice = [tensor.name for tensor in present if len(set(tensor.dtypes)) > 1]
    followers = [name for name in with_choice if name not in own]
    settled = [tensor.name for tensor in present if tensor.name in own]
    signatures = [
        signature
        for signature in _signatures(interface, present)
        if all(signature[name] == own[name] for name in settled)
    ]
    for names in (followers, followers[:1]):
        for signature in signatures:
            if all(signature[name] == dtype for name in names):
                return signature
    return {}


def _signatures(
    interface: tuple[TensorSpec, ...], present: Sequence[TensorSpec]
) -> list[dict[str, DType]]:
    """The signatures an interface declares, each as dtypes of the inputs `present`, by name.

    A signature is one column of the parallel lists `dtypes`. A list of one entry serves
    every signature.
    """
    count = max((len(tensor.dtypes) for tensor in interface), default=1)
    names = [tensor.name for tensor in present]
    lists: list[tuple[DType, ...]] = []
    for tensor in present:
        is_single = len(tensor.dtypes) == 1
        lists.append(tensor.dtypes * count if is_single else tensor.dtypes)
    columns = [[dtypes[at] for dtypes in lists] for at in range(count)]
    return [dict(zip(names, column, strict=True)) for column in columns]


def _own_dtypes(rows: Mapping[str, object]) -> dict[str, object]:
    """What inputs of a case give as their own `dtype`, unchecked, by name."""
    return {
        name: row["dtype"]
        for name, row in rows.items()
        if isinstance(row, dict) and "dtype" in row
    }


def _input(table: Table, tensor: TensorSpec, dtype: DType | None) -> InputSpec:
    """One input of a case.

    Args:
        table: What the case says of it.
        tensor: Its place in the interface.
        dtype: Of the case's signature; None where nothing decides it.
    """
    own = table.take("dtype", str, "")
    if own:
        dtype = _dtype(table, "dtype", own)
    elif len(set(tensor.dtypes)) == 1:
        dtype = tensor.dtypes[0]
    if dtype is None:
        raise table.fault(
            "dtype", "is missing", "Give it here or as `dtype` of the case."
        )
    shapes: tuple[tuple[int, ...], ...] = ()
    if tensor.is_list:
        rows = enumerate(table.take("shapes", list, []))
        shapes = tuple(_shape(table, f"shapes[{at}]", row) for at, row in rows)
    # The first tensor of a list stands for it wherever one shape is asked for.
    first_shape = list(shapes[0]) if shapes else None
    shape = _shape(table, "shape", table.take("shape", list, first_shape))
    fill = table.take("fill", str, "normal")
    check_fill(table, fill, dtype, math.prod(shape))
    strides = _strides(table, shape, fill)
    layout = BY_STRIDE
    if not strides:
        layout = table.take_choice("layout", LAYOUTS, "contiguous")
    if layout == "transposed" and len(shape) < 2:
        raise table.fault(
            "layout",
            "a tensor of shape {shape} has no two dimensions to swap",
            shape=list(shape),
        )
    count = table.take("count", int, len(shapes) or 1)
    fits = count == 1 or (tensor.is_list and count > 1)
    if shapes:
        fits = count == len(shapes)
    if not fits:
        raise table.fault("count", "{count} does not fit the interface", count=count)
    table.finish()
    if strides and tensor.is_list:
        raise table.fault("stride", "a list of tensors has none")
    return InputSpec(
        shape=shape,
        dtype=dtype,
        fill=fill,
        layout=layout,
        count=count,
        shapes=shapes,
        strides=strides,
    )


def _strides(table: Table, shape: tuple[int, ...], fill: str) -> tuple[int, ...]:
    """Strides of an input in elements, empty where the case gives none.

    Two elements in one place are refused: a kernel may be given such a tensor to write.
    """
    numbers = table.take("stride", list, [])
    if not numbers:
        return ()
    strides = _shape(table, "stride", numbers)
    if len(strides) != len(shape):
        raise table.fault(
            "stride",
            "has {count} entries where the shape has {expected}",
            count=len(strides),
            expected=len(shape),
        )
    if fill.startswith("values("):
        raise table.fault("stride", "does not go with listed values")
    # By growing stride, each must step beyond all that the smaller ones reach together.
    reach = 0
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride <= reach:
            raise table.fault(
                "stride",
                "{strides} puts several elements of {shape} in one place",
                strides=list(strides),
                shape=list(shape),
            )
        reach += stride * max(0, size - 1)
    return strides


def _shape(table: Table, key: str, value: object) -> tuple[int, ...]:
    """A list of at most 8 whole numbers that are not negative: sizes, or strides in elements."""
    if not isinstance(value, list) or len(value) > 8:
        raise table.fault(
            key, "expected a list of at most 8 dimensions, found {value!r}", value=value
        )
    for dimension in value:
        # To Python a truth value is an int, too.
        is_whole = isinstance(dimension, int) and not isinstance(dimension, bool)
        if not is_whole or dimension < 0:
            raise table.fault(
                key, "{dimension!r} is not a dimension", dimension=dimension
            )
    return tuple(value)


def _check_signature(
    table: Table, interface: tuple[TensorSpec, ...], specs: Mapping[str, InputSpec]
) -> None:
    """The dtypes of one case must be one of the signatures the interface declares."""
    present = [tensor for tensor in interface if tensor.name in specs]
    dtypes = {tensor.name: specs[tensor.name].dtype for tensor in present}
    if dtypes in _signatures(interface, present):
        return
    pairs = [f"{name}: {dtype.value}" for name, dtype in dtypes.items()]
    raise table.fault(
        "dtype",
        "({found}) is not a dtype signature of the interface",
        found=", ".join(pairs),
    )


def _check_dtypes(source: str, kind: str, tensors: tuple[TensorSpec, ...]) -> None:
    for index, tensor in enumerate(tensors):
        if not tensor.dtypes:
            raise InvalidInput(source, f"{kind}[{index}].dtypes", "is empty")


def _check_cases(
    table: Table, outputs: tuple[TensorSpec, ...], cases: list[TestCase]
) -> None:
    """Refuse names that are used twice, and an operator without a visible case that is timed."""
    # Only the code of an imported task knows which types its cases have.
    if not all(case.row for case in cases):
        _check_dtypes(table.source, "output", outputs)
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise table.fault("case", "the case name {name!r} is used twice", name=name)
    visible = [case for case in cases if not case.hidden]
    if not visible:
        raise table.fault("case", "an operator needs at least one visible case")
    if not any(case.timed for case in visible):
        raise table.fault(
            "case",
            "no visible case is timed, so candidates could not be compared by latency",
        )
