"""The user's hosts: settings in one small TOML file, and how a host is made from its name.

Example:
    [hosts.lab7]                      # the name in ~/.ssh/config
    python = "/opt/conda/bin/python"  # interpreter with torch
    setup = "source /usr/local/Ascend/ascend-toolkit/set_env.sh"
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.outside import convert, read_file, toml_table
from core.private import tighten, write_private
from remote.connection.connection import Connection, ConnectionStatus, OnStatus
from remote.connection.faults import HostKeyChanged
from remote.connection.job_server_program import job_server_program
from remote.connection.ssh import SshSettings, ssh_channel
from remote.connection.ssh.asking import AskPerson, nobody_to_ask
from remote.connection.ssh.config import resolve
from remote.connection.ssh.known_hosts import forget_keys, trust_key
from remote.hosts import slurm
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.port import HostLoad
from remote.hosts.quarantine import DeviceQuarantine
from remote.hosts.versions import Versions

# No blanks, no comma (a list), no dash in front (an option).
_NAME = re.compile(r"[\w.:@%+\[][\w.:@%+\[\]-]*")


class HostRegistry:
    """Hosts of one user, in `folder` (the application's data folder).

    Args:
        folder: Holds `hosts.toml` and our own `known_hosts`.
        ask: Puts questions of SSH servers to the person.

    Attributes:
        watch: Hears, in any thread, of connections whose user did not ask to be told himself.
        loads: What the hosts of a run do, by name; `watch_loads` hears, in any thread, that it changed.
    """

    def __init__(self, folder: Path, ask: AskPerson = nobody_to_ask) -> None:
        self._file = folder / "hosts.toml"
        self.ssh = SshSettings(folder / "known_hosts", ask)
        self.watch: Callable[[str, ConnectionStatus], None] | None = None
        self.loads: Mapping[str, HostLoad] = {}
        self.watch_loads: Callable[[], None] | None = None

    def settings(self) -> dict[str, HostSettings]:
        """Settings of all hosts the user added.

        Raises:
            InvalidInput: The file cannot be read.
        """
        if not self._file.exists():
            return {}
        tighten(self._file)
        source = str(self._file)
        table = toml_table(read_file(self._file), source).get("hosts", {})
        try:
            hosts = convert(table, dict[str, Any], source, "hosts")
            return {
                name: convert(values, HostSettings, source, f"hosts.{name}")
                for name, values in hosts.items()
            }
        except InvalidInput as error:
            raise InvalidInput(
                source, error.field, error.problem, "Change it in that file."
            ) from error

    def change(self, name: str, **values: Any) -> HostSettings:
        """Add a host or change some of its settings; the file is placed atomically.

        Raises:
            InvalidInput: The name can be none of an SSH configuration, or a setting is out of range.
        """
        if not _NAME.fullmatch(name) or name == "local":
            remedy = "It is the name after `Host` in your SSH configuration, or the machine's own."
            raise InvalidInput(
                "host",
                "name",
                "{name!r} is not a name of a remote host",
                remedy,
                name=name,
            )
        every = self.settings()
        every[name] = replace(every.get(name, HostSettings()), **values)
        self._write(every)
        return every[name]

    def remove(self, name: str) -> bool:
        """Forget a host; false when there was none."""
        every = self.settings()
        if every.pop(name, None) is None:
            return False
        self._write(every)
        return True

    def host(self, name: str, on_status: OnStatus | None = None) -> DetachedHost:
        """A host by its name in the SSH configuration; it connects when it is used."""
        settings = self.settings().get(name, HostSettings())
        # The job server needs no torch, so the system's Python is tried before the judge's.
        pythons = tuple(dict.fromkeys(("python3", settings.python)))
        base = settings.base or (slurm.BASE if settings.scheduler else "")
        open_channel = ssh_channel(name, self.ssh, job_server_program(), base, pythons)
        on_change = on_status or (lambda status: self._watched(name, status))
        return DetachedHost(
            name,
            name,
            Connection(name, open_channel, on_status=on_change),
            settings,
            self.quarantined(name),
            self.versions(name),
        )

    def _watched(self, name: str, status: ConnectionStatus) -> None:
        if self.watch is not None:
            self.watch(name, status)

    def note_loads(self, loads: Mapping[str, HostLoad]) -> None:
        """Keep what the hosts of a run do, for who shows it."""
        self.loads = dict(loads)
        if self.watch_loads is not None:
            self.watch_loads()

    def quarantined(self, name: str) -> DeviceQuarantine:
        """The devices of a host that are not used."""
        return DeviceQuarantine(name, self._file.with_name("devices_set_aside.json"))

    def versions(self, name: str) -> Versions:
        """What a host judges with, as last seen; `local` is this computer."""
        return Versions(name, self._file.with_name("host_versions.json"))

    def trust(self, name: str, kind: str, key: str) -> None:
        """Add a key the person confirmed to our own file; `name` as `HostKeyUnknown.host` gives it."""
        trust_key(self.ssh.own_known_hosts, name, kind, key)

    def replace_key(self, alias: str, changed: HostKeyChanged) -> tuple[Path, ...]:
        """Forget the keys known for a host and trust the one it showed; returns the files that were changed."""
        own = self.ssh.own_known_hosts
        files = dict.fromkeys((own, *resolve(alias, self.ssh.config).known_hosts))
        forgotten = forget_keys(files, changed.host, changed.kind)
        trust_key(own, changed.host, changed.kind, changed.key)
        return forgotten

    def _write(self, every: Mapping[str, HostSettings]) -> None:
        lines = [
            "# Hosts of SAGE Desktop; names are those of your SSH configuration.",
            "",
        ]
        for name, settings in sorted(every.items()):
            lines.append(f"[hosts.{json.dumps(name)}]")
            for field in fields(settings):
                value = getattr(settings, field.name)
                if value != field.default:
                    lines.append(f"{field.name} = {json.dumps(value)}")
            lines.append("")
        write_private(self._file, "\n".join(lines).encode())
