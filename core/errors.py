"""Errors a person can act on. Everything that is not a `SageError` is a bug and reaches the crash dialog.

Each is built from constant templates and named fields, `SageError("There is no bank {name}.", name=name)`,
so that the window can say it in its own language; `str(error)` is English.
"""

from __future__ import annotations

from core.sentence import Sentence


class SageError(Exception):
    """A fault the user can fix: one sentence on what happened, one on what to do about it.

    Args:
        what: What happened, naming the file, field and value concerned: a template, or a sentence.
        remedy: What the user can do; empty when nothing beyond `what` helps. A template as well.
        fields: What the gaps of both hold.
    """

    def __init__(self, what: str, remedy: str = "", /, **fields: object) -> None:
        self.what = Sentence.of(what, **fields)
        self.remedy = Sentence.of(remedy, **fields)
        super().__init__(self.sentence)

    @property
    def sentence(self) -> Sentence:
        """Both in one."""
        if not self.remedy:
            return self.what
        ended = self.what.endswith((".", "!", "?", ":"))
        both = "{what} {remedy}" if ended else "{what}. {remedy}"
        return Sentence(both, what=self.what, remedy=self.remedy)


class NeedsPerson(SageError):
    """Nothing of this kind works before a person has acted; whoever asks again meets the same fault."""


class InvalidInput(SageError):
    """Outside data (a file, a model reply, a row of a newer version) does not have the expected form.

    Args:
        source: File or other place the data came from.
        field: Path of the offending field, e.g. `case[2].inputs.x.shape`.
        problem: What is wrong, including the value: a template, or a sentence.
        remedy: What to change. A template as well.
        fields: What the gaps of both hold.
    """

    def __init__(
        self,
        source: str,
        field: str,
        problem: str,
        remedy: str = "",
        /,
        **fields: object,
    ) -> None:
        self.source, self.field, self.problem = (
            source,
            field,
            Sentence.of(problem, **fields),
        )
        what = Sentence(
            "{source}: {field}: {problem}",
            source=source,
            field=field,
            problem=self.problem,
        )
        super().__init__(what, Sentence.of(remedy, **fields))
