"""`npu-smi info` as data: logical devices, their health, and the processes on them.

Rows are split at `|` and read by what they hold, not by columns: paddings differ between versions. Fits the
tables of 910B (one chip a card), of 910C / Ascend910_93 (two dies a card, with a physical id), and the one
without HBM, as npu-smi 23 to 25 print them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

_CARD = re.compile(
    r"^\|\s*(\d+)\s+(\S+)\s*\|\s*(\S+)\s*\|\s*([\d.]+|-|NA)\s+(\d+|NA|-)\s+(\d+)\s*/\s*(\d+)\s*\|"
)
_CHIP = re.compile(
    r"^\|\s*(\d+)(?:\s+(\d+))?\s*\|\s*([0-9A-Fa-f:.]+|NA)\s*\|\s*(\d+)\s+(\d+)\s*/\s*(\d+)"
    r"(?:\s+(\d+)\s*/\s*(\d+))?\s*\|"
)
# Some versions print a cell with the process id inside its container before the name.
_PROCESS = re.compile(
    r"^\|\s*(\d+)(?:\s+(\d+))?\s*\|\s*(\d+)\s*\|(?:\s*\d+\s*\|)?\s*([^|]*?)\s*\|\s*(\d+)\s*\|"
)
_VERSION = re.compile(r"npu-smi\s+(\S+)\s+Version:\s*(\S+)")

_LONGEST_LINE = 1000  # characters; the table is 80 wide


@dataclass(frozen=True)
class NpuProcess:
    """A process on a device; `name` may be empty, as npu-smi leaves it. Memory in MB."""

    pid: int
    name: str
    memory_mb: int


@dataclass(frozen=True)
class Npu:
    """A logical device: what ASCEND_RT_VISIBLE_DEVICES counts.

    Attributes:
        device: Logical id; a die of a 910C has one of its own.
        card: NPU number, shared by the dies of a card.
        chip: Chip number on the card.
        name: As printed, e.g. `910B3` or `Ascend910`.
        health: As printed: OK, Warning, Alarm, Critical, UNKNOWN.
        temperature: Degrees Celsius, None where not told.
        busy_percent: AI core usage.
        memory_mb: Used and whole device memory (HBM where there is any).
        processes: Who uses it.
    """

    device: int
    card: int
    chip: int
    name: str
    health: str
    temperature: int | None
    busy_percent: int
    memory_mb: tuple[int, int]
    processes: tuple[NpuProcess, ...] = ()

    @property
    def soc(self) -> str:
        """Processor name as CANN spells it where the table tells it; a 910C shows only `Ascend910`."""
        return self.name if self.name.startswith("Ascend") else f"Ascend{self.name}"


@dataclass(frozen=True)
class NpuTable:
    """All devices of a machine. `problem` says why there are none, or fewer than cards were named."""

    version: str = ""
    devices: tuple[Npu, ...] = ()
    problem: str = ""

    @property
    def cards(self) -> Mapping[int, tuple[int, ...]]:
        """Card -> its logical devices."""
        dies: dict[int, tuple[int, ...]] = {}
        for npu in self.devices:
            dies[npu.card] = (*dies.get(npu.card, ()), npu.device)
        return dies


def read_npu_smi(text: str) -> NpuTable:
    """Read the output of `npu-smi info`; text that is no table gives a table with a problem."""
    version = _VERSION.search(text)
    devices: list[Npu] = []
    processes: dict[tuple[int, int], list[NpuProcess]] = {}
    card: re.Match[str] | None = None
    broken: list[str] = []
    in_processes = False
    for line in (line for line in text.splitlines() if len(line) <= _LONGEST_LINE):
        if "Process id" in line:
            in_processes = True
        elif in_processes:
            if row := _PROCESS.match(line):
                key = (int(row[1]), int(row[2] or 0))
                processes.setdefault(key, []).append(
                    NpuProcess(int(row[3]), row[4], int(row[5]))
                )
        elif row := _CARD.match(line):
            if card is not None:
                broken.append(card[1])
            card = row
        elif card is not None and (row := _CHIP.match(line)):
            devices.append(_device(card, row, len(devices) + len(broken)))
            card = None
    if card is not None:
        broken.append(card[1])
    # Other devices of the table stay usable, so a broken row is a problem and no error.
    problem = f"the second line of NPU {', '.join(broken)} is missing" if broken else ""
    with_processes = []
    for npu in devices:
        on_chip = tuple(processes.get((npu.card, npu.chip), ()))
        with_processes.append(replace(npu, processes=on_chip))
    return NpuTable(
        version[1] if version else "",
        tuple(with_processes),
        problem if problem or devices else _problem(text),
    )


def _device(card: re.Match[str], chip: re.Match[str], row: int) -> Npu:
    """A device from its two rows. Where no physical id is printed, logical ids follow the rows."""
    used, whole = (chip[7], chip[8]) if chip[7] is not None else (chip[5], chip[6])
    return Npu(
        device=int(chip[2]) if chip[2] is not None else row,
        card=int(card[1]),
        chip=int(chip[1]),
        name=card[2],
        health=card[3],
        temperature=int(card[5]) if card[5].isdigit() else None,
        busy_percent=int(chip[4]),
        memory_mb=(int(used), int(whole)),
    )


def _problem(text: str) -> str:
    """What npu-smi prints in place of a table: its first line that is more than a ruler."""
    for line in text.splitlines():
        if line.strip(" +-=|"):
            return f"npu-smi shows no device: {line.strip()[:200]}"
    return "npu-smi prints nothing"
