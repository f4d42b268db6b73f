"""Which devices of a host work may borrow: logical devices or whole cards, healthy ones, free of strangers.

A unit is what one job leases: a die, or all dies of a card (`whole_cards`). Devices other people's processes
are on are left alone; unhealthy ones stay in quarantine until a person releases them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remote.hosts.npu_smi import Npu, NpuTable

# A stray process below this keeps no benchmark from running; the table counts it all
# the same.
_LITTLE_MB = 512


@dataclass(frozen=True)
class Unit:
    """One lease: its lock's name and the logical devices it stands for."""

    name: str
    devices: tuple[int, ...]

    @property
    def wish(self) -> str:
        """As the job server's `lease` takes it: `npu3=3`, `card0=0+1`."""
        return f"{self.name}={self.visible.replace(',', '+')}"

    @property
    def visible(self) -> str:
        """Value of ASCEND_RT_VISIBLE_DEVICES."""
        return ",".join(str(device) for device in self.devices)


@dataclass(frozen=True)
class Cards:
    """The devices of one host.

    Attributes:
        table: As last seen.
        allowed: Logical devices the user allows, none for all.
        whole_cards: Lease the dies of a card together.
        quarantined: Unit -> why it is not used.
    """

    table: NpuTable
    allowed: Sequence[int] = ()
    whole_cards: bool = False
    quarantined: Mapping[str, str] = field(default_factory=dict)

    def units(self) -> tuple[Unit, ...]:
        """All units the user allows, usable or not."""
        allowed = [
            npu
            for npu in self.table.devices
            if not self.allowed or npu.device in self.allowed
        ]
        if not self.whole_cards:
            return tuple(Unit(f"npu{npu.device}", (npu.device,)) for npu in allowed)
        cards: dict[int, list[int]] = {}
        for npu in allowed:
            cards.setdefault(npu.card, []).append(npu.device)
        # A card of which some dies are not allowed cannot be leased as a whole.
        return tuple(
            Unit(f"card{card}", tuple(devices))
            for card, devices in cards.items()
            if len(devices) == len(self.table.cards[card])
        )

    def usable(self) -> tuple[Unit, ...]:
        """Units to ask leases for."""
        return tuple(unit for unit in self.units() if not self.why_not(unit))

    def why_not(self, unit: Unit) -> str:
        """Why a unit is not to be used now, empty when it may be."""
        if unit.name in self.quarantined:
            return self.quarantined[unit.name]
        by_device: Mapping[int, Npu] = {npu.device: npu for npu in self.table.devices}
        for device in unit.devices:
            npu = by_device[device]
            if npu.health not in ("OK", "Warning"):
                return f"device {device} reports {npu.health}"
            strangers = [p for p in npu.processes if p.memory_mb >= _LITTLE_MB]
            if strangers:
                first = strangers[0]
                return (
                    f"device {device} is used by process {first.pid} "
                    f"({first.memory_mb} MB)"
                )
        return ""
