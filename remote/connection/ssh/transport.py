"""One SSH connection per host and the channel a job server speaks on: sockets, jumps, keys, ciphers."""

from __future__ import annotations

import contextlib
import logging
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import paramiko

from remote.connection.channel import (
    Channel,
    Opening,
    introduce,
    new_nonce,
    shell_command,
)
from remote.connection.faults import (
    ChannelFault,
    GreetingUnusable,
    HostFault,
    HostKeyChanged,
    HostKeyRefused,
    HostKeyUnknown,
)
from remote.connection.job_server_program import Program
from remote.connection.ssh.asking import SshSettings
from remote.connection.ssh.authentication import authenticate
from remote.connection.ssh.config import SshTarget, resolve
from remote.connection.ssh.host_certificates import (
    NotVouched,
    certified_kinds,
    require_vouched,
)
from remote.connection.ssh.known_hosts import (
    Trust,
    fingerprint,
    judge_key,
    preferred_kinds,
    read_known_hosts,
    trust_key,
)
from remote.connection.timeouts import (
    CHANNEL,
    CONNECT_AGAIN,
    EXIT_CODE,
    SSH_GREETING,
)

# Paramiko prints a traceback for every connection that breaks.
logging.getLogger("paramiko").setLevel(logging.CRITICAL)

WEAK = {
    "ciphers": ["aes128-cbc", "aes192-cbc", "aes256-cbc", "3des-cbc"],
    "macs": ["hmac-md5", "hmac-md5-96", "hmac-sha1-96", "hmac-sha1"],
}


class _Transport(paramiko.Transport):
    """A transport that asks for host keys in an order of ours, certified ones included.

    Attributes:
        host_key_kinds: Algorithms, the wanted first; set before the client starts.
    """

    host_key_kinds: tuple[str, ...] = ()

    @property
    def preferred_keys(self) -> tuple[str, ...]:
        """What is offered in the key exchange."""
        return self.host_key_kinds


class SshChannel:
    """A job server's channel together with the transports it goes through."""

    def __init__(self, channel: paramiko.Channel, close: Callable[[], None]) -> None:
        self._channel = channel
        self._close = close

    def send(self, data: bytes) -> None:
        """Write all of `data`."""
        self._channel.sendall(data)

    def receive(self, count: int) -> bytes:
        """Up to `count` bytes."""
        return self._channel.recv(count)

    def exit_code(self) -> int | None:
        """Exit code of what the login shell ran; None when it was killed, or the connection broke."""
        if not self._channel.status_event.wait(EXIT_CODE):
            return None
        code = self._channel.recv_exit_status()
        return code if code >= 0 else None

    def close(self) -> None:
        """Close all transports: the one thing that releases every thread that waits in paramiko."""
        # A transport says good-bye through the hop before it; when that is gone already, both are closed.
        with contextlib.suppress(EOFError, OSError, paramiko.SSHException):
            self._close()


def open_ssh_channel(
    alias: str,
    settings: SshSettings,
    program: Program,
    base: str,
    pythons: tuple[str, ...],
    opening: Opening,
) -> Channel:
    """A channel to the job server of a host; the arguments are those of `ssh_channel`.

    Raises:
        HostFault: The host refuses, or cannot be reached.
        ChannelFault: The connection was lost meanwhile.
    """
    target = resolve(alias, settings.config)
    transport = open_transport(target, settings, opening)
    # Paramiko has no time limit for running a command.
    guard = threading.Timer(CHANNEL * 2, transport.close)
    guard.daemon = True
    guard.start()
    nonce = new_nonce()
    try:
        channel = transport.open_session(timeout=CHANNEL)
        channel.exec_command(shell_command(pythons, nonce))
        return introduce(SshChannel(channel, transport.close), program, base, nonce)
    except paramiko.ChannelException as error:
        raise HostFault(
            "{alias} does not open a session: {error}.",
            "Raise MaxSessions there, or close others.",
            alias=alias,
            error=error,
        ) from error
    except (paramiko.SSHException, EOFError, OSError) as error:
        raise ChannelFault(
            "The connection to {alias} was lost while connecting: {error}.",
            alias=alias,
            error=error,
        ) from error
    finally:
        guard.cancel()


