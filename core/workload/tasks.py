"""From an operator of a workload to an operator folder that can be queued.

Where the catalogue has the operator, its folder is the beginning: interface, reference
and every case stay, its cases are no longer timed, and those of the profile join them.
Elsewhere the folder is a template whose reference a person writes.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from core.errors import SageError
from core.operators.case_text import calls_text
from core.operators.catalogue import catalogue_operator, operator_names
from core.operators.loader import REFERENCE_FILE, SPECIFICATION_FILE, load_operator
from core.operators.measured_kernels import ORIGIN_FILE, PROCESSOR_SEPARATOR, WORKLOAD
from core.operators.spec import (
    DType,
    InputSpec,
    OperatorSpec,
    TensorSpec,
    dtype_columns,
    plain_name,
)
from core.text import Text
from core.whole_file import writing_folder
from core.workload.case_choice import CaseShape, cases_of
from core.workload.records import Group, Tensor, Workload, shape_text

_IDENTIFIER = re.compile(r"[A-Z][A-Za-z0-9]*")
_CASE_HEAD = re.compile(r"^\[\[case\]\][^\n]*\n", re.MULTILINE)
_TIMED = re.compile(r"^timed[ \t]*=[^\n]*\n", re.MULTILINE)
_FORMAT_LINE = re.compile(r"^format[ \t]*=[^\n]*\n", re.MULTILINE)
_DTYPES_LINE = re.compile(r"^dtypes[ \t]*=[ \t]*\[[^\]]*\]", re.MULTILINE)
_SUMMARY = re.compile(
    r"^(summary[ \t]*=[ \t]*(?:\"{3}|'{3}).*?\n)(\"{3}|'{3})", re.MULTILINE | re.DOTALL
)
_ALIKE = 0.7  # of two names, so that `Gelu` is no misspelt `SwiGlu`
_STORAGE = ("NC1HWC0", "FRACTAL", "NDC1HWC0")  # shapes are those of a storage
_MOST_SHOWN = 12  # signatures in the summary of a template


@dataclass(frozen=True)
class MadeTask:
    """A folder with an operator of a workload.

    Attributes:
        is_new: Whether it was written now; else it was there, with the same files.
        from_catalogue: Name of the operator of the catalogue it began with; empty for a
            template.
        left_out: Signatures that fit no case, with the reason.
    """

    spec: OperatorSpec
    from_catalogue: str
    left_out: tuple[str, ...]
    is_new: bool = True


def make_task(workload: Workload, operator: str, parent: Path) -> MadeTask:
    """Write `parent/<operator>` with the cases of the profile, unless it is there already.

    Args:
        workload: Where its shapes are from.
        operator: CANN's type, as the ranking shows it; `rms_norm` is `RmsNorm`.
        parent: Folder of operators, made when it is not there.

    Raises:
        SageError: There is no such operator, it has no shapes, or the folder holds
            something else.
    """
    groups = _usable(workload, operator)
    operator = groups[0].operator
    beginning = _of_catalogue(operator)
    task = None
    if beginning is not None:
        task = _from_catalogue(beginning, groups)
    name = beginning.name if task and beginning else operator
    if not _IDENTIFIER.fullmatch(name):
        raise SageError(
            "{name!r} is no operator's name.",
            "Only kernels of CANN's operators become tasks.",
            name=name,
        )
    texts, left_out = task or _template(operator, groups)
    texts[ORIGIN_FILE] = _origin(workload, operator, groups)
    folder = parent / name
    is_new = _write(folder, texts)
    began = beginning.name if task and beginning else ""
    return MadeTask(load_operator(folder), began, tuple(left_out), is_new)


def _write(folder: Path, texts: Mapping[str, str]) -> bool:
    """Write the files of a new folder; whether it was not there.

    Raises:
        SageError: It is there, and one of its files is another.
    """
    with writing_folder(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileExistsError as error:
            if _holds(folder, texts):
                return False
            raise SageError(
                "{folder} is there already, and is not what this profile makes.",
                "Add it to the queue as it is, or move it away and make the task again.",
                folder=folder,
            ) from error
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return True


def _holds(folder: Path, texts: Mapping[str, str]) -> bool:
    """Whether every file is in the folder, with this text."""
    for file, text in texts.items():
        path = folder / file
        if not path.is_file():
            return False
        if path.read_bytes() != text.encode("utf-8"):
            return False
    return True


def _usable(workload: Workload, operator: str) -> tuple[Group, ...]:
    """The signatures with shapes, the longest in a step first.

    Raises:
        SageError: There is no such operator, or none of its signatures has shapes.
    """
    spellings = {
        plain_name(group.operator): group.operator for group in workload.groups
    }
    groups = workload.of_operator(operator)
    if not groups and plain_name(operator) in spellings:
        groups = workload.of_operator(spellings[plain_name(operator)])
    if not groups:
        close = difflib.get_close_matches(operator, spellings.values(), cutoff=_ALIKE)
        remedy = Text("`sage workload rank --all` names all.")
        if close:
            remedy = Text("Did you mean {names}?", names=" or ".join(close))
        raise SageError(
            "The profile {workload} has no operator {operator!r}.",
            remedy,
            workload=workload.name,
            operator=operator,
        )
    listed = tuple(group for group in groups if group.inputs)
    if not listed:
        raise SageError(
            "The profile {name} has no shapes of {operator}, so there is nothing to make "
            "cases of.",
            "Profile again with profiler_level=Level1 and record_shapes=True.",
            name=workload.name,
            operator=operator,
        )
    return listed


@cache
def _names_of_catalogue() -> Mapping[str, str]:
    """CANN's type -> the operator of the catalogue that does the same."""
    file = resources.files("resources") / "baselines" / "operators.toml"
    kernels = tomllib.loads(file.read_text("utf-8"))["operators"]
    same: dict[str, str] = {}
    for name in operator_names():
        same[plain_name(name)] = name
    for name, kernel in kernels.items():
        same[plain_name(kernel)] = name
    return same


