"""Proving who we are: agent, key files, certificates, passwords and one-time codes, asked through callbacks.

What a person types is kept in memory, for reconnecting, and never written anywhere but, when the person asks
for it, to the system's keyring. After a failure
nothing is tried again by itself: servers lock out addresses that do.
"""

from __future__ import annotations

import base64
import binascii
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import paramiko
from paramiko.agent import AgentSSH

from core.errors import InvalidInput
from core.text import Text
from remote.connection.faults import AuthenticationFailed, ChannelFault, LoginCut
from remote.connection.ssh.asking import (
    KEYRING_SERVICE,
    AskPerson,
    LoginQuestion,
    Secrets,
    nobody_to_ask,
)
from remote.connection.ssh.config import SshTarget
from remote.connection.timeouts import LOGIN_ANSWER, PERSON

# Servers commonly end the connection after six attempts.
_MOST_KEYS = 5
_KEY_CLASSES: tuple[type[paramiko.PKey], ...] = (
    paramiko.Ed25519Key,
    paramiko.ECDSAKey,
    paramiko.RSAKey,
)


@dataclass
class _Attempts:
    tried: list[str] = field(default_factory=list)
    notes: list[str | Text] = field(default_factory=list)
    person_asked: bool = False


def authenticate(
    transport: paramiko.Transport, target: SshTarget, ask: AskPerson, secrets: Secrets
) -> tuple[str, ...]:
    """Log in. Returns what succeeded, for the doctor.

    Raises:
        AuthenticationFailed: Nothing was accepted, or the person declined.
        LoginCut: The connection ended before anything was refused.
        ChannelFault: The connection broke meanwhile.
    """
    attempts = _Attempts()
    transport.auth_timeout = LOGIN_ANSWER
    try:
        used = _with_keys(transport, target, ask, secrets, attempts)
        if not transport.is_authenticated():
            used += _with_person(transport, target, ask, attempts)
    except paramiko.SSHException as error:
        refused = isinstance(error, paramiko.AuthenticationException)
        # That is also what paramiko calls a connection that was cut before anything was refused.
        cut = (
            refused
            and not transport.is_active()
            and not attempts.person_asked
            and len(attempts.tried) < 2
        )
        if cut and attempts.tried:
            raise LoginCut(
                "The connection to {alias} was lost while logging in: {error}.",
                _failed(target, attempts, str(error)),
                alias=target.alias,
                error=error,
            ) from error
        if (refused and not cut) or transport.is_active():
            raise _failed(target, attempts, str(error)) from error
        # A server that had enough of wrong keys hangs up without calling it an authentication failure.
        if len(attempts.tried) > 1:
            raise _failed(
                target, attempts, Text("the server closed the connection")
            ) from error
        raise _broken(target, error) from error
    except (OSError, EOFError) as error:
        raise _broken(target, error) from error
    if not transport.is_authenticated():
        raise _failed(target, attempts, Text("nothing more to offer"))
    return tuple(used)


def _broken(target: SshTarget, error: Exception) -> ChannelFault:
    what = "The connection to {alias} was lost while logging in: {error}."
    return ChannelFault(what, alias=target.alias, error=error)


def _failed(
    target: SshTarget, attempts: _Attempts, why: str | Text
) -> AuthenticationFailed:
    tried = ", ".join(attempts.tried) or Text("nothing")
    what = Text(
        "{alias} ({address}) refused the login ({why}); tried: {tried}.",
        alias=target.alias,
        address=target.address,
        why=why,
        tried=tried,
    )
    if target.unused:
        attempts.notes.append(
            Text(
                "SAGE does not use these lines of your SSH configuration: {names}.",
                names=", ".join(target.unused),
            )
        )
    for note in attempts.notes:
        what = Text("{what} {remedy}", what=what, remedy=note)
    return AuthenticationFailed(
        what,
        "Check with `{command}`; an agent (`ssh-add`) spares typing.",
        command=target.command,
    )


def _with_keys(
    transport: paramiko.Transport,
    target: SshTarget,
    ask: AskPerson,
    secrets: Secrets,
    attempts: _Attempts,
) -> list[str]:
    """Offer keys until one is accepted; a server may then still ask for more (a second factor)."""
    try:
        transport.auth_none(target.user)
    except paramiko.BadAuthenticationType as refusal:
        if "publickey" not in refusal.allowed_types:
            return []
    else:
        return ["none"]
    with _agent_keys(target) as agent_keys:  # open until a key of it has signed
        for label, key in _keys(target, agent_keys, ask, secrets, attempts):
            if len(attempts.tried) >= _MOST_KEYS:
                attempts.notes.append(
                    Text(
                        "More keys were left out; set IdentitiesOnly and IdentityFile."
                    )
                )
                break
            attempts.tried.append(label)
            try:
                transport.auth_publickey(target.user, key)
            except paramiko.BadAuthenticationType:
                raise
            except paramiko.AuthenticationException:
                if not transport.is_active():
                    raise
                continue
            return [label]
    return []


