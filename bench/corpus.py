"""How far the twin gets with the experts' own answers of a checkout of NPUKernelBench, as a table per level.

`python -m bench.corpus CHECKOUT [--level 3] [--only NAME …] [--keep FILE]` imports the tasks into a folder of
its own, judges every answer as `sage evaluate` does (all cases but the big ones) and prints tables for
docs/twin-kernels.md. An answer that integrity rules refuse is judged once more without them, to tell a rule from a
fault. What is known of an answer that does not pass, with the evidence, is in `corpus_reasons.toml`; the exit
code is 1 when an answer fares otherwise than it says. With `--keep` finished answers are noted in FILE, one
JSON object a line, and a run that was broken off (Ctrl-C prints the tables so far) is continued. Nothing of the
checkout is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tabulate import tabulate

from bench.answer_project import copy_project

ROOT = Path(__file__).resolve().parent.parent
SAGE = [sys.executable, "-m", "sage_desktop.cli"]
KINDS = ("pass", "hazard", "refused", "fail")
_LONGEST_REASON = 300
_RULES_OFF = "format = 1\n[checks]\n"


@dataclass(frozen=True)
class Judged:
    """One answer.

    Attributes:
        name: Operator.
        level: `1`, `2`, `2 Foreach` or `3`.
        kind: One of `KINDS`; `refused` breaks an integrity rule and passes without the rules.
        reason: The verdict's cause, for a hazard the findings that make it one.
        compiler: Who compiled it; empty when nothing was.
        seconds: Wall clock of the evaluation.
        unmeasured: Timed cases that pass and have no latency, and why.
    """

    name: str
    level: str
    kind: str
    reason: str
    compiler: str
    seconds: float
    unmeasured: str = ""


def main() -> int:
    """Judge the answers and print the tables; 1 where one fares otherwise than expected."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--level", default="", help="1, 2 or 3")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--limit-s", type=float, default=1200, help="of one answer")
    options = parser.parse_args()
    pattern = f"tasks/level{options.level or '*'}/*/*/answer/0"
    answers = [
        answer
        for answer in sorted(options.checkout.resolve().glob(pattern))
        if not options.only or _operator_name(answer) in options.only
    ]
    rows_by_key = _judge_all(options.checkout, answers, options.keep, options.limit_s)
    keys = {_key(answer) for answer in answers}
    rows = [row for key, row in rows_by_key.items() if key in keys]
    print(tables(rows))
    surprises = [row for row in rows if row.kind != expected(row.name)["fares"]]
    for row in surprises:
        print(f"\n{row.name}: {row.kind}, expected: {expected(row.name)['fares']}")
    unmeasured = [
        row
        for row in rows
        if bool(row.unmeasured) != expected(row.name).get("unmeasured", False)
    ]
    for row in unmeasured:
        print(f"\n{row.name}: no latency of {row.unmeasured or 'none'}")
    return 1 if surprises or unmeasured else 0


def _judge_all(
    checkout: Path, answers: list[Path], keep: Path | None, limit_s: float
) -> dict[tuple[str, str], Judged]:
    """The verdicts by operator and level, stored ones too; an interruption ends the work."""
    rows_by_key = _stored_rows(keep)
    with (
        tempfile.TemporaryDirectory(prefix="sage-corpus-") as folder,
        suppress(KeyboardInterrupt),
    ):
        _run([*SAGE, "operators", "import", str(checkout), "--into", folder], 600)
        for number, answer in enumerate(answers, 1):
            key = name, level = _key(answer)
            if key not in rows_by_key:
                row = judged(Path(folder, name), answer, level, limit_s)
                rows_by_key[key] = row
                if keep is not None:
                    with keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(row)) + "\n")
            row = rows_by_key[key]
            outcome = f"{row.kind:<8} {level:<9} {name}"
            line = f"{outcome} {row.seconds:.0f} s: {row.reason}"
            print(f"{number}/{len(answers)} {line}", file=sys.stderr, flush=True)
    return rows_by_key


def _operator_name(answer: Path) -> str:
    return answer.parents[1].name


def _key(answer: Path) -> tuple[str, str]:
    """Operator and level."""
    return _operator_name(answer), _level(answer)


