"""Columns of the table of runs, and what its search field understands. No Qt but for the words."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.verdicts import (
    edited_text,
    latency_text,
    origin_text,
    ratio_text,
)

if TYPE_CHECKING:
    from core.engine.run_table import Run

_tr = partial(QCoreApplication.translate, "Runs")

Value = str | float | None


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        key: Name in the search field, in CSV and in the settings.
        title: Head of the column.
        value: What it is sorted and filtered by; None where it is not known.
        text: What is shown.
        is_number: Whether values are numbers, which stand at the right.
        usual: Whether it is shown until somebody chooses.
    """

    key: str
    title: str
    value: Callable[[Run], Value]
    text: Callable[[Run], str]
    is_number: bool = False
    usual: bool = True


def columns(parameters: Sequence[str]) -> tuple[Column, ...]:
    """All columns; `parameters` are those in which runs differ."""
    plain = (
        Column(
            "operator",
            _tr("Operator"),
            lambda run: run.operator,
            lambda run: run.operator,
        ),
        Column(
            "began", _tr("Began"), lambda run: run.began, lambda run: when(run.began)
        ),
        Column("state", _tr("State"), lambda run: run.state, state_text),
        Column("correct", _tr("Correct"), lambda run: _yes(run.correct), _correct),
        _number(
            "gain", _tr("Gain"), lambda run: run.gain, lambda run: ratio_text(run.gain)
        ),
        _number("best", _tr("Best"), lambda run: run.best, _latency),
        _number("first", _tr("First correct"), lambda run: run.first, _first, no=True),
        Column(
            "origin", _tr("Latency is"), lambda run: run.origin, _origin, usual=False
        ),
        _number("rounds", _tr("Rounds"), lambda run: run.rounds),
        _number("failed", _tr("Failed"), lambda run: run.failed),
        _number("tokens", _tr("Tokens"), lambda run: run.tokens),
        _number(
            "cost", _tr("Cost"), lambda run: run.cost, lambda run: _fixed(run.cost, 4)
        ),
        _number(
            "minutes", _tr("Minutes"), minutes, lambda run: _fixed(minutes(run), 1)
        ),
        Column(
            "host",
            _tr("Host"),
            lambda run: run.host,
            lambda run: place_text(run.host, ""),
        ),
        Column("device", _tr("Device"), lambda run: run.device, _device, usual=False),
        Column(
            "model",
            _tr("Model"),
            lambda run: str(run.model),
            lambda run: translated(run.model),
        ),
        Column(
            "method",
            _tr("Method"),
            lambda run: run.method,
            lambda run: run.method,
            usual=False,
        ),
        Column(
            "batch",
            _tr("Batch"),
            lambda run: run.batch,
            lambda run: run.batch,
            usual=False,
        ),
        Column(
            "edited",
            _tr("Edited by a person"),
            lambda run: _yes(run.edited),
            _edited,
            usual=False,
        ),
        Column(
            "judge", _tr("Evaluator"), lambda run: str(run.judge), _judge, usual=False
        ),
    )
    return (
        *plain,
        *(
            _parameter(name)
            for name in parameters
            if name not in {c.key for c in plain}
        ),
    )


def _number(
    key: str,
    title: str,
    value: Callable[[Run], float | None],
    text: Callable[[Run], str] | None = None,
    *,
    no: bool = False,
) -> Column:
    return Column(
        key,
        title,
        value,
        text or (lambda run: _whole(value(run))),
        is_number=True,
        usual=not no,
    )


def _parameter(name: str) -> Column:
    def value(run: Run) -> Value:
        found = run.parameters.get(name)
        return (
            float(found)
            if isinstance(found, int | float) and not isinstance(found, bool)
            else _word(found)
        )

    return Column(name, name, value, lambda run: _word(run.parameters.get(name)))


def _word(value: object) -> str:
    return (
        ""
        if value is None
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _whole(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:,.0f}"


def _fixed(value: float | None, digits: int) -> str:
    return "\N{EN DASH}" if value is None else f"{value:,.{digits}f}"


def _first(run: Run) -> str:
    return latency_text(run.first)


def _origin(run: Run) -> str:
    return origin_text(run.origin)


def _device(run: Run) -> str:
    return translated(run.device)


def _judge(run: Run) -> str:
    return translated(run.judge)


def _latency(run: Run) -> str:
    """With where it comes from, in one word."""
    return (
        f"{latency_text(run.best)} {origin_text(run.origin)}"
        if run.best is not None
        else latency_text(None)
    )


def _yes(value: bool) -> str:
    """As the search field takes it."""
    return "yes" if value else "no"


def _edited(run: Run) -> str:
    return _tr("yes") if run.edited else _tr("no")


def _correct(run: Run) -> str:
    return _tr("yes") if run.correct else _tr("no")


def state_text(run: Run) -> str:
    """The state in words, and whether a person edited the kernel."""
    words = {
        "running": _tr("Running"),
        "interrupted": _tr("Interrupted"),
        "finished": _tr("Finished"),
        "cancelled": _tr("Cancelled"),
    }
    said = words.get(run.state, run.state)
    return f"{said} · {edited_text()}" if run.edited else said


def place_text(host: str, device: str) -> str:
    """A host and a device in words; `local` is this computer."""
    return " · ".join(
        filter(
            None,
            (_tr("this computer") if host == "local" else host, translated(device)),
        )
    )


def minutes(run: Run) -> float | None:
    """Minutes from begin to end, None while it is open."""
    if not run.ended:
        return None
    return (
        datetime.fromisoformat(run.ended) - datetime.fromisoformat(run.began)
    ).total_seconds() / 60


def when(moment: str) -> str:
    """An ISO time in the person's own clock."""
    return (
        datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
        if moment
        else ""
    )


# ---- the search field

_WORD = re.compile(r'(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))')
_NUMBER = re.compile(r"(>=|<=|>|<|=)?([+-]?\d+(?:\.\d+)?)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
}
Test = Callable[["Run"], bool]


def conditions_of(text: str, known: Sequence[Column]) -> tuple[Test, ...]:
    """What a run must be: plain words it holds somewhere, and `field:value`, `field:>1.5`, `-field:value`."""
    by_key = {column.key.casefold(): column for column in known}
    found: list[Test] = []
    for minus, field, quoted, bare in _WORD.findall(text):
        column, value = by_key.get(field.casefold()), quoted or bare
        if column is None:
            whole = f"{field}:{value}" if field else value
            found.append(_holds(f"{minus}{whole}" if field else whole, known))
        elif value:
            test = _field(column, value)
            found.append(_not(test) if minus else test)
    return tuple(found)


def _not(test: Test) -> Test:
    return lambda run: not test(run)


def _holds(word: str, known: Sequence[Column]) -> Test:
    wanted, texts = (
        word.casefold(),
        [column for column in known if not column.is_number],
    )
    return lambda run: any(
        wanted in str(column.value(run)).casefold()
        or wanted in column.text(run).casefold()
        for column in texts
    )


def _field(column: Column, value: str) -> Test:
    number = _NUMBER.fullmatch(value)

    def test(run: Run) -> bool:
        found = column.value(run)
        if isinstance(found, float | int):
            return number is not None and _COMPARE[number[1] or "="](
                found, float(number[2])
            )
        if found is None:
            return False
        return (
            value.casefold() in found.casefold()
            or value.casefold() in column.text(run).casefold()
        )

    return test
