"""Faults of the environment: never the candidate's fault, so they end an evaluation as `void`."""

from __future__ import annotations

import errno

_MACHINE_ERRORS = (
    *(errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOMEM),
    *(errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.EIO),
)


class EnvironmentFault(Exception):  # the application's word for it
    """The machine, the compiler or the operator's own files failed; the message says which and what to do."""


# Said of a device, which may be put in quarantine for it.
class DeviceFault(EnvironmentFault):
    """A device failed before any code of a candidate ran on it.

    Args:
        problem: What it reported.
        unit: Name of its lease, empty when it was not borrowed.
    """

    def __init__(self, problem: str, unit: str) -> None:
        super().__init__(problem)
        self.unit = unit


# Said of a case, the verdict is made by the others.
class UnavailableCase(EnvironmentFault):
    """A case of an imported task cannot be had here: its own code fails, or it has an unknown type."""


class UnexplainedEnd(Exception):  # of a run; decided by running it once more
    """Machine and candidate can both have caused the end of a run, and the machine shows no sign of it.

    Args:
        how: How it ended, in words that are the same for the same end.
    """

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Cancelled(Exception):  # not an error
    """The evaluation was cancelled; its children are already ended."""


def fault_of(error: OSError) -> EnvironmentFault:
    """Turn an operating system error into the sentence the user reads."""
    place = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EnvironmentFault(
            f"The disk is full{place}. Free some space, for example by deleting the cache folder."
        )
    if error.errno in _MACHINE_ERRORS:
        return EnvironmentFault(f"The machine refused: {error.strerror}{place}.")
    return EnvironmentFault(
        f"A file of the judge could not be used: {error.strerror or error}{place}."
    )
