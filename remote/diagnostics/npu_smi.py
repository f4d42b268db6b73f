"""`npu-smi info`: cards, memory, load and processes of all generations of its table.

Rows are split at `|` and recognised by their cells, never by columns: paddings and even single blanks differ
between versions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from remote.diagnostics.reading import UnreadableOutput

_FIRST = re.compile(
    r"^\|\s*(?P<npu>\d+)\s+(?P<name>\S+)\s*\|\s*(?P<health>[A-Za-z]\S*)\s*\|"
    r"\s*(?P<power>[\d.]+|-|NA)\s+(?P<temp>\d+|NA|-)\s+\d+\s*/\s*\d+\s*\|"
)
_SECOND = re.compile(
    r"^\|\s*(?P<chip>\d+)(?:\s+(?P<phy>\d+))?\s*\|\s*(?:[0-9A-Fa-f]{4}:[0-9A-Fa-f:.]+|NA)\s*\|"
    r"\s*(?P<load>\d+)\s+(?P<used>\d+)\s*/\s*(?P<total>\d+)(?:\s+(?P<hbm>\d+)\s*/\s*(?P<hbm_total>\d+))?\s*\|"
)
_PROCESS = re.compile(
    r"^\|\s*(?P<npu>\d+)(?:\s+(?P<chip>\d+))?\s*\|\s*(?P<pid>\d+)\s*\|(?:\s*\d+\s*\|)?\s*(?P<name>[^|]*?)\s*\|"
    r"\s*(?P<memory>\d+)\s*\|"
)
_VERSION = re.compile(r"npu-smi\s+(\S+)")


@dataclass(frozen=True)
class Card:
    """One chip as a process sees it.

    Attributes:
        index: Logical device id: the physical id where the table gives one, else the place among all chips.
        npu: Number of the NPU.
        chip: Number of the chip on it.
        name: As printed: `910B3`; `Ascend910` where the table does not tell the kind.
        health: `OK`, `Warning`, `Alarm`, `Critical`, `UNKNOWN`.
        temperature_c: Degrees Celsius, None where not told.
        power_w: Watts, None where not told.
        load_percent: Load of the AI Cores.
        memory_used_mb: Device memory in use, MB.
        memory_total_mb: Device memory, MB.
    """

    index: int
    npu: int
    chip: int
    name: str
    health: str
    temperature_c: int | None
    power_w: float | None
    load_percent: int
    memory_used_mb: int
    memory_total_mb: int

    @property
    def soc(self) -> str:
        """SoC version, e.g. `Ascend910B3`; empty where the table does not tell it (A3 and later)."""
        return f"Ascend{self.name}" if re.fullmatch(r"\d\w*\d\w*(?:-\d)?", self.name) else ""


@dataclass(frozen=True)
class DeviceProcess:
    """A process on a card. Its name may be empty; memory in MB."""

    npu: int
    chip: int
    pid: int
    name: str
    memory_mb: int


@dataclass(frozen=True)
class NpuReport:
    """What `npu-smi info` says."""

    version: str
    cards: tuple[Card, ...]
    processes: tuple[DeviceProcess, ...]


def read_npu_smi(text: str, source: str = "npu-smi info") -> NpuReport:
    """The cards and processes in the output of `npu-smi info`.

    Raises:
        UnreadableOutput: It is no such table, or a card's second line is missing.
    """
    version = _VERSION.search(text)
    if "npu-smi" not in text or "|" not in text:
        said = next((line.strip() for line in text.splitlines() if line.strip()), "")
        reason = f"it says {said[:120]!r} instead of a table" if said else "it is empty"
        raise UnreadableOutput(source, reason, "Check the driver, and that this user may use the cards.")
    cards: list[Card] = []
    processes: list[DeviceProcess] = []
    first: re.Match[str] | None = None
    for line in text.splitlines():
        started = _FIRST.match(line)
        if started:
            _complete(first, source)
            first = started
            continue
        second = _SECOND.match(line)
        if second and first:
            cards.append(_card(first, second, len(cards)))
            first = None
            continue
        process = _PROCESS.match(line)
        if process:
            processes.append(_process(process))
    _complete(first, source)
    if not cards:
        raise UnreadableOutput(source, "its table has no card", "No card is mapped into this machine.")
    return NpuReport(version[1] if version else "", tuple(cards), tuple(processes))


def _complete(first: re.Match[str] | None, source: str) -> None:
    if first:
        raise UnreadableOutput(source, f"the second line of NPU {first['npu']} is missing")


def _process(row: re.Match[str]) -> DeviceProcess:
    chip = int(row["chip"] or 0)
    return DeviceProcess(int(row["npu"]), chip, int(row["pid"]), row["name"], int(row["memory"]))


def _card(first: re.Match[str], second: re.Match[str], place: int) -> Card:
    memory = ("hbm", "hbm_total") if second["hbm_total"] else ("used", "total")
    return Card(
        index=int(second["phy"]) if second["phy"] else place, npu=int(first["npu"]), chip=int(second["chip"]),
        name=first["name"], health=first["health"],
        temperature_c=int(first["temp"]) if first["temp"].isdigit() else None,
        power_w=float(first["power"]) if first["power"] not in ("-", "NA") else None,
        load_percent=int(second["load"]), memory_used_mb=int(second[memory[0]]),
        memory_total_mb=int(second[memory[1]]),
    )  # fmt: skip
