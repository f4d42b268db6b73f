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
    shape: tuple[int, ...] = ()
    complete = True
    index = start + 1
    while index < len(lines) and not lines[index].lstrip().startswith("["):
        size_line = _SHAPE.search(lines[index])
        if size_line is None and lines[index].strip():
            break
        if size_line:
            shape = tuple(int(size) for size in size_line[1].split(",") if size.strip())
            complete = complete and not _SHORT.search(lines[index])
        index += 1
    values: list[float] = []
    depth = 0
    opened = False
    while index < len(lines) and (depth or not opened):
        if not opened and not lines[index].lstrip().startswith("["):
            break
        for part in _TOKENS.findall(lines[index]):
            if part in "[]":
                depth += 1 if part == "[" else -1
                opened = True
            else:
                values.append(float(part))
        index += 1
    if not opened or depth:
        what = "its brackets do not close" if opened else "no values follow it"
        reason = Text(
            "the dump in line {start} is incomplete: {what}", start=start + 1, what=what
        )
        raise UnreadableOutput(
            source,
            reason,
            "Dump fewer elements: the device keeps about 1 MB for each core.",
        )
    if index < len(lines) and _SHAPE.search(lines[index]):
        size_line = _SHAPE.search(lines[index])
        shape = (
            tuple(int(size) for size in size_line[1].split(",") if size.strip())
            if size_line
            else shape
        )
        complete = complete and not _SHORT.search(lines[index])
        index += 1
    desc = fields.get("desc", "")
    return TensorDump(
        head["call"],
        int(desc) if desc.isdigit() else -1,
        fields.get("data_type", ""),
        fields.get("position", ""),
        fields.get("addr", ""),
        tuple(values),
        shape,
        complete,
        core,
        start + 1,
    ), index
