"""Commands of the hosts."""

from __future__ import annotations

from sage_desktop.ui.action_table.spec import ActionSpec

HOSTS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "hosts.add",
        "&Add Host…",
        "Add a machine of your SSH configuration",
        icon="hosts",
        menu="hosts",
    ),
    ActionSpec(
        "hosts.connect",
        "&Connect",
        "Connect to the selected host",
        icon="bolt",
        menu="hosts",
        context="hosts",
        section=1,
    ),
    ActionSpec(
        "hosts.disconnect",
        "&Disconnect",
        "Disconnect; remote jobs continue",
        icon="stop",
        menu="hosts",
        context="hosts",
        section=1,
    ),
    ActionSpec(
        "hosts.examine",
        "Chec&k Host",
        "Check everything the host needs, with fixes",
        icon="search",
        menu="hosts",
        context="hosts",
        section=1,
    ),
    ActionSpec(
        "hosts.settings",
        "Host &Settings…",
        "Interpreter, folder, set-up line, devices",
        icon="settings",
        menu="hosts",
        context="hosts",
        section=2,
    ),
    ActionSpec(
        "hosts.collect",
        "Clean &Up",
        "Remove old SAGE jobs and files from the host",
        icon="trash",
        menu="hosts",
        context="hosts",
        section=2,
    ),
    ActionSpec(
        "hosts.remove",
        "&Remove Host",
        "Remove the host from the list; nothing changes on the machine",
        icon="close",
        menu="hosts",
        context="hosts",
        section=3,
    ),
)
