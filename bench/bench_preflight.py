"""The language lint of a changed candidate beside a plain parse of the same sources by libclang.

Peers: `plain` reads every header with each translation unit; `fresh` is a new process for each candidate,
with the headers precompiled. The kernels are those of the tests, each with a comment added that makes it a
new one. Wall-clock on this machine, medians over the kernels of the best of three; the reports must be equal, but
for includes of headers that are precompiled, which libclang then does not read again and does not list.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.evaluation.integrity.tree import FactKind
from core.evaluation.records import Candidate
from remote.judge.job import Interface
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.lint import lint
from remote.toolchains.preflight.parsing import Parser
from remote.toolchains.preflight.project import declared_operator
from remote.toolchains.preflight.report import LintReport
from tests.own_kernels import own_kernel

TWIN = Path(str(resources.files("resources") / "twin"))
NAMES = (
    "AbsMath",
    "HalveAdd",
    "BasicMatmul",
    "RmsNorm",
    "ForeachAbs",
    "GeluGrad",
    "ApplyAdamWV2",
    "DequantSwigluQuant",
)
GOALS = {"first": 1.5, "changed": 0.1, "unchanged": 0.01}


class PlainParser(Parser):
    """Reads the headers every time."""

    def _precompiled(self, side: str) -> None:
        del side


def changed(name: str, mark: str) -> tuple[Interface, Candidate]:
    """The operator a kernel declares, and the kernel as a new candidate."""
    candidate = own_kernel(name)
    files = {path: f"{text}\n// {mark}\n" for path, text in candidate.files.items()}
    return declared_operator(candidate), Candidate(files)


def timed(work: Callable[[], LintReport]) -> tuple[LintReport, float]:
    """What work says, without its times and includes of the toolkit, and the seconds it took.

    Raises:
        RuntimeError: The lint did not run.
    """
    started = time.perf_counter()
    report = work()
    seconds = time.perf_counter() - started
    if report.note:
        raise RuntimeError(report.note)
    facts = tuple(
        fact
        for fact in report.facts
        if fact.kind is not FactKind.INCLUDE or not fact.text.startswith('"')
    )
    return replace(report, seconds=0.0, version="", facts=facts), seconds


def lint_changed(
    preflight: Preflight, name: str, mark: str
) -> tuple[LintReport, float]:
    """The lint of a changed kernel, as the application asks for it."""
    operator, candidate = changed(name, mark)
    return timed(lambda: asyncio.run(preflight.lint(operator, candidate)))


def plainly(parser: Parser, name: str, mark: str) -> tuple[LintReport, float]:
    """The same rules on a plain parse."""
    operator, candidate = changed(name, mark)
    return timed(lambda: lint(parser, operator, candidate.files))


def main() -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as folder:
        preflight = Preflight(TWIN, Path(folder))
        _report, first = lint_changed(preflight, "AbsMath", "first")
        preflight.close()
        fresh = []
        for name in NAMES:
            _report, seconds = lint_changed(preflight, name, "fresh")
            fresh.append(seconds)
            preflight.close()
        warm = {}
        for name in NAMES:
            answers = [lint_changed(preflight, name, f"warm {n}") for n in range(4)]
            warm[name] = answers[1:]  # the first one starts the process
        unchanged = []
        for name in NAMES:
            _report, seconds = lint_changed(preflight, name, "warm 3")
            unchanged.append(seconds)
        preflight.close()
        parser = PlainParser(TWIN, Path(folder))
        plain = {name: plainly(parser, name, "warm 1") for name in NAMES}
    best_times = []
    for name in NAMES:
        plain_report, plain_s = plain[name]
        warm_report, _seconds = warm[name][0]
        same = "same report" if plain_report == warm_report else "ANOTHER REPORT"
        best = min(seconds for _report, seconds in warm[name])
        best_times.append(best)
        print(f"{name:<20} changed {best:6.3f} s   plain {plain_s:6.3f} s   {same}")
    medians = {
        "first": first,
        "changed": statistics.median(best_times),
        "unchanged": statistics.median(unchanged),
    }
    peers = {
        "fresh": statistics.median(fresh),
        "plain": statistics.median(seconds for _report, seconds in plain.values()),
    }
    for what, seconds in medians.items():
        ratios = ", ".join(
            f"{seconds / peer:.3f} of {name} ({peer:.2f} s)"
            for name, peer in peers.items()
        )
        verdict = "kept" if seconds <= GOALS[what] else "missed"
        print(f"{what:<10} {seconds:6.3f} s  goal {GOALS[what]} s {verdict}  {ratios}")


if __name__ == "__main__":
    main()
