"""Devices in quarantine: unhealthy ones, leased no more until a person releases them.

Kept in one small file of the user's, so that a later start of the application does not fall for the same
device again and a command in another terminal can release it. How often a device failed in a row is only
remembered while the application runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from remote.hosts.host_file import HostFile

# Faults in a row; one alone may have been left behind by another process.
MOST_FAULTS = 2


class DeviceQuarantine:
    """Devices of one host that are not used, with the reason.

    Args:
        host: Its name.
        file: Where they are kept; None: only in memory.
    """

    def __init__(self, host: str, file: Path | None = None) -> None:
        self._file = HostFile(file, host, "Remove it: all devices are then used again.")
        self._faults: dict[str, int] = {}

    def units(self) -> Mapping[str, str]:
        """Unit -> why it is not used, as it stands now.

        Raises:
            InvalidInput: The file was damaged.
        """
        return self._file.read()

    def note(self, unit: str, fault: str) -> bool:
        """Hear how a run on a device went; whether the device is now in quarantine.

        Args:
            unit: Name of the lease, e.g. `npu3`.
            fault: What the device reported, empty when it did its work.
        """
        if not fault:
            self._faults.pop(unit, None)
            return False
        self._faults[unit] = self._faults.get(unit, 0) + 1
        if self._faults[unit] < MOST_FAULTS:
            return False
        self.put(
            unit,
            f"{self._faults[unit]} faults in a row: {fault}",
        )
        return True

    def put(self, unit: str, why: str) -> None:
        """Use a device no more."""
        self._file.change({unit: why})

    def release(self, unit: str) -> bool:
        """Use a device again; false when it was in use all the time."""
        self._faults.pop(unit, None)
        was = unit in self.units()
        self._file.change({unit: ""})
        return was
