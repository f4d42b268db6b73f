"""Channels over SSH: the user's own configuration, trust in host keys, authentication, jumps, transports."""

from remote.connection.ssh.config import SshTarget, resolve
from remote.connection.ssh.transport import SshSettings, ssh_channel

__all__ = ["SshSettings", "SshTarget", "resolve", "ssh_channel"]