def judged(operator: Path, answer: Path, level: str, limit_s: float = 1200) -> Judged:
    """The verdict on the answer in `answer` to the imported task in `operator`."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sage-corpus-answer-") as folder:
        project = Path(folder) / "project"
        copy_project(answer, project)
        kind, reason, compiler, unmeasured = _verdict(operator, project, limit_s, {})
        if kind == "refused":
            # Without the rules: would it pass otherwise?
            rules = _without_rules(Path(folder) / "data")
            kind, other, compiler, unmeasured = _verdict(
                operator, project, limit_s, rules
            )
            if kind in ("pass", "hazard"):
                kind = "refused"
            else:
                reason = other
    return Judged(
        operator.name,
        level,
        kind,
        reason[:_LONGEST_REASON],
        compiler,
        round(time.monotonic() - began, 1),
        unmeasured,
    )


@cache
def reasons() -> dict[str, dict[str, Any]]:
    """What is known of answers that do not simply pass, by operator: `fares` (a kind), `why`, `wrong`."""
    with (Path(__file__).parent / "corpus_reasons.toml").open("rb") as file:
        return tomllib.load(file)


def expected(name: str) -> dict[str, Any]:
    """How the answer for this operator is known to fare."""
    return reasons().get(name, {"fares": "pass", "why": ""})


def tables(rows: Iterable[Judged]) -> str:
    """Markdown: counts per level, then every answer that does not simply pass with its reason."""
    rows = sorted(rows, key=lambda row: (row.level, row.name))
    exceptions = [row for row in rows if row.kind != "pass"]
    counts = []
    for level in sorted({row.level for row in rows}):
        of_level = [row for row in rows if row.level == level]
        kinds = Counter(row.kind for row in of_level)
        compiled = sum(bool(row.compiler) for row in of_level)
        unexplained = sum(
            row.kind not in ("pass", expected(row.name)["fares"]) for row in of_level
        )
        per_kind = [kinds[kind] for kind in KINDS]
        counts.append([level, len(of_level), compiled, *per_kind, unexplained])
    heads = ["level", "answers", "compile", *KINDS, "without a known reason"]
    reasons_of_rows = []
    for row in exceptions:
        reason = _known_reason(row) or f"(open) {row.reason}"
        reasons_of_rows.append([row.level, row.name, row.kind, reason])
    reason_heads = ["level", "operator", "", "reason"]
    count_table = tabulate(counts, heads, tablefmt="github")
    reason_table = tabulate(reasons_of_rows, reason_heads, tablefmt="github")
    return f"{count_table}\n\n{reason_table}"


def _known_reason(row: Judged) -> str:
    expectation = expected(row.name)
    return str(expectation["why"]) if expectation["fares"] == row.kind else ""


def _verdict(
    operator: Path, project: Path, limit_s: float, more: dict[str, str]
) -> tuple[str, str, str, str]:
    """What came out: kind, reason, compiler, and cases without a latency."""
    command = [
        *SAGE,
        "evaluate",
        "--operator",
        str(operator),
        "--candidate",
        str(project),
        "--json",
    ]
    code, out, err = _run(command, limit_s, more)
    try:
        verdict = json.loads(out)
    except ValueError:  # no verdict: the last line says why
        lines = err.strip().splitlines() or [f"exit code {code}"]
        return "fail", lines[-1], "", ""
    compiler = str(verdict["build"]["compiler"])
    reason = str(verdict["cause"])
    kinds = {"pass": "pass", "pass-with-hazard": "hazard", "fail-integrity": "refused"}
    kind = kinds.get(verdict["verdict"], "fail")
    if kind == "hazard":
        hazards = []
        for finding in verdict["findings"]:
            if finding["severity"] == "hazard":
                place = f"{finding['file']}:{finding['line']}"
                hazards.append(f"{finding['rule']}: {finding['message']} [{place}]")
        reason = "; ".join(hazards)
    statuses = [case["status"] for case in verdict["cases"]]
    judged_statuses = [status for status in statuses if status != "skipped"]
    bad = sum(status != "pass" for status in judged_statuses)
    if bad:
        reason = f"{bad} of {len(judged_statuses)} cases: {reason}"
    compiled_by = compiler if verdict["build"]["ok"] else ""
    return kind, reason, compiled_by, _unmeasured(verdict)


def _unmeasured(verdict: dict[str, Any]) -> str:
    """Timed cases that pass and have no latency, with the findings about that."""
    names = [
        case["case"]
        for case in verdict["cases"]
        if case["timed"] and case["status"] == "pass" and case["latency"] is None
    ]
    why = [
        finding["message"]
        for finding in verdict["findings"]
        if "latency" in finding["message"]
    ]
    return f"{', '.join(names)}: {'; '.join(why)}" if names else ""


def _without_rules(data: Path) -> dict[str, str]:
    """An environment with a data folder of its own, where a rule file switches every check off."""
    checks = (
        "high-level-substitution",
        "foreign-include",
        "shape-detection",
        "kept-state",
    )
    data.mkdir()
    off = "".join(f"{name} = false\n" for name in checks)
    (data / "integrity.toml").write_text(_RULES_OFF + off, encoding="utf-8")
    return {"SAGE_DATA_DIR": str(data)}


def _run(
    command: list[str], limit_s: float, more: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, which is interrupted when it takes too long."""
    environment: dict[str, Any] = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        **(more or {}),
    }
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate()
            return 1, "", f"not judged within {limit_s:.0f} s"
        return process.returncode, out, err


def _level(answer: Path) -> str:
    """The level of the folder; the Foreach operators of level 2 are counted apart."""
    level = answer.parents[3].name.removeprefix("level")
    return f"{level} Foreach" if answer.parents[2].name == "Foreach" else level


def _stored_rows(file: Path | None) -> dict[tuple[str, str], Judged]:
    if file is None or not file.exists():
        return {}
    rows = [
        Judged(**json.loads(line))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return {(row.name, row.level): row for row in rows}


if __name__ == "__main__":
    sys.exit(main())
