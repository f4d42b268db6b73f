"""What the user's SSH configuration says about a host name, and which names it holds.

OpenSSH itself is asked (`ssh -G`) where it is installed: only it knows Include, Match and all tokens. Without
it paramiko's parser reads the file, and the target carries a warning.
"""

from __future__ import annotations

import getpass
import glob
import hashlib
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from core.outside import at_home
from remote.connection.faults import HostFault
from remote.connection.timeouts import CONFIGURATION

CONFIG_VARIABLE = "SAGE_SSH_CONFIG"  # another configuration file than ~/.ssh/config
_MOST_JUMPS = 8
_MOST_DEEP = 16  # files that include each other; as OpenSSH
# What changes whether and how `ssh` gets in, and has no meaning here (docs/remote.md).
NOT_USED = (
    "AddressFamily",
    "BindAddress",
    "BindInterface",
    "CASignatureAlgorithms",
    "Ciphers",
    "GSSAPIAuthentication",
    "HostbasedAuthentication",
    "HostKeyAlgorithms",
    "KbdInteractiveAuthentication",
    "KexAlgorithms",
    "KnownHostsCommand",
    "MACs",
    "PasswordAuthentication",
    "PKCS11Provider",
    "PreferredAuthentications",
    "ProxyUseFdpass",
    "PubkeyAcceptedAlgorithms",
    "PubkeyAuthentication",
    "RequiredRSASize",
    "RevokedHostKeys",
    "SecurityKeyProvider",
    "SendEnv",
    "SetEnv",
    "VerifyHostKeyDNS",
)


@dataclass(frozen=True)
class SshTarget:
    """How to reach a host, as configured.

    Attributes:
        alias: The name the user gave.
        hostname: Name or address to connect to.
        port: TCP port.
        user: Login name.
        identity_files: Private keys, as configured; they need not exist.
        certificate_files: Certificates for them.
        identities_only: Offer no other keys than these.
        agent: Socket of the agent, empty for the usual one, `none` for no agent.
        known_hosts: Files with known keys, the user's before the system's.
        key_alias: Name the host's key is kept under, empty for host name and port.
        strict: Value of StrictHostKeyChecking.
        jumps: Hosts to go through, nearest first.
        is_jump: Whether it stands in the jumps of another.
        proxy_command: Command that carries the connection, empty for none.
        connect_timeout_s: Seconds to wait for TCP.
        warnings: What could not be read.
        unused: Options that are set and that SAGE does not use.
    """

    alias: str
    hostname: str
    port: int = 22
    user: str = ""
    identity_files: tuple[Path, ...] = ()
    certificate_files: tuple[Path, ...] = ()
    identities_only: bool = False
    agent: str = ""
    known_hosts: tuple[Path, ...] = ()
    key_alias: str = ""
    strict: str = "ask"
    jumps: tuple[SshTarget, ...] = ()
    is_jump: bool = False
    proxy_command: str = ""
    connect_timeout_s: float = 10.0
    warnings: tuple[str, ...] = field(default=())
    unused: tuple[str, ...] = ()

    @property
    def key_name(self) -> str:
        """Name of the host in known_hosts files."""
        if self.key_alias:
            return self.key_alias
        return self.hostname if self.port == 22 else f"[{self.hostname}]:{self.port}"

    @property
    def principal(self) -> str:
        """Name a certificate of the host must be for."""
        return self.key_alias or self.hostname

    @property
    def command(self) -> str:
        """The command that logs in there by hand."""
        if self.is_jump:
            return f"ssh -p {self.port} {self.user}@{self.hostname}"
        return f"ssh {self.alias}"

    @property
    def address(self) -> str:
        """`user@host:port`, for people."""
        return f"{self.user}@{self.hostname}:{self.port}"


def resolve(alias: str, config: Path | None = None) -> SshTarget:
    """Read the configuration of a host.

    Args:
        alias: Host name, the name of a `Host` section, or `[user@]host[:port]`, whose user and port go before
            what is configured for the host.
        config: Configuration file; by default `SAGE_SSH_CONFIG` or the user's own.

    Raises:
        HostFault: The configuration cannot be read, or jumps go in a circle.
    """
    if not alias or alias.startswith("-"):
        raise HostFault("{alias!r} is not a host name.", alias=alias)
    path = config or (
        Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None
    )
    if "@" in alias or alias.startswith("[") or alias.count(":") == 1:
        return replace(_hop(alias, path, 0), alias=alias, is_jump=False)
    return _resolve(alias, path, 0)