def _of_catalogue(operator: str) -> OperatorSpec | None:
    name = _names_of_catalogue().get(plain_name(operator))
    return catalogue_operator(name) if name else None


def _from_catalogue(
    beginning: OperatorSpec, groups: Sequence[Group]
) -> tuple[dict[str, str], list[str]] | None:
    """The folder of the catalogue with our cases; None where no signature fits it."""
    text = (beginning.folder / SPECIFICATION_FILE).read_text(encoding="utf-8")
    interface = beginning
    dtypes = {tensor.dtype for group in groups for tensor in group.inputs}
    if "bfloat16" in dtypes:
        text, interface = _with_bfloat16(text, beginning)
    fitting: list[Group] = []
    left_out: list[str] = []
    for group in groups:
        why = _misfit(interface, group.inputs)
        if not why:
            fitting.append(group)
            continue
        shapes = shape_text(group.inputs)
        left_out.append(f"{shapes}: {why}")
    if not fitting:
        return None
    origin = f'format = 1\nbenchmark = "{WORKLOAD}"\n'
    marked = _FORMAT_LINE.sub(origin, text, count=1)
    # The catalogue's cases are judged, but only the profile's sizes are timed.
    without_times = _TIMED.sub("", marked)
    untimed = _CASE_HEAD.sub("[[case]]\ntimed = false\n", without_times)
    cases = [_case_text(case, interface) for case in cases_of(fitting)]
    texts = {
        path: (beginning.folder / path).read_text(encoding="utf-8")
        for path in (REFERENCE_FILE, *beginning.files)
    }
    sections = [untimed.rstrip(), "", *cases]
    texts[SPECIFICATION_FILE] = "\n".join(sections)
    return texts, left_out


def _with_bfloat16(text: str, operator: OperatorSpec) -> tuple[str, OperatorSpec]:
    """The interface with a signature more, bfloat16 where one of them has float16.

    Models run in bfloat16, which many operators of the catalogue do not list; their
    references compute in float64 and do not mind.
    """
    tensors = (*operator.inputs, *operator.outputs)
    # By number: what is changed in place is an input and an output of one name.
    columns = dtype_columns(dict(enumerate(tensor.dtypes for tensor in tensors)))
    half = None
    for column in columns:
        if DType.BFLOAT16 in column.values():
            return text, operator
        if half is None and DType.FLOAT16 in column.values():
            half = column
    if half is None:
        return text, operator
    longer: list[TensorSpec] = []
    for index, tensor in enumerate(tensors):
        added = half[index]
        if added is DType.FLOAT16:
            added = DType.BFLOAT16
        # A tensor with one dtype has it in every signature, the new one included.
        is_alone = len(tensor.dtypes) == 1 and len(columns) > 1
        dtypes = tensor.dtypes
        if not is_alone or added is not dtypes[0]:
            dtypes = (*dtypes, added)
        if len(dtypes) not in (1, len(columns) + 1):
            return text, operator
        longer.append(replace(tensor, dtypes=dtypes))
    remaining = iter(longer)

    def dtypes_line(_match: re.Match[str]) -> str:
        dtypes = next(remaining).dtypes
        names = ", ".join(f'"{dtype.value}"' for dtype in dtypes)
        return f"dtypes = [{names}]"

    head, case, rest = text.partition("[[case]]")
    head = _DTYPES_LINE.sub(dtypes_line, head)
    note = "- Of this task also bfloat16, wherever float16 is named.\n"
    summary = _SUMMARY.search(head)
    if summary is not None:
        end = summary.end(1)
        head = head[:end] + note + head[end:]
    count = len(operator.inputs)
    inputs = tuple(longer[:count])
    outputs = tuple(longer[count:])
    return head + case + rest, replace(operator, inputs=inputs, outputs=outputs)


