"""Errors a person can act on. Everything that is not a `SageError` is a bug and reaches the crash dialog.

Each is built from constant templates and named fields, `SageError("There is no bank {name}.", name=name)`,
so that the window can say it in its own language; `str(error)` is English.
"""

from __future__ import annotations

from core.text import Text, as_text


class SageError(Exception):
    """A fault the user can fix: one sentence on what happened, one on what to do about it.

    Args:
        what: What happened, naming the file, field and value concerned: a template, or a message.
        remedy: What the user can do; empty when nothing beyond `what` helps. A template as well.
        fields: What the gaps of both hold.
    """

    def __init__(
        self, what: str | Text, remedy: str | Text = "", /, **fields: object
    ) -> None:
        self.what = as_text(what, fields)
        self.remedy = as_text(remedy, fields)
        super().__init__(str(self.message))

    @property
    def message(self) -> Text:
        """Both in one."""
        if not self.remedy:
            return self.what
        has_end = str(self.what).endswith((".", "!", "?", ":"))
        both = "{what} {remedy}" if has_end else "{what}. {remedy}"
        return Text(both, what=self.what, remedy=self.remedy)


class NeedsPerson(SageError):
    """Nothing of this kind works before a person has acted: a retry meets the same fault."""


class InvalidInput(SageError):
    """Outside data (a file, a model reply, a row of a newer version) does not have the expected form.

    Args:
        source: File or other place the data came from.
        field: Path of the offending field, e.g. `case[2].inputs.x.shape`.
        problem: What is wrong, including the value: a template, or a message.
        remedy: What to change. A template as well.
        fields: What the gaps of both hold.
    """

    def __init__(
        self,
        source: str | Text,
        field: str,
        problem: str | Text,
        remedy: str | Text = "",
        /,
        **fields: object,
    ) -> None:
        self.source = str(source)
        self.field = field
        self.problem = as_text(problem, fields)
        what = Text(
            "{source}: {field}: {problem}",
            source=source,
            field=field,
            problem=self.problem,
        )
        super().__init__(what, as_text(remedy, fields))
