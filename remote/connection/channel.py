"""A channel: bytes to and from a job server, and how it begins; `ssh` opens them."""

from __future__ import annotations

import base64
import contextlib
import shlex
import uuid
from collections.abc import Callable
from typing import Protocol

from remote.connection.faults import ChannelFault, HostFault, SessionEnded
from remote.connection.job_server_program import LOADER, Program

_LONGEST_NOISE = 1 << 20
_PART = 1 << 16
_LAST_WORDS = 300


class Channel(Protocol):
    """A two-way stream. `close` may be called from any thread and releases the threads that wait in it."""

    def send(self, data: bytes) -> None:
        """Write all of `data`; raises OSError or EOFError when the channel is gone."""
        ...

    def receive(self, count: int) -> bytes:
        """Up to `count` bytes, none at its end."""
        ...

    def exit_code(self) -> int | None:
        """How the program at the other end ended, once nothing is received any more; None: the channel broke."""
        ...

    def close(self) -> None:
        """Cut the channel."""
        ...


class Opening:
    """A connection attempt that another thread may give up: what it opens is registered here."""

    def __init__(self) -> None:
        self._given_up = False
        self._closers: list[Callable[[], None]] = []

    def register(self, close: Callable[[], None]) -> None:
        """Have `close` called when the attempt is given up; at once if it already was."""
        self._closers.append(close)
        if self._given_up:
            close()

    def give_up(self) -> None:
        """Close everything opened so far."""
        self._given_up = True
        for close in list(self._closers):
            close()


OpenChannel = Callable[[Opening], Channel]


def shell_command(pythons: tuple[str, ...], nonce: str) -> str:
    """The command a host's login shell gets: one line that every common shell reads alike.

    It says `nonce` first, so that whatever start-up files print before can be told apart, then becomes the
    loader under the first Python there is, which says so: wrappers and a missing locale print before it.
    """
    begins = f"import sys\nsys.stdout.write({_ready(nonce)!r})\nsys.stdout.flush()\n"
    loader = base64.b64encode((begins + LOADER).encode()).decode()
    tries = " ".join(shlex.quote(python) for python in pythons)
    script = (
        f'echo {nonce}; for p in {tries}; do command -v "$p" >/dev/null 2>&1 && '
        f'exec "$p" -I -c "import base64;exec(base64.b64decode(\\"{loader}\\"))" 2>&1; done; '
        "echo no Python 3 found"
    )
    return "exec sh -c " + shlex.quote(script)


def _ready(nonce: str) -> str:
    """What Python says first, in a line of its own whatever was printed before."""
    return f"\n{nonce} python\n"


class _Begun:
    """A channel some bytes of which were received too early; they come first."""

    def __init__(self, channel: Channel, early: bytes) -> None:
        self._channel = channel
        self._early = early
        self.send = channel.send
        self.close = channel.close
        self.exit_code = channel.exit_code

    def receive(self, count: int) -> bytes:
        """Up to `count` bytes."""
        if not self._early:
            return self._channel.receive(count)
        part, self._early = self._early[:count], self._early[count:]
        return part


def introduce(channel: Channel, program: Program, base: str, nonce: str) -> Channel:
    """Bring a fresh channel to the point where the job server speaks frames, and return it.

    Raises:
        ChannelFault: The channel broke before the nonce came.
        SessionEnded: The host's login shell ended by itself.
        HostFault: Its start-up files print without end.
    """
    noise, marker = bytearray(), nonce.encode() + b"\n"
    # A shell that ended already takes nothing, but what it printed is still to be read.
    with contextlib.suppress(OSError, EOFError):
        channel.send(program.introduction(base))
    while part := channel.receive(_PART):
        # The nonce may arrive in two parts, so the search begins a nonce before the new one.
        look_from = max(0, len(noise) - len(marker))
        noise += part
        if (at := noise.find(marker, look_from)) >= 0:
            return _after_python(channel, bytes(noise[at + len(marker) :]), nonce)
        if len(noise) > _LONGEST_NOISE:
            raise HostFault(
                "The host prints more than {most} MB at login, it ends with: {noise}",
                "Its start-up files must be silent in sessions without a terminal.",
                most=_LONGEST_NOISE >> 20,
                noise=plain(noise),
            )
    code, last_words = channel.exit_code(), f": {plain(noise)}" if noise else ""
    if code is None:
        raise ChannelFault(
            "The host ended the session before it answered{said}.", said=last_words
        )
    raise SessionEnded(
        "The login shell of the host ended with exit code {code} before it ran a command{said}.",
        "Look at its start-up files, and whether the account may run commands: `ssh HOST true`.",
        code=code,
        said=last_words,
    )


def _after_python(channel: Channel, output: bytes, nonce: str) -> Channel:
    """Return the channel from the first word of our program on.

    Where Python does not begin, what was said instead is left to be read.
    """
    ready = _ready(nonce).encode()
    while ready not in output:
        part = channel.receive(_PART) if len(output) <= _LONGEST_NOISE else b""
        if not part:
            return _Begun(channel, output)
        output += part
    return _Begun(channel, output.partition(ready)[2])


def plain(output: bytes | bytearray) -> str:
    """The end of what a host said, as one line without control characters."""
    text = output[-4 * _LAST_WORDS :].decode("utf-8", "replace")
    words = "".join(letter if letter.isprintable() else " " for letter in text).split()
    return " ".join(words)[-_LAST_WORDS:].rstrip(".")


def new_nonce() -> str:
    """A word no start-up file prints."""
    return f"sage-{uuid.uuid4().hex}"