def _keys(
    target: SshTarget,
    agent_keys: Sequence[paramiko.PKey],
    ask: AskPerson,
    secrets: Secrets,
    attempts: _Attempts,
) -> Iterator[tuple[str, paramiko.PKey]]:
    """Keys to offer: the agent's (with IdentitiesOnly just those configured), then the files."""
    named = list(dict.fromkeys(target.identity_files))
    # With an agent (tokens, password managers) only the public half may lie there.
    files = [path for path in named if path.is_file() or _public_blob(path) is not None]
    # OpenSSH lists its default files too; only one the person named is worth a note.
    usual = (path.name == "none" or path.name.startswith("id_") for path in named)
    missing = [
        str(path)
        for path, is_usual in zip(named, usual, strict=True)
        if not is_usual and path not in files
    ]
    if missing:
        attempts.notes.append(
            Text("IdentityFile {names} is not there.", names=", ".join(missing))
        )
    offered: set[bytes] = set()
    configured = {blob for path in files if (blob := _public_blob(path)) is not None}
    for key in agent_keys:
        if target.identities_only and key.asbytes() not in configured:
            continue
        offered.add(key.asbytes())
        yield f"agent key {key.fingerprint}", key
    for named_file in files:
        blob = _public_blob(named_file)
        # Servers count every offer: the same key twice would waste one of a few.
        if blob is not None and blob in offered:
            continue
        is_public = named_file.suffix == ".pub" and blob is not None
        path = named_file.with_suffix("") if is_public else named_file
        if not path.is_file():
            attempts.notes.append(
                Text("The agent does not hold the key {path}.pub.", path=path)
            )
            continue
        loaded = _load(path, target, ask, secrets, attempts)
        if loaded is None or loaded.asbytes() in offered:
            continue
        beside = path.with_name(f"{path.name}-cert.pub")
        for certificate in (*target.certificate_files, beside):
            if not certificate.is_file():
                continue
            # Loaded once more: a key that carries a certificate can no longer go without.
            certified = _load(path, target, ask, secrets, attempts)
            if certified is None:
                continue
            if _add_certificate(certified, certificate, attempts):
                yield f"certificate {certificate}", certified
        offered.add(loaded.asbytes())
        yield f"key {path}", loaded


class _AgentAt(AgentSSH):
    """The keys of the agent that listens on a socket.

    `paramiko.Agent` takes the socket from the environment, which all connections of
    the process share: two of them may mean two agents at the same time.

    Raises:
        OSError: Nothing listens there.
        paramiko.SSHException: What listens there is no agent.
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(place)
            self._connect(connection)  # type: ignore[attr-defined]  # not in its stubs
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the socket."""
        self._close()  # type: ignore[attr-defined]


@contextmanager
def _agent_keys(target: SshTarget) -> Iterator[Sequence[paramiko.PKey]]:
    """The keys of the configured agent, none where it is missing or does not answer."""
    agent = _agent_of(target)
    try:
        yield () if agent is None else agent.get_keys()
    finally:
        if agent is not None:
            agent.close()


def _agent_of(target: SshTarget) -> paramiko.Agent | _AgentAt | None:
    configured = target.agent.strip('"')
    if configured.lower() == "none":
        return None
    try:
        if sys.platform == "win32":  # a pipe or a window, which paramiko knows
            return paramiko.Agent()
        if configured in ("", "SSH_AUTH_SOCK"):
            configured = "$SSH_AUTH_SOCK"
        place = os.path.expandvars(configured)
        return _AgentAt(str(Path(place).expanduser()))
    except (paramiko.SSHException, OSError):
        return None


def _public_blob(path: Path) -> bytes | None:
    """Public half: the file itself where it is one, else the `.pub` beside a key."""
    public = path if path.suffix == ".pub" else path.with_name(f"{path.name}.pub")
    try:
        return base64.b64decode(public.read_text().split()[1])
    except (OSError, IndexError, UnicodeDecodeError, binascii.Error):
        return None