def open_transport(
    target: SshTarget, settings: SshSettings, opening: Opening
) -> paramiko.Transport:
    """Connect and log in, through all jumps.

    Raises:
        NeedsUser: A key is unknown or changed, or the login failed.
        ChannelFault: A host on the way cannot be reached.
    """
    way: paramiko.Transport | None = None
    for hop in target.jumps:
        way = _log_in(hop, _socket_to(hop, way, opening), settings, opening)
    transport = _log_in(target, _socket_to(target, way, opening), settings, opening)
    if way is not None:
        _close_with(transport, way)
    return transport


def _log_in(
    target: SshTarget, sock: Any, settings: SshSettings, opening: Opening
) -> paramiko.Transport:
    """Exchange keys, check the host's key, and log in."""
    opening.register(sock.close)
    known_keys = read_known_hosts([*target.known_hosts, settings.own_known_hosts])
    try:
        transport = _Transport(sock, disabled_algorithms=WEAK)
        opening.register(transport.close)
        transport.banner_timeout = SSH_GREETING
        kinds = preferred_kinds(
            known_keys,
            target.key_name,
            tuple(transport.get_security_options().key_types),
        )
        transport.host_key_kinds = (
            *certified_kinds(known_keys, target.key_name, kinds),
            *kinds,
        )
        transport.start_client(timeout=SSH_GREETING)
        key = transport.get_remote_server_key()
    except paramiko.ssh_exception.IncompatiblePeer as error:
        too_old = HostFault(
            "{alias} offers only outdated cryptography: {error}.",
            "Its SSH server needs an update.",
            alias=target.alias,
            error=error,
        )
        raise GreetingUnusable(
            "The greeting of {alias} allows no session: {error}.",
            too_old,
            alias=target.alias,
            error=error,
        ) from error
    except (paramiko.SSHException, OSError, EOFError) as error:
        raise ChannelFault(
            "{alias} ({address}) does not answer as an SSH server: {error}.",
            alias=target.alias,
            address=target.address,
            error=error,
        ) from error
    _check_key(target, known_keys, key, settings)
    used = authenticate(transport, target, settings.ask, settings.secrets)
    settings.report.update(
        {
            "address": target.address,
            "server": transport.remote_version,
            "login": ", ".join(used),
            "host key": f"{key.get_name()} {fingerprint(key.get_base64())}"
            + (" (certified)" if key.public_blob is not None else ""),
            "cipher": str(getattr(transport, "remote_cipher", "")),
            "jumps": " → ".join(hop.alias for hop in target.jumps),
            "warnings": "; ".join(target.warnings),
            "unused": ", ".join(target.unused),
        }
    )
    return transport


def _check_key(
    target: SshTarget, known_keys: Any, key: paramiko.PKey, settings: SshSettings
) -> None:
    """Accept only a known key. Questions are asked later, with no connection held open meanwhile."""
    name, kind, text = target.key_name, key.get_name(), key.get_base64()
    trust, why = judge_key(known_keys, name, kind, text)
    if trust is Trust.KNOWN:
        return
    # A certificate counts through its authority, whatever is known of the key in it.
    if key.public_blob is not None and trust is not Trust.REVOKED:
        _require_certificate(target, known_keys, key)
        return
    if trust is Trust.UNKNOWN:
        if target.strict in ("accept-new", "no", "off"):
            trust_key(settings.own_known_hosts, name, kind, text)
            return
        raise HostKeyUnknown(name, kind, text, fingerprint(text), why)
    refusal = HostKeyChanged if trust is Trust.CHANGED else HostKeyRefused
    refused = refusal(
        "{alias} showed a key that must not be accepted: {kind} {fingerprint}; {why}.",
        "Somebody may be listening in, or the host was reinstalled: ask its administrator. Only then "
        "forget the old key: `sage host trust --replace {alias}`.",
        alias=target.alias,
        kind=kind,
        fingerprint=fingerprint(text),
        why=why,
    )
    if isinstance(refused, HostKeyChanged):
        refused.host, refused.kind, refused.key = name, kind, text
        refused.fingerprint = fingerprint(text)
    raise refused


