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
        if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
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
    text = (resources.files("resources") / "baselines" / "operators.toml").read_text(
        "utf-8"
    )
    same: dict[str, str] = {plain_name(name): name for name in operator_names()}
    kernels = tomllib.loads(text)["operators"]
    same |= {plain_name(kernel): name for name, kernel in kernels.items()}
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
    if any(tensor.dtype == "bfloat16" for group in groups for tensor in group.inputs):
        text, interface = _with_bfloat16(text, beginning)
    fitting: list[Group] = []
    left_out: list[str] = []
    for group in groups:
        why = _misfit(interface, group.inputs)
        if why:
            left_out.append(f"{shape_text(group.inputs)}: {why}")
        else:
            fitting.append(group)
    if not fitting:
        return None
    head = _FORMAT_LINE.sub(f'format = 1\nbenchmark = "{WORKLOAD}"\n', text, count=1)
    untimed = _CASE_HEAD.sub("[[case]]\ntimed = false\n", _TIMED.sub("", head))
    cases = [_case_text(case, interface) for case in cases_of(fitting)]
    texts = {
        path: (beginning.folder / path).read_text(encoding="utf-8")
        for path in (REFERENCE_FILE, *beginning.files)
    }
    texts[SPECIFICATION_FILE] = "\n".join([untimed.rstrip(), "", *cases])
    return texts, left_out


def _with_bfloat16(text: str, operator: OperatorSpec) -> tuple[str, OperatorSpec]:
    """The interface with a signature more, bfloat16 where one of them has float16.

    Models run in bfloat16, which many operators of the catalogue do not list; their
    references compute in float64 and do not mind.
    """
    tensors = (*operator.inputs, *operator.outputs)
    columns = dtype_columns({index: one.dtypes for index, one in enumerate(tensors)})
    if any(DType.BFLOAT16 in column.values() for column in columns):
        return text, operator
    half = next((one for one in columns if DType.FLOAT16 in one.values()), None)
    if half is None:
        return text, operator
    twins = {DType.FLOAT16: DType.BFLOAT16}
    added = {index: twins.get(dtype, dtype) for index, dtype in half.items()}
    is_alone = [len(one.dtypes) == 1 and len(columns) > 1 for one in tensors]
    longer = [
        one
        if is_alone[index] and added[index] is one.dtypes[0]
        else replace(one, dtypes=(*one.dtypes, added[index]))
        for index, one in enumerate(tensors)
    ]
    if any(len(one.dtypes) not in (1, len(columns) + 1) for one in longer):
        return text, operator
    numbers = iter(range(len(tensors)))

    def listed(_match: re.Match[str]) -> str:
        index = next(numbers)
        names = ", ".join(f'"{dtype.value}"' for dtype in longer[index].dtypes)
        return f"dtypes = [{names}]"

    head, case, rest = text.partition("[[case]]")
    head = _DTYPES_LINE.sub(listed, head)
    note = "- Of this task also bfloat16, wherever float16 is named.\n"
    head = _SUMMARY.sub(lambda match: f"{match[1]}{note}{match[2]}", head, count=1)
    count = len(operator.inputs)
    wider = replace(
        operator, inputs=tuple(longer[:count]), outputs=tuple(longer[count:])
    )
    return head + case + rest, wider


def _misfit(operator: OperatorSpec, tensors: Sequence[Tensor]) -> str:
    """Why a signature is no case of an operator of the catalogue; empty where it is one."""
    by_name = _tensors_by_name(operator.inputs, tensors)
    if by_name is None:
        return "other inputs than the catalogue's operator has"
    if any(attribute.default is None for attribute in operator.attributes):
        return "an attribute without a default, which no profile tells"
    if any(tensor.format.startswith(_STORAGE) for tensor in by_name.values()):
        return "the shape of a storage format"
    offered = {
        tensor.name: tensor.dtypes
        for tensor in operator.inputs
        if tensor.name in by_name
    }
    kinds = {name: tensor.dtype for name, tensor in by_name.items()}
    columns = [
        {name: str(dtype) for name, dtype in column.items()}
        for column in dtype_columns(offered)
    ]
    return "" if kinds in columns else "data types that the catalogue's operator lacks"


def _tensors_by_name(
    interface: Sequence[TensorSpec], tensors: Sequence[Tensor]
) -> dict[str, Tensor] | None:
    """Tensors by the names of an interface; None where they do not fit it."""
    if len(tensors) > len(interface) or any(tensor.is_list for tensor in interface):
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
    like = next(
        (one for one in operator.cases if set(one.inputs) >= set(by_name)), None
    )
    fills = like.inputs if like is not None else {}
    return _case(case, by_name, fills)


