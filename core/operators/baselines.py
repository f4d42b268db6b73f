"""`baselines.toml` beside operators: what users call today in the place of each (paper, T_torch).

A file of its own, and no part of an operator's digest: what a kernel is compared with changes no verdict.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.errors import InvalidInput
from core.operators.spec import Baseline
from core.operators.toml_table import Table
from core.outside import read_text, toml_table

FILE = "baselines.toml"


def read_baseline(folder: Path, operator: str) -> Baseline | None:
    """The baseline of the operator in `folder`, from the file beside it; None when there is none.

    Raises:
        InvalidInput: The file is not as it should be; names operator and field.
    """
    path = folder.parent / FILE
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return None
    return _read(path, changed).get(operator)


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> dict[str, Baseline]:
    """Name -> baseline of a file; kept until the file changes, which `_changed`, its time, tells."""
    baselines = {}
    for name, values in toml_table(read_text(path), str(path)).items():
        if not isinstance(values, dict):
            raise InvalidInput(
                str(path),
                name,
                "is not a table",
                "Each operator is a table, as [RmsNorm].",
            )
        table = Table(str(path), name, values)
        baseline = Baseline(
            call=table.take("call", str, ""),
            given=dict(table.take("given", dict, {})),
            when=table.take("when", str, ""),
            since=table.take("since", str, ""),
            none=table.take("none", str, ""),
        )
        table.finish()
        if bool(baseline.call) == bool(baseline.none):
            raise table.fault(
                "call", "is needed, or `none` with the reason, and not both"
            )
        for key, text in {
            "call": baseline.call,
            "when": baseline.when,
            **baseline.given,
        }.items():
            try:
                compile(text or "None", key, "eval")
            except (SyntaxError, TypeError) as error:
                raise table.fault(
                    key, "is not an expression: {error}", error=error
                ) from error
        baselines[name] = baseline
    return baselines