def _load(
    path: Path, target: SshTarget, ask: AskPerson, secrets: Secrets, attempts: _Attempts
) -> paramiko.PKey | None:
    """Read a private key; a wrong passphrase is asked for again, twice."""
    passphrase = secrets.passphrases.get(path)
    for wrong in range(3):
        key, locked = load_key(path, passphrase)
        if key is None and locked and passphrase is None:
            passphrase = secrets.passphrase(path)
            key, locked = (
                load_key(path, passphrase) if passphrase is not None else (None, True)
            )
        if key is not None:
            if passphrase is not None:
                secrets.passphrases[path] = passphrase
            return key
        if not locked:
            attempts.notes.append(
                Text("{path} is not a key that can be used.", path=path)
            )
            return None
        title = (
            f"The key {path} is encrypted."
            if not wrong
            else "That passphrase does not fit."
        )
        answers = ask(
            LoginQuestion("passphrase", target.alias, title, (("Passphrase", False),))
        )
        if answers is None:
            attempts.notes.append(Text("{path} needs a passphrase.", path=path))
            return None
        passphrase = answers[0]
    attempts.notes.append(Text("The passphrase of {path} does not fit.", path=path))
    return None


def load_key(path: Path, passphrase: str | None) -> tuple[paramiko.PKey | None, bool]:
    """A key and whether it needs another passphrase. Each class is tried: the file does not name its own."""
    locked = False
    for kind in _KEY_CLASSES:
        try:
            return kind.from_private_key_file(str(path), passphrase), False
        except paramiko.PasswordRequiredException:
            locked = True
        except (paramiko.SSHException, ValueError) as error:
            message = str(error).lower()
            wrong = ("decrypt", "password", "passphrase", "corrupt", "checkints", "mac")
            locked = locked or (
                passphrase is not None and any(word in message for word in wrong)
            )
        except OSError:
            return None, False
    return None, locked


def _add_certificate(
    key: paramiko.PKey, certificate: Path, attempts: _Attempts
) -> bool:
    try:
        key.load_certificate(str(certificate))
    except (paramiko.SSHException, ValueError, OSError) as error:
        attempts.notes.append(
            Text("{path} cannot be used: {error}.", path=certificate, error=error)
        )
        return False
    return True


def _with_person(
    transport: paramiko.Transport,
    target: SshTarget,
    ask: AskPerson,
    attempts: _Attempts,
) -> list[str]:
    """Ask the person what the server asks: a code, a password."""
    transport.auth_timeout = PERSON
    attempts.person_asked = True
    used: list[str] = []
    declined = False

    def answer(
        title: str, instructions: str, prompts: list[tuple[str, bool]]
    ) -> list[str]:
        nonlocal declined
        if not prompts:
            return []
        heading = "\n".join(part for part in (title, instructions) if part)
        answers = ask(
            LoginQuestion("interactive", target.alias, heading, tuple(prompts))
        )
        if answers is None:
            declined = True
            raise paramiko.AuthenticationException("declined")
        return list(answers)

    for method, attempt in _methods(transport, target, ask, answer):
        attempts.tried.append(method)
        try:
            attempt()
        except paramiko.BadAuthenticationType as refusal:
            attempts.notes.append(
                Text(
                    "The server takes: {kinds}.", kinds=", ".join(refusal.allowed_types)
                )
            )
            continue
        if transport.is_authenticated():
            used.append(method)
            return used
        if declined:
            break
    return used


def _methods(
    transport: paramiko.Transport,
    target: SshTarget,
    ask: AskPerson,
    answer: Callable[[str, str, list[tuple[str, bool]]], list[str]],
) -> Iterator[tuple[str, Callable[[], object]]]:
    """Ways to log in that need a person, in the order OpenSSH tries them."""
    if ask is nobody_to_ask:
        return
    yield (
        "keyboard-interactive",
        lambda: transport.auth_interactive(target.user, answer),
    )

    def password() -> object:
        answers = ask(
            LoginQuestion(
                "password",
                target.alias,
                f"Password of {target.address}",
                (("Password", False),),
            )
        )
        if answers is None:
            raise paramiko.AuthenticationException("declined")
        return transport.auth_password(target.user, answers[0], fallback=False)

    yield "password", password


def store_passphrase(path: Path, passphrase: str) -> None:
    """Keep the passphrase of a key in the system's keyring; an empty one removes it.

    Raises:
        InvalidInput: It does not fit the key, or this system has no keyring.
    """
    # Tried at once: a wrong passphrase in the keyring would fail at every connection.
    if passphrase and load_key(path, passphrase)[0] is None:
        raise InvalidInput(str(path), "passphrase", "does not open this key")
    advice = "Use an agent (`ssh-add`) instead."
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        if passphrase:
            keyring.set_password(KEYRING_SERVICE, str(path), passphrase)
        else:
            keyring.delete_password(KEYRING_SERVICE, str(path))
    except PasswordDeleteError:
        return
    except KeyringError as error:
        problem = Text("this system has no usable keyring: {error}", error=error)
        raise InvalidInput("keyring", str(path), problem, advice) from error