def _case(
    case: CaseShape, by_name: Mapping[str, Tensor], fills: Mapping[str, InputSpec]
) -> str:
    lines = ["[[case]]", f'name = "{case.name}"']
    if case.calls:
        lines.append(f"calls = {round(case.calls, 6):g}")
    lines += ["hidden = true"] if case.hidden else []
    lines += ["big = true"] if case.big else []
    lines += ["derived = true"] if case.derived else []
    if case.median_us and not case.derived:
        lines.insert(1, f"# CANN's own: {case.median_us:.2f} us, from the profile")
    for name, tensor in by_name.items():
        like = fills.get(name)
        keys = [f"shape = {list(tensor.shape)}", f'dtype = "{tensor.dtype}"']
        if like is not None and like.dtype == tensor.dtype:
            keys += _fill(like.fill)
        elif tensor.dtype.startswith(("int", "uint")):
            keys += _fill("integers(0,2)")
        lines.append(f"inputs.{name} = {{ {', '.join(keys)} }}")
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
    places = [at for at, tensor in enumerate(first.inputs) if not tensor.absent]
    fitting, left_out = [], []
    for group in groups:
        why = _unfit(first, group, places, dtypes)
        if why:
            left_out.append(f"{shape_text(group.inputs)}: {why}")
        else:
            fitting.append(group)
    if not fitting:
        raise SageError(
            "No case of {operator} can be made: {why}.",
            operator=operator,
            why=left_out[0],
        )
    names = {at: f"x{number}" for number, at in enumerate(places)}
    signatures = list(
        dict.fromkeys(
            tuple(
                tensor.dtype for tensor in (*_at(group.inputs, places), *group.outputs)
            )
            for group in fitting
        )
    )
    inputs = [
        _tensor("input", names[at], [row[number] for row in signatures])
        for number, at in enumerate(places)
    ]
    outputs = [
        _tensor(
            "output", f"y{number}", [row[len(places) + number] for row in signatures]
        )
        for number in range(len(first.outputs) or 1)
    ]
    cases = []
    for case in cases_of(fitting):
        by_name = {names[at]: case.inputs[at] for at in places}
        cases.append(_case(case, by_name, {}))
    shapes = [
        f"- {calls_text(group.calls)}: {shape_text(group.inputs)} to "
        f"{shape_text(group.outputs) or 'what the profile does not list'}"
        for group in fitting[:12]
    ]
    summary = "\n".join(
        [
            f"CANN's {operator}, as a model calls it. Say here what it computes.",
            "",
            *shapes,
        ]
    )
    head = [
        "# Made of a profile: shapes, data types and calls are those of the model. To be written",
        "# by you: the summary and reference.py; attributes and ranges no profile tells.",
        "format = 1",
        f'name = "{operator}"',
        "level = 0",
        'category = "Other"',
        f'benchmark = "{WORKLOAD}"',
        'rule = "mixed"',
        f"summary = '''\n{summary}\n'''",
        'lacks.zero_size = "the model has no empty tensor"',
        'lacks.non_contiguous = "a profile does not tell strides"',
        "",
    ]
    names_text = ", ".join(names.values())
    results = ", ".join(f"y{number}" for number in range(len(first.outputs) or 1))
    reference = (
        f'"""PyTorch definition of {operator}: to be written.\n\n'
        "Floating inputs arrive as float64; the result is rounded once. Several outputs are\n"
        'returned as a tuple.\n"""\n\n\n'
        f"def reference({names_text}):\n"
        f'    """Return {results}."""\n'
        f'    raise NotImplementedError("write what {operator} computes")\n'
    )
    specification = "\n".join([*head, *inputs, *outputs, *cases])
    return {SPECIFICATION_FILE: specification, REFERENCE_FILE: reference}, left_out


def _at(tensors: Sequence[Tensor], places: Sequence[int]) -> list[Tensor]:
    return [tensors[at] for at in places]


def _unfit(first: Group, group: Group, places: Sequence[int], dtypes: set[str]) -> str:
    """Why a signature is no case of a template made for `first`."""
    own = [at for at, tensor in enumerate(group.inputs) if not tensor.absent]
    if own != list(places) or len(group.outputs) != len(first.outputs):
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
        "groups": [
            {
                "shapes": [
                    list(tensor.shape) for tensor in group.inputs if not tensor.absent
                ],
                "dtype": group.inputs[0].dtype,
                "result": group.outputs[0].dtype if group.outputs else "",
                "calls": group.calls,
                "microseconds": group.median_us,
            }
            for group in groups
        ],
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"