def _misfit(operator: OperatorSpec, tensors: Sequence[Tensor]) -> str:
    """Why a signature is no case of an operator of the catalogue; empty where it is one."""
    by_name = _tensors_by_name(operator.inputs, tensors)
    if by_name is None:
        return "other inputs than the catalogue's operator has"
    if any(attribute.default is None for attribute in operator.attributes):
        return "an attribute without a default, which no profile tells"
    kinds: dict[str, str] = {}
    for name, tensor in by_name.items():
        if tensor.format.startswith(_STORAGE):
            return "the shape of a storage format"
        kinds[name] = tensor.dtype
    offered = {
        tensor.name: tensor.dtypes
        for tensor in operator.inputs
        if tensor.name in by_name
    }
    # A dtype is a text too, so that a signature may be compared with names.
    if kinds in dtype_columns(offered):
        return ""
    return "data types that the catalogue's operator lacks"


def _tensors_by_name(
    interface: Sequence[TensorSpec], tensors: Sequence[Tensor]
) -> dict[str, Tensor] | None:
    """Tensors by the names of an interface; None where they do not fit it."""
    has_list = any(tensor.is_list for tensor in interface)
    if has_list or len(tensors) > len(interface):
        return None
    by_name = {}
    for index, tensor in enumerate(interface):
        listed = tensors[index] if index < len(tensors) else None
        if listed is not None and not listed.absent:
            by_name[tensor.name] = listed
        elif not tensor.optional:
            return None
    return by_name


def _case_text(case: CaseShape, operator: OperatorSpec) -> str:
    by_name = _tensors_by_name(operator.inputs, case.inputs) or {}
    # The first case with all of these inputs tells how the operator's data look.
    fills: Mapping[str, InputSpec] = {}
    for like in operator.cases:
        if by_name.keys() <= like.inputs.keys():
            fills = like.inputs
            break
    return _case(case, by_name, fills)


def _case(
    case: CaseShape,
    by_name: Mapping[str, Tensor],
    fills: Mapping[str, InputSpec],
) -> str:
    """A `[[case]]` of the specification.

    Args:
        case: Its name, calls and where it counts.
        by_name: Its inputs.
        fills: Inputs of a case of the catalogue, which tell how data are drawn.
    """
    lines = ["[[case]]"]
    if case.median_us and not case.derived:
        lines.append(f"# CANN's own: {case.median_us:.2f} us, from the profile")
    lines.append(f'name = "{case.name}"')
    if case.calls:
        calls = round(case.calls, 6)
        lines.append(f"calls = {calls:g}")
    if case.hidden:
        lines.append("hidden = true")
    if case.big:
        lines.append("big = true")
    if case.derived:
        lines.append("derived = true")
    for name, tensor in by_name.items():
        shape = list(tensor.shape)
        keys = [f"shape = {shape}", f'dtype = "{tensor.dtype}"']
        like = fills.get(name)
        if like is not None and like.dtype == tensor.dtype:
            keys += _fill(like.fill)
        elif tensor.dtype.startswith(("int", "uint")):
            # 0 and 1 are indices of any axis and numbers of any type.
            keys += _fill("integers(0,2)")
        key_list = ", ".join(keys)
        lines.append(f"inputs.{name} = {{ {key_list} }}")
    return "\n".join([*lines, ""])


def _fill(fill: str) -> list[str]:
    """A distribution that goes with any number of elements."""
    if fill in ("normal", "special") or fill.startswith("values("):
        return []
    return [f'fill = "{fill}"']


