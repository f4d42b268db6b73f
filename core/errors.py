"""Errors a person can act on. Everything that is not a `SageError` is a bug and reaches the crash dialog."""

from __future__ import annotations


class SageError(Exception):
    """A fault the user can fix: one sentence on what happened, one on what to do about it.

    Args:
        what: What happened, naming the file, field and value concerned.
        remedy: What the user can do; empty when nothing beyond `what` helps.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        stop = "" if not remedy or what.endswith((".", "!", "?", ":")) else "."
        super().__init__(f"{what}{stop} {remedy}".strip())
        self.what = what
        self.remedy = remedy


class NeedsPerson(SageError):
    """Nothing of this kind works before a person has acted; whoever asks again meets the same fault."""


class InvalidInput(SageError):
    """Outside data (a file, a model reply, a row of a newer version) does not have the expected form.

    Args:
        source: File or other place the data came from.
        field: Path of the offending field, e.g. `case[2].inputs.x.shape`.
        problem: What is wrong, including the value.
        remedy: What to change.
    """

    def __init__(self, source: str, field: str, problem: str, remedy: str = "") -> None:
        super().__init__(f"{source}: {field}: {problem}", remedy)
        self.source = source
        self.field = field
        self.problem = problem
