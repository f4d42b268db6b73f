"""Hosts out of reach while a run works: told once each, and when they are back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remote.connection.connection import ConnectionStatus

_TOLD_SECONDS = 60.0


class Outages:
    """What `HostRegistry.watch` hears, as lines for a person.

    A line that stands again within a minute is not worth one: it is cut often, and its
    jobs continue meanwhile.

    Args:
        tell: Gets the lines, in any thread.
        clock: Seconds.
    """

    def __init__(
        self,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._since: dict[str, float] = {}
        self._told: set[str] = set()

    def heard(self, host: str, status: ConnectionStatus) -> None:
        """Take a change of a host's connection."""
        if status.state.value in ("connecting", "reconnecting"):
            seconds = self._clock() - self._since.setdefault(host, self._clock())
            if seconds >= _TOLD_SECONDS and host not in self._told:
                self._told.add(host)
                self._tell(
                    f"{host} has been out of reach for {seconds:.0f} s; it is tried "
                    f"again. {status.detail}".rstrip()
                )
            return
        self._since.pop(host, None)
        if host in self._told and status.state.value == "online":
            self._told.remove(host)
            self._tell(f"{host} is reached again.")