def _require_certificate(
    target: SshTarget, known_keys: Any, key: paramiko.PKey
) -> None:
    """Accept only a certificate of an authority the person trusts; there is no question to overlook it."""
    assert key.public_blob is not None
    try:
        require_vouched(
            key.public_blob.key_blob,
            known_keys,
            target.key_name,
            target.principal,
            time.time(),
        )
    except NotVouched as error:
        raise HostKeyRefused(
            "{alias} must not be trusted: {error}.",
            "Ask its administrator for a valid host certificate. To trust the key alone, take the line with "
            "@cert-authority out of known_hosts; you are then asked.",
            alias=target.alias,
            error=error,
        ) from error


def _socket_to(
    target: SshTarget, way: paramiko.Transport | None, opening: Opening
) -> Any:
    """A connected socket, a channel of the jump host, or the pipe of a proxy command."""
    if way is not None:
        try:
            return way.open_channel(
                "direct-tcpip",
                (target.hostname, target.port),
                ("127.0.0.1", 0),
                timeout=CHANNEL,
            )
        except (paramiko.SSHException, OSError, EOFError) as error:
            raise ChannelFault(
                "{alias} cannot be reached through its jump host: {error}.",
                alias=target.alias,
                error=error,
            ) from error
    if target.proxy_command:
        return _proxy(target, opening)
    try:
        sock = socket.create_connection(
            (target.hostname, target.port),
            timeout=min(target.connect_timeout_s, CONNECT_AGAIN),
        )
    except socket.gaierror as error:
        raise ChannelFault(
            "The name {hostname} is not known: {error}.",
            "Check its spelling, HostName in your SSH configuration, and the network.",
            hostname=target.hostname,
            error=error.strerror,
        ) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise ChannelFault(
            "{alias} ({address}) cannot be reached: {why}.",
            "Check address and port, and that the machine and its SSH server run.",
            alias=target.alias,
            address=target.address,
            why=why,
        ) from error
    tune(sock)
    return sock


def tune(sock: socket.socket) -> None:
    """No waiting for full packets; the system notices a silent peer too, where it can."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", 15),
        ("TCP_KEEPINTVL", 5),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 20000),
    ):
        option = getattr(socket, name, None)
        if option is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, option, value)


def _proxy(target: SshTarget, opening: Opening) -> socket.socket:
    """Run the proxy command on one end of a socket pair: the other end is a real socket."""
    command = target.proxy_command.replace("%h", target.hostname).replace(
        "%p", str(target.port)
    )
    command = command.replace("%r", target.user).replace("%n", target.alias)
    near_end, far_end = socket.socketpair()
    try:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            stdin=far_end.fileno(),
            stdout=far_end.fileno(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        near_end.close()
        raise ChannelFault(
            "The proxy command of {alias} cannot be started: {error}.",
            alias=target.alias,
            error=error.strerror,
        ) from error
    finally:
        far_end.close()

    def end() -> None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)

    opening.register(end)
    threading.Thread(target=process.wait, daemon=True).start()
    return near_end


def _close_with(transport: paramiko.Transport, way: paramiko.Transport) -> None:
    """Close the jump's transport when the inner one ends."""

    def wait() -> None:
        transport.join()
        way.close()

    threading.Thread(target=wait, name="jump-keeper", daemon=True).start()
