"""What a candidate's programs answered, checked before anybody believes it.

The tiling program says what op_host decided, the kernel program what the launch did. Both are written in a
process the candidate's code ran in, so every field is checked for type, size and range; an answer that is not
of the agreed form is none, and the candidate's fault.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.evaluation.records import Finding, LineTimes, PipeTimes, Severity

_Item = TypeVar("_Item")
MOST_TILING = 64 << 10  # bytes of tiling data
MOST_BLOCKS = 65535
MOST_WORKSPACE = 1 << 40
_MOST_FINDINGS = 1000
_MOST_FROM_OP_HOST = 64  # findings
_MOST_TEXT = 1 << 20
_MOST_MESSAGE = 4000  # characters of a finding's text
_MOST_NAME = 400  # characters of a file or call
_MOST_RANK = 64  # dimensions of a shape
_MOST_ITEMS = 1 << 16
_MOST_ELEMENTS = 1 << 40
# Rules that the tiling program has. They are told of hidden cases too, so that no others are taken.
_RULES_OF_OP_HOST = frozenset(
    {
        "contiguity",
        "crash",
        "device-memory-on-host",
        "dtype-support",
        "exception",
        "host-work",
        "infer-shape",
        "infer-type",
        "memory-limit",
        "operator-definition",
        "tiling-failed",
        "value-depend",
    }
)
_FINDING_TEXTS = ("rule", "message", "file", "call", "tensor", "limit", "link")
_CORE_TIMES = (
    "total_cycles",
    "scalar",
    "vector",
    "mte1",
    "mte2",
    "mte3",
    "cube",
    "fixpipe",
)
_NUMBERS, _MOST_REAL = (float, int), sys.float_info.max  # a bool is neither
_MOST_LINES = 16  # of a core
_MOST_FILES, _MOST_LINE = 64, 1 << 16
_PIPES = frozenset(_CORE_TIMES) - {"total_cycles"}
_CORE_WORK = ("gm_read", "gm_written", "vector_ops", "cube_ops", "gm_rate")


@dataclass(frozen=True)
class Launch:
    """What one launch of a kernel did, as its program reports it."""

    completed: bool
    unmodelled: bool
    bound: str
    printed: str
    cores: tuple[PipeTimes, ...]
    clock_mhz: float
    launch_us: float
    modelled_us: float
    together: bool = False
    # What its scalar units read may depend on the order of its cores.
    unordered: bool = False
    own_work_s: float = 0.0  # CPU seconds that its calls and scalar work explain
    # What its blocks turned out to run on, after the kernel was told values: cube cores,
    # vector cores, whether they are scheduled, the source. Empty where nothing changed.
    starts_again: tuple[int, ...] = ()
    # File -> its lines that made a call.
    ran: Mapping[str, frozenset[int]] = field(default_factory=dict)
    # Input -> number of a tensor in its list -> ranges of its bytes that no core read.
    unread: Mapping[str, Mapping[int, tuple[tuple[int, int], ...]]] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class Inferred:
    """Shape and dtype of an output, as InferShape and InferDataType or the kernel itself give them."""

    has_shape: bool
    shape: tuple[int, ...]
    dtype: str
    by_kernel: bool = False


class Malformed(Exception):
    """An answer that is not of the agreed form; the text says what is wrong with it."""


@dataclass(frozen=True)
class Parameter:
    """What the definition says of an input or output, as far as the launch depends on it."""

    is_list: bool
    is_contiguous: bool
    shape_by_kernel: bool


@dataclass(frozen=True)
class MadeOutput:
    """What an output needs before the launch: elements of room, and the bytes of the value it starts with."""

    room: int
    initial: bytes


@dataclass(frozen=True)
class TilingAnswer:
    """What op_host decided about one call; `done` when it came to its end."""

    done: bool
    log: str
    findings: list[Finding]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    made: tuple[MadeOutput, ...]
    inferred: tuple[Inferred, ...]
    block_dim: int
    tiling_key: int
    tiling: bytes
    workspaces: tuple[int, ...]


@dataclass(frozen=True)
class KernelAnswer:
    """What a launch did: its findings, and the record of the launch as it goes into the result."""

    findings: list[Finding]
    launch: Launch


def read_tiling(data: bytes) -> TilingAnswer:
    """The answer of the tiling program.

    Raises:
        Malformed: It has another form, or numbers no program of ours writes.
    """
    table = _table(_json(data), "answer")
    done = _text(table, "phase") == "done"
    return TilingAnswer(
        done=done,
        log=_text(table, "log"),
        findings=_findings_of_op_host(table),
        inputs=_each(table, "inputs", _parameter),
        outputs=_each(table, "outputs", _parameter),
        made=_each(table, "made", _made_output),
        inferred=_each(table, "inferred", _inferred),
        block_dim=_whole(table, "block_dim", 0, (1 << 32) - 1),
        tiling_key=_key(table),
        tiling=_bytes(table, "tiling", MOST_TILING),
        workspaces=_each(
            table,
            "workspaces",
            lambda item: _number(item, "workspaces", 0, MOST_WORKSPACE),
        ),
    )


def read_kernel(data: bytes) -> KernelAnswer:
    """The answer of the kernel program.

    Raises:
        Malformed: It has another form, or a time that is not finite and positive.
    """
    table = _table(_json(data), "answer")
    launch_table = _table(table.get("launch"), "launch")
    launch = Launch(
        _flag(launch_table, "completed"),
        _flag(launch_table, "unmodelled"),
        _text(launch_table, "bound"),
        _text(launch_table, "printed"),
        _each(launch_table, "cores", _core),
        _real(launch_table, "clock_mhz"),
        _real(launch_table, "launch_us"),
        _real(launch_table, "modelled_us"),
        _flag(launch_table, "together"),
        _flag(launch_table, "unordered"),
        _real(launch_table, "own_work_s"),
        _each(
            launch_table,
            "starts_again",
            lambda part: _number(part, "starts_again", 0, 5),
        ),
        _ran(launch_table),
        _unread(launch_table),
    )
    if launch.completed and not 0 < launch.launch_us <= launch.modelled_us:
        raise Malformed(
            f"a launch of {launch.modelled_us:g} us, {launch.launch_us:g} of them to start"
        )
    return KernelAnswer(_findings(table), launch)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON" if data else "nothing") from error


def _no_constant(text: str) -> float:
    raise ValueError(text)


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"{name} is no table")
    return value


def _text(table: dict[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str):
        raise Malformed(f"{name} is no text")
    return _whole_characters(value[:_MOST_TEXT])


def _whole_characters(text: str) -> str:
    """The text without halves of characters, which JSON can spell and nothing can store."""
    return text.encode("utf-8", "replace").decode()


def _flag(table: dict[str, Any], name: str) -> bool:
    value = table.get(name)
    if not isinstance(value, bool):
        raise Malformed(f"{name} is neither true nor false")
    return value


def _number(value: Any, name: str, least: int, most: int) -> int:
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not least <= value <= most
    ):
        raise Malformed(f"{name} is no whole number from {least} to {most}")
    return value


def _whole(table: dict[str, Any], name: str, least: int, most: int) -> int:
    return _number(table.get(name), name, least, most)


def _real(table: dict[str, Any], name: str) -> float:
    value = table.get(name)
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not math.isfinite(value)
        or value < 0
    ):
        raise Malformed(f"{name} is no finite number from 0 on")
    return float(value)


def _key(table: dict[str, Any]) -> int:
    text = _text(table, "tiling_key")
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise Malformed("tiling_key is no whole number")
    return _number(int(text), "tiling_key", 0, (1 << 64) - 1)


def _bytes(table: dict[str, Any], name: str, most: int) -> bytes:
    text = _text(table, name)
    try:
        data = bytes.fromhex(text)
    except ValueError as error:
        raise Malformed(f"{name} is not in hexadecimal") from error
    if len(data) > most:
        raise Malformed(f"{name} has {len(data)} bytes, more than {most}")
    return data


def _each(
    table: dict[str, Any], name: str, read: Callable[[Any], _Item]
) -> tuple[_Item, ...]:
    value = table.get(name)
    if not isinstance(value, list) or len(value) > _MOST_ITEMS:
        raise Malformed(f"{name} is no list of at most {_MOST_ITEMS}")
    return tuple(read(item) for item in value)


def _parameter(item: Any) -> Parameter:
    table = _table(item, "parameter")
    return Parameter(
        _flag(table, "is_list"),
        _flag(table, "is_contiguous"),
        _flag(table, "shape_by_kernel"),
    )


def _made_output(item: Any) -> MadeOutput:
    table = _table(item, "made")
    return MadeOutput(
        _whole(table, "room", 0, _MOST_ELEMENTS), _bytes(table, "initial", 16)
    )


def _inferred(item: Any) -> Inferred:
    table = _table(item, "inferred")
    shape = _each(
        table, "shape", lambda dim: _number(dim, "shape", -(1 << 63), (1 << 63) - 1)
    )
    if len(shape) > _MOST_RANK:
        raise Malformed(f"a shape has more than {_MOST_RANK} dimensions")
    return Inferred(
        _flag(table, "has_shape"), shape, _text(table, "dtype")[:_MOST_NAME]
    )


def _core(item: Any) -> PipeTimes:
    table = _table(item, "core")
    times: dict[str, Any] = {
        name: table.get(name) for name in (*_CORE_TIMES, *_CORE_WORK)
    }
    if not all(
        type(value) in _NUMBERS and 0 <= value <= _MOST_REAL for value in times.values()
    ):
        raise Malformed("times or work of a core are no finite numbers from 0 on")
    unit = _text(table, "unit")
    if unit not in ("aic", "aiv"):
        raise Malformed("unit of a core is neither aic nor aiv")
    lines = _each(table, "lines", _line)
    if len(lines) > _MOST_LINES:
        raise Malformed(f"a core has more than {_MOST_LINES} lines")
    ranked = tuple(sorted(lines, key=lambda line: -line.cycles))
    number = _whole(table, "core", 0, MOST_BLOCKS)
    return PipeTimes(number, unit=unit, lines=ranked, **times)


def _line(item: Any) -> LineTimes:
    table = _table(item, "line")
    pipe = _text(table, "pipe")
    if pipe not in _PIPES:
        raise Malformed("pipe of a line is unknown")
    return LineTimes(
        _text(table, "file")[:_MOST_NAME],
        _whole(table, "line", 0, 1 << 31),
        _text(table, "call")[:_MOST_NAME],
        pipe,
        _whole(table, "calls", 0, 1 << 62),
        _real(table, "cycles"),
        _real(table, "bytes"),
        _real(table, "lanes"),
        idle=_real(table, "idle"),
        held=_real(table, "held"),
        blocked=_real(table, "blocked"),
    )


def _ran(table: dict[str, Any]) -> dict[str, frozenset[int]]:
    files = _table(table.get("ran"), "ran")
    if len(files) > _MOST_FILES:
        raise Malformed(f"calls were made in more than {_MOST_FILES} files")

    def line(item: Any) -> int:
        return _number(item, "ran", 1, _MOST_LINE)

    return {
        _whole_characters(file[:_MOST_NAME]): frozenset(_each(files, file, line))
        for file in files
    }


def _unread(
    launch_table: dict[str, Any],
) -> dict[str, dict[int, tuple[tuple[int, int], ...]]]:
    unread: dict[str, dict[int, tuple[tuple[int, int], ...]]] = {}
    for table in _each(launch_table, "unread", lambda item: _table(item, "unread")):
        bounds = _each(
            table, "bounds", lambda at: _number(at, "bounds", 0, _MOST_ELEMENTS)
        )
        ranges = tuple(zip(bounds[::2], bounds[1::2], strict=False))
        number = _whole(table, "number", 0, _MOST_ITEMS)
        unread.setdefault(_text(table, "tensor"), {})[number] = ranges
    return unread


def _findings(table: dict[str, Any]) -> list[Finding]:
    rows: Sequence[Any] = table.get("findings", ())
    if not isinstance(rows, list) or len(rows) > _MOST_FINDINGS:
        raise Malformed(f"findings are no list of at most {_MOST_FINDINGS}")
    return [_finding(item) for item in rows]


def _findings_of_op_host(table: dict[str, Any]) -> list[Finding]:
    findings = _findings(table)
    if len(findings) > _MOST_FROM_OP_HOST:
        raise Malformed(f"op_host has more than {_MOST_FROM_OP_HOST} findings")
    for finding in findings:
        if finding.rule not in _RULES_OF_OP_HOST or finding.file:
            raise Malformed("a finding of op_host has a rule or place of its own")
    return findings


def _finding(item: Any) -> Finding:
    table = _table(item, "finding")
    try:
        severity = Severity(_text(table, "severity"))
    except ValueError:
        raise Malformed("severity of a finding is unknown") from None
    return Finding(
        **{name: _text(table, name)[:_MOST_MESSAGE] for name in _FINDING_TEXTS},
        severity=severity,
        line=_whole(table, "line", -(1 << 31), 1 << 31),
        core=_whole(table, "core", -1, MOST_BLOCKS),
        count=_whole(table, "count", 1, 1 << 62),
    )
