"""How long the silence of a host may last, and what is done then; all in seconds.

In the order in which a connection comes to life: its configuration is read, TCP connects,
the SSH server greets, the login is answered, a channel opens, the job server greets. From
then on `Timing` decides: a channel that is silent is asked for a sign of life, and one that
stays silent is ended and opened again. A host that stays out of reach loses its work to
another one.

The time that TCP may take is the user's `ConnectTimeout`, see `SshTarget`.
"""

from __future__ import annotations

from dataclasses import dataclass

CONFIGURATION = 15.0
"""`ssh -G` may take; then the configuration counts as unreadable."""
CONNECT_AGAIN = 5.0
"""One of several tries of TCP: one that spans an outage costs more than a new one."""
SSH_GREETING = 20.0
"""Until the SSH server has sent its banner, and until keys are exchanged."""
LOGIN_ANSWER = 30.0
"""For the answer to one key that is offered."""
PERSON = 110.0
"""For a person to answer a question; servers commonly end a login after 120 s."""
CHANNEL = 15.0
"""To open a channel; twice that until the login shell runs our command."""
EXIT_CODE = 2.0
"""Between the end of a program's output and its exit code."""
JOB_SERVER_GREETING = 10.0
"""For the first frame of the job server, beyond what `Timing` allows any answer."""
FORGET = 10.0
"""To remove an ended job from its host; the host forgets it by itself later."""
KNOWS_JOB = 5.0
"""To ask a host whether it has a job already; then it counts as not having it."""
OUT_OF_REACH = 120.0
"""A host may be out of reach until its work goes to another one."""


@dataclass(frozen=True)
class Timing:
    """When a channel in use is asked for a sign of life, and when it is ended.

    A channel that is dead without anything saying so is noticed within 10 s.

    Attributes:
        quiet: Silence after which the job server is asked.
        answer: Silence after that which ends the channel.
        answer_after_sleep: The same once this computer has slept.
        jump: Difference between clocks that means that it has.
        first_pause: Before the second try to connect; it doubles with each one.
        longest_pause: The longest of these.
    """

    quiet: float = 4.0
    answer: float = 6.0
    answer_after_sleep: float = 3.0
    jump: float = 5.0
    first_pause: float = 0.25
    longest_pause: float = 30.0
