"""The CPU twin beside plain g++ of equivalent C++ and NumPy: one kernel with its host side, compiled and run.

The kernel is AbsMath in float32. Compiling starts with the twin's own headers and runtime prepared (once per
version and compiler), as in every evaluation but the first. Times are wall-clock on this machine, best of
several; a ratio says how many times the peer's time the twin takes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.judge.serving.guarded import guarded
from remote.toolchains.twin import TwinToolchain

ROOT = Path(__file__).parents[1]
TWIN = ROOT / "resources" / "twin"
KERNEL = "op_kernel/abs_math.cpp"
GOALS = {"cold": 4.0, "unchanged": 0.1, "run": 0.3}
# The same work without a device: read, absolute values, write, on one core.
PLAIN = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>
int main(int, char** arguments) {
    std::ifstream in(arguments[1], std::ios::binary | std::ios::ate);
    std::vector<float> x(static_cast<size_t>(in.tellg()) / sizeof(float)), y(x.size());
    in.seekg(0);
    in.read(reinterpret_cast<char*>(x.data()), x.size() * sizeof(float));
    for (size_t i = 0; i < x.size(); ++i) y[i] = std::fabs(x[i]);
    std::ofstream out(arguments[2], std::ios::binary);
    out.write(reinterpret_cast<const char*>(y.data()), y.size() * sizeof(float));
}
"""


def best(work: Callable[[], object], times: int = 3) -> float:
    """Shortest of several times, seconds."""
    durations = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        durations.append(time.perf_counter() - started)
    return min(durations)


def show(what: str, seconds: float, peers: Mapping[str, float], goal: float) -> None:
    """One line: the time, what it is of every peer, and whether the goal is kept."""
    ratios = [
        f"{seconds / peer:.1f} x {name} ({peer:.3f} s)" for name, peer in peers.items()
    ]
    verdict = "kept" if seconds <= goal else "missed"
    goal_text = f"goal {goal} s {verdict}"
    print(f"{what:<44} {seconds:7.3f} s  {goal_text}  {', '.join(ratios)}")


class Bench:
    """A judge of its own in `folder` and the jobs it is given. `task` replaces the catalogue's operator."""

    def __init__(
        self, folder: Path, operator: str = "AbsMath", task: OperatorSpec | None = None
    ) -> None:
        self._cache = folder / "cache"
        self._judge = Judge(self._cache, TWIN, workers=2)
        self._operator = task or catalogue_operator(operator)
        self._candidate = read_candidate(ROOT / "tests" / "data" / "kernels" / operator)

    def evaluate(self, case: str, mark: str = "", **changes: object) -> dict[str, Any]:
        """The result of one case; `mark` is a comment that makes the kernel new, `changes` are the job's.

        Raises:
            RuntimeError: The kernel does not pass, so its times mean nothing.
        """
        files = dict(self._candidate.files)
        for path in files:
            files[path] += f"\n// {mark}\n" if mark else ""
        request = TwinToolchain(self._cache, TWIN, run_big=True).request(
            self._operator, Candidate(files)
        )
        job = {**request.payload, "id": request.job, **changes}
        job["cases"] = [entry for entry in job["cases"] if entry["name"] == case]
        children = ChildGroup(request.job)
        answer = guarded(
            lambda _job: self._judge, job, children, lambda *_text, **_fields: None
        )
        result: dict[str, Any] = answer["evaluation"]
        if not str(result["verdict"]).startswith("pass"):
            raise RuntimeError(f"{self._operator.name}: {result['cause']}")
        return result


def compile_plain(folder: Path) -> Path:
    """Compile the plain program as its author would."""
    source, program = folder / "plain.cpp", folder / "plain"
    source.write_text(PLAIN)
    subprocess.run(
        ["g++", "-std=c++17", "-O2", str(source), "-o", str(program)], check=True
    )
    return program


def main() -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(folder)
        bench.evaluate("aligned-float32")
        plain = best(lambda: compile_plain(folder))
        cold = min(
            bench.evaluate("aligned-float32", f"new {n}")["build"]["seconds"]
            for n in range(3)
        )
        show(
            "compile kernel, host side and link, cold",
            cold,
            {"g++ -O2": plain},
            GOALS["cold"],
        )
        again = min(
            bench.evaluate("aligned-float32")["build"]["seconds"] for _ in range(3)
        )
        show("the same, nothing changed", again, {"g++ -O2": plain}, GOALS["unchanged"])
        program = compile_plain(folder)
        for case, elements in (
            ("long-rows-float32", 1009 * 1001),
            ("large-float32", 64 << 20),
        ):
            x = np.random.default_rng(0).standard_normal(elements, dtype=np.float32)
            x.tofile(folder / "x.bin")
            times = 1 if elements > 8 << 20 else 3
            run = min(
                float(bench.evaluate(case)["cases"][0]["seconds"]) for _ in range(times)
            )
            command = [str(program), str(folder / "x.bin"), str(folder / "y.bin")]
            peers = {
                "g++": best(partial(subprocess.run, command, check=True)),
                "NumPy": best(partial(np.abs, x)),
            }
            show(
                f"run {elements / 1e6:.1f} M elements, 48 cores, all checks",
                run,
                peers,
                GOALS["run"] * max(1, round(elements / 1e6)),
            )


if __name__ == "__main__":
    main()
