"""Channels over SSH: the user's own configuration, trust in host keys, authentication, jumps, transports."""

from remote.connection.channel import Channel, OpenChannel, Opening
from remote.connection.job_server_program import Program
from remote.connection.ssh.asking import SshSettings
from remote.connection.ssh.config import SshTarget, resolve

__all__ = ["SshSettings", "SshTarget", "resolve", "ssh_channel"]


def ssh_channel(
    alias: str,
    settings: SshSettings,
    program: Program,
    base: str,
    pythons: tuple[str, ...] = ("python3",),
) -> OpenChannel:
    """Opens channels to the job server of a host. The configuration is read each time: it may have changed.

    Args:
        alias: Name of the host in the SSH configuration.
        settings: Trust, questions, files.
        program: The job server.
        base: Its folder on the host, empty for the default.
        pythons: Interpreters to try for it.
    """

    def open_channel(opening: Opening) -> Channel:
        # paramiko is read with the first connection
        from remote.connection.ssh.transport import open_ssh_channel

        return open_ssh_channel(alias, settings, program, base, pythons, opening)

    return open_channel