def _resolve(alias: str, config: Path | None, depth: int) -> SshTarget:
    """The target of an alias with its jumps; `depth` counts jumps of jumps."""
    if depth > _MOST_JUMPS:
        raise HostFault(
            "The route to {alias} has more than {most} jump hosts.",
            "Check ProxyJump for a loop.",
            alias=alias,
            most=_MOST_JUMPS,
        )
    warnings: tuple[str, ...] = ()
    if shutil.which("ssh"):
        options = parse_ssh_g(_ask_openssh(alias, config))
    else:
        options = _ask_paramiko(alias, config)
        warnings = (
            "OpenSSH is not installed here: Include and some Match rules are not read.",
        )
    target = target_of(alias, options, warnings)
    if not warnings:
        target = replace(target, unused=_unused(options))
    jump = first(options, "proxyjump")
    if jump and jump.lower() != "none":
        hops = tuple(_hop(part.strip(), config, depth + 1) for part in jump.split(","))
        return replace(target, jumps=hops)
    return target


def _hop(text: str, config: Path | None, depth: int) -> SshTarget:
    """A jump host in the form `[user@]host[:port]`, with its own configuration."""
    user, _, address = text.removeprefix("ssh://").rpartition("@")
    host, port = address, ""
    # More than one colon without brackets is an IPv6 address and no port.
    if address.startswith("["):
        host, _, rest = address[1:].partition("]")
        port = rest.removeprefix(":")
    elif address.count(":") == 1:
        host, _, port = address.partition(":")
    target = _resolve(host, config, depth)
    return replace(
        target,
        user=user or target.user,
        port=int(port) if port.isdigit() else target.port,
        is_jump=True,
    )


def _ask_openssh(alias: str, config: Path | None) -> str:
    """What `ssh -G` prints: the only reader that knows every `Match` and token."""
    command = ["ssh", *(["-F", str(config)] if config else []), "-G", alias]
    try:
        process = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CONFIGURATION,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostFault(
            "`ssh -G {alias}` failed: {error}.", alias=alias, error=error
        ) from error
    if process.returncode:
        raise HostFault(
            "The SSH configuration of {alias} cannot be read: {error}.",
            alias=alias,
            error=process.stderr.strip(),
        )
    return process.stdout


def parse_ssh_g(text: str) -> dict[str, list[str]]:
    """Options of `ssh -G`: name -> values in order."""
    options: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, _, value = line.strip().partition(" ")
        if name:
            options.setdefault(name.lower(), []).append(value.strip())
    return options


def _ask_paramiko(alias: str, config: Path | None) -> dict[str, list[str]]:
    """Options of a host where OpenSSH is not installed, with OpenSSH's defaults for keys."""
    import paramiko

    path = config or _own_folder() / "config"
    parsed = paramiko.SSHConfig()
    if path.is_file():
        try:
            parsed = paramiko.SSHConfig.from_path(str(path))
        except (OSError, paramiko.SSHException) as error:
            raise HostFault(
                "{path} cannot be read: {error}.", path=path, error=error
            ) from error
    section = parsed.lookup(alias)
    options = {
        name: [value] if isinstance(value, str) else list(value)
        for name, value in section.items()
    }
    options.setdefault(
        "identityfile", [f"~/.ssh/id_{kind}" for kind in ("ed25519", "ecdsa", "rsa")]
    )
    options.setdefault("userknownhostsfile", ["~/.ssh/known_hosts"])
    return options


def target_of(
    alias: str, options: Mapping[str, Sequence[str]], warnings: tuple[str, ...] = ()
) -> SshTarget:
    """The target in a set of options.

    Raises:
        HostFault: The port is no number.
    """
    port = first(options, "port") or "22"
    if not port.isdigit():
        raise HostFault(
            "The SSH configuration of {alias} names the port {port!r}.",
            alias=alias,
            port=port,
        )
    host_files = [*(first(options, "userknownhostsfile") or "").split()]
    host_files += (first(options, "globalknownhostsfile") or "").split()
    # `none`, or 0, stands for a timeout that is not set.
    timeout = first(options, "connecttimeout")
    command = first(options, "proxycommand")
    hostname = first(options, "hostname") or alias
    user = first(options, "user") or getpass.getuser()
    key_alias = first(options, "hostkeyalias")
    tokens = _tokens(alias, hostname, port, user, key_alias)

    def paths(texts: Sequence[str]) -> tuple[Path, ...]:
        return _paths([expanded(text, tokens) for text in texts])

    return SshTarget(
        alias=alias,
        hostname=hostname,
        port=int(port),
        user=user,
        identity_files=paths(options.get("identityfile", ())),
        certificate_files=paths(options.get("certificatefile", ())),
        identities_only=first(options, "identitiesonly") == "yes",
        agent=expanded(first(options, "identityagent"), tokens),
        known_hosts=paths(host_files),
        key_alias=key_alias,
        strict=first(options, "stricthostkeychecking") or "ask",
        proxy_command="" if command.lower() == "none" else command,
        connect_timeout_s=float(timeout)
        if timeout.isdigit() and int(timeout)
        else 10.0,
        warnings=warnings,
    )


