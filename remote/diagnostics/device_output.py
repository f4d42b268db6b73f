"""What a kernel printed: dumps of DumpTensor and DumpAccChkPoint, and the lines of printf around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text import Text
from remote.diagnostics.tool_output import UnreadableOutput

_HEAD = re.compile(r"^\s*(?P<call>DumpTensor|DumpAccChkPoint):\s*(?P<fields>.*)$")
_FIELD = re.compile(r"(\w+)\s*=\s*([^,\s]+)")
_CORE = re.compile(r"DumpHead:\s*(\w+)-(\d+)")
_SHORT = re.compile(r"data is not enough")
_SHAPE = re.compile(r"shape is \[([\d,\s]*)\]")
_TOKENS = re.compile(
    r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)|\[|\]", re.IGNORECASE
)


@dataclass(frozen=True)
class TensorDump:
    """One dump of a tensor.

    Attributes:
        call: `DumpTensor` or `DumpAccChkPoint`.
        desc: The number the kernel gave the dump, -1 when none is printed.
        dtype: e.g. `float16`.
        position: Memory, e.g. `UB`, `GM`.
        address: Address as printed.
        values: The values, in the order of memory.
        shape: Shape as printed, empty for a flat dump.
        complete: False when the device had less data than the shape asks for.
        core: Core as printed before the dump, e.g. `AIV-0`; empty when not printed.
        line: 1-based line of the output.
    """

    call: str
    desc: int
    dtype: str
    position: str
    address: str
    values: tuple[float, ...]
    shape: tuple[int, ...] = ()
    complete: bool = True
    core: str = ""
    line: int = 0


@dataclass(frozen=True)
class DeviceOutput:
    """The dumps of a run and the other lines, in order."""

    dumps: tuple[TensorDump, ...]
    printed: tuple[str, ...]


def read_device_output(
    text: str, source: str = "the output of the kernel"
) -> DeviceOutput:
    """The dumps and printed lines in the output of a run; text without dumps is all printed lines.

    Raises:
        UnreadableOutput: A dump's header has no values after it, or its brackets do not close.
    """
    lines = text.splitlines()
    dumps: list[TensorDump] = []
    printed: list[str] = []
    core = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        on_core = _CORE.search(line)
        if on_core:
            core = f"{on_core[1]}-{on_core[2]}"
        head = _HEAD.match(line)
        if head:
            dump, index = _dump(head, lines, index, core, source)
            dumps.append(dump)
            continue
        if line.strip() and not on_core:
            printed.append(line)
        index += 1
    return DeviceOutput(tuple(dumps), tuple(printed))


def _dump(
    head: re.Match[str], lines: list[str], start: int, core: str, source: str
) -> tuple[TensorDump, int]:
    """The dump whose header is line `start`, and the index of the line after it."""
    fields = dict(_FIELD.findall(head["fields"]))
    shape, complete, index = _shape_lines(lines, start + 1)
    values, index, fault = _bracketed_values(lines, index)
    if fault:
        reason = Text(
            "the dump in line {start} is incomplete: {what}",
            start=start + 1,
            what=fault,
        )
        raise UnreadableOutput(
            source,
            reason,
            "Dump fewer elements: the device keeps about 1 MB for each core.",
        )
    # Some versions print the shape behind the values.
    shape_behind = _SHAPE.search(lines[index]) if index < len(lines) else None
    if shape_behind:
        shape = _sizes(shape_behind)
        complete = complete and not _SHORT.search(lines[index])
        index += 1
    desc = fields.get("desc", "")
    dump = TensorDump(
        call=head["call"],
        desc=int(desc) if desc.isdigit() else -1,
        dtype=fields.get("data_type", ""),
        position=fields.get("position", ""),
        address=fields.get("addr", ""),
        values=tuple(values),
        shape=shape,
        complete=complete,
        core=core,
        line=start + 1,
    )
    return dump, index


def _sizes(shape_line: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(size) for size in shape_line[1].split(",") if size.strip())


def _shape_lines(lines: list[str], index: int) -> tuple[tuple[int, ...], bool, int]:
    """The shape printed before the values, whether the data was enough, the index of what follows."""
    shape: tuple[int, ...] = ()
    complete = True
    while index < len(lines) and not lines[index].lstrip().startswith("["):
        shape_line = _SHAPE.search(lines[index])
        if shape_line:
            shape = _sizes(shape_line)
            complete = complete and not _SHORT.search(lines[index])
        elif lines[index].strip():
            break
        index += 1
    return shape, complete, index


def _bracketed_values(lines: list[str], index: int) -> tuple[list[float], int, str]:
    """The numbers between brackets, the index of the line after them, and what is missing, if anything."""
    values: list[float] = []
    if index >= len(lines) or not lines[index].lstrip().startswith("["):
        return values, index, "no values follow it"
    depth = 0
    opened = False
    while index < len(lines) and (depth or not opened):
        for word in _TOKENS.findall(lines[index]):
            if word == "[":
                depth += 1
                opened = True
            elif word == "]":
                depth -= 1
            else:
                values.append(float(word))
        index += 1
    return values, index, "its brackets do not close" if depth else ""
