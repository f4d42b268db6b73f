"""How the comparison is shown: columns, folds, blanks, wrapping, colours, context; remembered."""

from __future__ import annotations

from functools import partial

from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import CONTEXT
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.preferences import Preferences

_OPTIONS = {
    "review.inline": ("inline", False),
    "review.two_columns": ("two_columns", False),
    "review.fold": ("fold", True),
    "review.whitespace": ("ignore_space", False),
    "review.wrap": ("wrap", False),
    "review.colors": ("colors", True),
}
_CONTEXTS = (0, 1, 3, 6, 12, 25)  # unchanged lines around a change one can choose


def bind_view_options(
    diff: DiffView, actions: ActionRegistry, preferences: Preferences
) -> None:
    """Show `diff` as it was shown last, and let the commands of the Review menu change that."""

    def switch(option: str, checked: bool) -> None:
        preferences.set(f"review/{option}", checked)
        diff.set_option(option, on=checked)

    def change_context(step: int) -> None:
        now = preferences.number("review/context", CONTEXT)
        others = [
            lines for lines in _CONTEXTS if (lines > now if step > 0 else lines < now)
        ]
        if others:
            lines = min(others) if step > 0 else max(others)
            preferences.set("review/context", lines)
            diff.set_context(lines)

    diff.set_context(preferences.number("review/context", CONTEXT))
    actions.bind("review.context_more", lambda: change_context(1))
    actions.bind("review.context_less", lambda: change_context(-1))
    for action, (option, default) in _OPTIONS.items():
        on = preferences.flag(f"review/{option}", default=default)
        diff.set_option(option, on=on)
        actions.bind_switch(action, partial(switch, option), checked=on)