def _template(
    operator: str, groups: Sequence[Group]
) -> tuple[dict[str, str], list[str]]:
    """Interface and cases from the profile; the reference says what is to be written."""
    dtypes = {dtype.value for dtype in DType}
    first = groups[0]
    places = _present(first)
    fitting: list[Group] = []
    left_out: list[str] = []
    for group in groups:
        why = _unfit(first, group, places, dtypes)
        if not why:
            fitting.append(group)
            continue
        shapes = shape_text(group.inputs)
        left_out.append(f"{shapes}: {why}")
    if not fitting:
        raise SageError(
            "No case of {operator} can be made: {why}.",
            operator=operator,
            why=left_out[0],
        )
    input_count = len(places)
    input_names = [f"x{number}" for number in range(input_count)]
    output_names = [f"y{number}" for number in range(len(first.outputs) or 1)]
    # The data types of inputs, then of outputs; each combination once, the longest first.
    signatures: dict[tuple[str, ...], None] = {}
    for group in fitting:
        tensors = [*_at(group.inputs, places), *group.outputs]
        signatures[tuple(tensor.dtype for tensor in tensors)] = None
    interface = []
    for number, name in enumerate([*input_names, *output_names]):
        kind = "input" if number < input_count else "output"
        column = [signature[number] for signature in signatures]
        interface.append(_tensor(kind, name, column))
    cases = []
    for case in cases_of(fitting):
        present = _at(case.inputs, places)
        by_name = dict(zip(input_names, present, strict=True))
        cases.append(_case(case, by_name, {}))
    head = [
        "# Made of a profile: shapes, data types and calls are those of the model. To be written",
        "# by you: the summary and reference.py; attributes and ranges no profile tells.",
        "format = 1",
        f'name = "{operator}"',
        "level = 0",
        'category = "Other"',
        f'benchmark = "{WORKLOAD}"',
        'rule = "mixed"',
        f"summary = '''\n{_summary(operator, fitting)}\n'''",
        'lacks.zero_size = "the model has no empty tensor"',
        'lacks.non_contiguous = "a profile does not tell strides"',
        "",
    ]
    parameters = ", ".join(input_names)
    results = ", ".join(output_names)
    reference = (
        f'"""PyTorch definition of {operator}: to be written.\n\n'
        "Floating inputs arrive as float64; the result is rounded once. Several outputs are\n"
        'returned as a tuple.\n"""\n\n\n'
        f"def reference({parameters}):\n"
        f'    """Return {results}."""\n'
        f'    raise NotImplementedError("write what {operator} computes")\n'
    )
    specification = "\n".join([*head, *interface, *cases])
    return {SPECIFICATION_FILE: specification, REFERENCE_FILE: reference}, left_out


def _summary(operator: str, groups: Sequence[Group]) -> str:
    """What a template says of its operator: how a model calls it, in `_MOST_SHOWN` lines at most."""
    lines = [f"CANN's {operator}, as a model calls it. Say here what it computes.", ""]
    for group in groups[:_MOST_SHOWN]:
        calls = calls_text(group.calls)
        inputs = shape_text(group.inputs)
        outputs = shape_text(group.outputs) or "what the profile does not list"
        lines.append(f"- {calls}: {inputs} to {outputs}")
    return "\n".join(lines)


def _present(group: Group) -> list[int]:
    """Places of the inputs that a call did not leave out."""
    return [at for at, tensor in enumerate(group.inputs) if not tensor.absent]


def _at(tensors: Sequence[Tensor], places: Sequence[int]) -> list[Tensor]:
    return [tensors[at] for at in places]


def _unfit(first: Group, group: Group, places: Sequence[int], dtypes: set[str]) -> str:
    """Why a signature is no case of a template made for `first`."""
    has_same_outputs = len(group.outputs) == len(first.outputs)
    if not has_same_outputs or _present(group) != list(places):
        return "other tensors than the signature that takes longest"
    tensors = [*_at(group.inputs, places), *group.outputs]
    for tensor in tensors:
        if tensor.dtype not in dtypes:
            return f"{tensor.dtype or 'a type that is not listed'} cannot be judged"
        if tensor.format.startswith(_STORAGE):
            return f"the shape of the storage format {tensor.format}"
    return ""


def _tensor(kind: str, name: str, dtypes: Sequence[str]) -> str:
    texts = ", ".join(f'"{dtype}"' for dtype in dtypes)
    return f'[[{kind}]]\nname = "{name}"\ndtypes = [{texts}]\n'


def _origin(workload: Workload, operator: str, groups: Sequence[Group]) -> str:
    """Where the cases are from, and what CANN's own operator takes for them."""
    record = {
        "workload": workload.name,
        "operator": operator,
        "processor": PROCESSOR_SEPARATOR.join(workload.parts),
        "versions": workload.versions,
        "sources": [source.sha256 for source in workload.sources],
        "groups": [_group_record(group) for group in groups],
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _group_record(group: Group) -> dict[str, object]:
    present = _at(group.inputs, _present(group))
    return {
        "shapes": [list(tensor.shape) for tensor in present],
        "dtype": group.inputs[0].dtype,
        "result": group.outputs[0].dtype if group.outputs else "",
        "calls": group.calls,
        "microseconds": group.median_us,
    }
