"""How far the twin gets with the experts' own answers of a checkout of NPUKernelBench, as a table per level.

`python bench/corpus.py CHECKOUT [--only NAME …] [--keep FILE]` imports the tasks into a folder of its own,
judges every answer as `sage evaluate` does (all cases but the big ones) and prints tables for docs/twin.md:
each answer that does not pass with its reason. With `--keep` finished answers are noted in FILE, and a run
that was broken off goes on. Nothing of the checkout is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
SAGE = [sys.executable, "-m", "sage_desktop.cli"]
KINDS = ("pass", "hazard", "fail", "no build")
_LONGEST_REASON = 220


@dataclass(frozen=True)
class Judged:
    """One answer.

    Attributes:
        name: Operator.
        level: `1`, `2`, `2 Foreach` or `3`.
        kind: One of `KINDS`.
        reason: The verdict's cause, for a hazard the findings that make it one.
        compiler: Who compiled it.
        seconds: Wall clock of the evaluation.
    """

    name: str
    level: str
    kind: str
    reason: str
    compiler: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    asked = parser.parse_args()
    known = _kept(asked.keep)
    with tempfile.TemporaryDirectory(prefix="sage-corpus-") as name:
        tasks = Path(name)
        subprocess.run(
            [*SAGE, "operators", "import", str(asked.checkout), "--into", name],
            env=_environment(), check=False, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        for answer in sorted(asked.checkout.glob("tasks/level*/*/*/answer/0")):
            operator, level = answer.parents[1].name, _level(answer)
            if asked.only and operator not in asked.only:
                continue
            if (operator, level) not in known:
                known[operator, level] = judged(tasks / operator, answer, level)
                if asked.keep:
                    with asked.keep.open("a") as file:
                        file.write(json.dumps(asdict(known[operator, level])) + "\n")
            found = known[operator, level]
            print(f"{found.kind:<9} {level:<10} {operator}: {found.reason}", file=sys.stderr, flush=True)
    shown = [row for row in known.values() if not asked.only or row.name in asked.only]
    print(tables(shown))
    return 0


def judged(operator: Path, answer: Path, level: str) -> Judged:
    """The verdict on the answer in `answer` to the imported task in `operator`."""
    began = time.monotonic()
    command = [*SAGE, "evaluate", "--operator", str(operator), "--candidate", str(answer), "--json"]
    ended = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    seconds = round(time.monotonic() - began, 1)
    try:
        verdict = json.loads(ended.stdout)
    except ValueError:
        said = (ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1]
        return Judged(operator.name, level, "no build", said[:_LONGEST_REASON], "", seconds)
    compiler = verdict["build"]["compiler"]
    kind = {"pass": "pass", "pass-with-hazard": "hazard"}.get(verdict["verdict"], "fail")
    kind = kind if verdict["build"]["ok"] else "no build"
    reason = verdict["cause"]
    if kind == "hazard":
        hazards = (found for found in verdict["findings"] if found["severity"] == "hazard")
        reason = "; ".join(
            f"{found['rule']}: {found['message']} [{found['file']}:{found['line']}]" for found in hazards
        )
    bad = Counter(case["status"] for case in verdict["cases"] if case["status"] not in ("pass", "skipped"))
    if bad:
        rows = sum(case["status"] != "skipped" for case in verdict["cases"])
        reason = f"{sum(bad.values())} of {rows} cases: {reason}"
    return Judged(operator.name, level, kind, reason[:_LONGEST_REASON], compiler, seconds)


def tables(rows: Iterable[Judged]) -> str:
    """Markdown: counts per level, then every answer that does not simply pass."""
    rows = sorted(rows, key=lambda row: (row.level, row.name))
    counts = []
    for level in sorted({row.level for row in rows}):
        kinds = Counter(row.kind for row in rows if row.level == level)
        total = sum(kinds.values())
        counts.append([level, total, total - kinds["no build"], *(kinds[kind] for kind in KINDS[:3])])
    others = [[row.level, row.name, row.kind, row.reason] for row in rows if row.kind != "pass"]
    return "\n\n".join(
        [
            tabulate(counts, ["level", "answers", "compile", *KINDS[:3]], tablefmt="github"),
            tabulate(others, ["level", "operator", "", "reason"], tablefmt="github"),
        ]
    )


def _level(answer: Path) -> str:
    level = answer.parents[3].name.removeprefix("level")
    return f"{level} Foreach" if answer.parents[2].name == "Foreach" else level


def _kept(file: Path | None) -> dict[tuple[str, str], Judged]:
    if file is None or not file.exists():
        return {}
    rows = [Judged(**json.loads(line)) for line in file.read_text().splitlines()]
    return {(row.name, row.level): row for row in rows}


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


if __name__ == "__main__":
    sys.exit(main())
