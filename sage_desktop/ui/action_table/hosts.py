"""Commands of the hosts."""

from __future__ import annotations

from sage_desktop.ui.action_table.spec import ActionSpec, in_sections

HOSTS = in_sections(
    (
        ActionSpec(
            "hosts.add",
            "&Add Host…",
            "Add a machine from your SSH configuration",
            icon="hosts",
        ),
    ),
    (
        ActionSpec(
            "hosts.connect",
            "&Connect",
            "Connect to the selected host",
            icon="bolt",
            context="hosts",
        ),
        ActionSpec(
            "hosts.disconnect",
            "&Disconnect",
            "Disconnect; remote jobs continue",
            icon="stop",
            context="hosts",
        ),
        ActionSpec(
            "hosts.examine",
            "Chec&k Host",
            "Check everything the host needs, and suggest fixes",
            icon="search",
            context="hosts",
        ),
    ),
    (
        ActionSpec(
            "hosts.settings",
            "Host &Settings…",
            "Interpreter, folder, set-up line, devices",
            icon="settings",
            context="hosts",
        ),
        ActionSpec(
            "hosts.collect",
            "Clean &Up",
            "Remove old SAGE jobs and files from the host",
            icon="trash",
            context="hosts",
        ),
    ),
    (
        ActionSpec(
            "hosts.remove",
            "&Remove Host",
            "Remove the host from the list; nothing changes on the machine",
            icon="close",
            context="hosts",
        ),
    ),
)