def _tokens(
    alias: str, hostname: str, port: str, user: str, key_alias: str
) -> dict[str, str]:
    """The tokens of ssh_config(5), which `ssh -G` leaves in the names of files."""
    here = socket.gethostname()
    connection = hashlib.sha1(  # noqa: S324 - as OpenSSH names it
        f"{here}{hostname}{port}{user}".encode()
    ).hexdigest()
    return {
        "%": "%",
        "C": connection,
        "d": str(Path.home()),
        "h": hostname,
        "i": str(os.getuid()) if hasattr(os, "getuid") else "",
        "k": key_alias or alias,
        "L": here.partition(".")[0],
        "l": here,
        "n": alias,
        "p": port,
        "r": user,
        "u": getpass.getuser(),
    }


def expanded(text: str, tokens: Mapping[str, str]) -> str:
    """Return a value with its tokens and `${VARIABLES}` filled in; unknown ones stay."""
    # One pass over the text, so that a filled-in value is never read as a token.
    with_tokens = re.sub(r"%(.)", lambda match: tokens.get(match[1], match[0]), text)
    return re.sub(
        r"\$\{(\w+)\}", lambda match: os.environ.get(match[1], match[0]), with_tokens
    )


@cache
def _defaults() -> dict[str, list[str]]:
    """What OpenSSH does where no file says anything."""
    process = subprocess.run(
        ["ssh", "-F", "none", "-G", "example"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=CONFIGURATION,
        check=False,
    )
    return parse_ssh_g(process.stdout)


def _unused(options: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Names of options that are set to something else than usual, and that nothing here reads."""
    defaults = _defaults()
    return tuple(
        name
        for name in NOT_USED
        if list(options.get(name.lower(), ())) != defaults.get(name.lower(), [])
    )


def first(options: Mapping[str, Sequence[str]], name: str) -> str:
    """The first value of an option, empty when it is not set."""
    values = options.get(name, ())
    return values[0] if values else ""


def _paths(texts: Sequence[str]) -> tuple[Path, ...]:
    return tuple(at_home(text.strip('"')) for text in texts if text.lower() != "none")


def _account_home() -> Path:
    """The home folder OpenSSH reads: that of the account, whatever HOME says."""
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a container's user who has no account
        return Path.home()


def _own_folder() -> Path:
    return _account_home() / ".ssh"


def known_aliases(config: Path | None = None) -> tuple[str, ...]:
    """Every plain name behind `Host`, in order, files of `Include` with it; patterns are no names.

    A file that cannot be read is passed over: OpenSSH will tell when it is used.

    Args:
        config: Configuration file; by default `SAGE_SSH_CONFIG` or the user's own.
    """
    variable = os.environ.get(CONFIG_VARIABLE)
    path = config or (Path(variable) if variable else _own_folder() / "config")
    names: dict[str, None] = {}
    _read_names(path, names, 0)
    return tuple(names)


def _read_names(path: Path, names: dict[str, None], depth: int) -> None:
    """Add the names of a file, and of those it includes, to `names`."""
    # Files may include each other in a circle.
    if depth > _MOST_DEEP:
        return
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        keyword, _, rest = line.strip().replace("=", " ", 1).partition(" ")
        try:
            words = shlex.split(rest)
        except ValueError:
            continue
        if keyword.lower() == "host":
            names.update(
                dict.fromkeys(word for word in words if not set(word) & set("*?!"))
            )
        elif keyword.lower() == "include":
            for word in words:
                at_account = word.startswith("~/")
                pattern = _account_home() / word[2:] if at_account else at_home(word)
                pattern = pattern if pattern.is_absolute() else _own_folder() / pattern
                for included in sorted(glob.glob(str(pattern))):  # noqa: PTH207 - absolute patterns
                    _read_names(Path(included), names, depth + 1)
