"""What a build on the CPU twin costs: three of our kernels, new, changed in one place, and unchanged.

CPU seconds of all processes, which a busy machine does not stretch, and seconds on the clock; medians. It
runs without the sandbox, which hides the CPU time of its processes and costs something for every compiler.
The twin is prepared first, as after set-up. Peers: `g++ -O2` of one translation unit of the kernel, headers
read as text; and another checkout, taking turns with this one:

    python bench/bench_compile.py [--against FOLDER] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ("AbsMath", "LayerNormV4", "BatchNormV3")
CHANGES = ("new", "kernel changed", "comments changed", "nothing changed")
GOALS_S = {
    "new": 5.0,
    "kernel changed": 1.5,
}  # of two dtypes, on the clock of an idle machine
Cost = tuple[float, float]  # CPU seconds, seconds on the clock


def cost_of(work: Callable[[], object]) -> Cost:
    """What `work` and the processes it waited for used."""

    def used() -> float:
        both = [
            resource.getrusage(who)
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ]
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    before, started = used(), time.perf_counter()
    work()
    return used() - before, time.perf_counter() - started


def variants(files: Mapping[str, str], mark: str) -> dict[str, dict[str, str]]:
    """The candidate in the order it is built: files by what changed."""
    kernel = next(
        path
        for path in files
        if path.startswith("op_kernel/") and path.endswith(".cpp")
    )
    new = {
        path: f'{text}\nstatic_assert(true, "{mark}");\n'
        for path, text in files.items()
    }
    changed = {**new, kernel: new[kernel] + 'static_assert(true, "changed");\n'}
    remarked = {
        **changed,
        kernel: changed[kernel].replace('"changed");', '"changed");  // said'),
    }
    return dict(zip(CHANGES, (new, changed, remarked, remarked), strict=True))


def measure(kernel: str, cache: Path, mark: str) -> dict[str, Cost]:
    """Build one kernel in every state with the code of the checkout it is run in."""
    sys.path.insert(0, str(Path.cwd()))
    from core.evaluation.records import Candidate
    from core.operators.catalogue import catalogue_operator
    from remote.judge.judge import Judge
    from remote.judge.processes.children import ChildGroup
    from remote.judge.serving.guarded import guarded
    from remote.toolchains.twin import TwinToolchain
    from tests.own_kernels import own_kernel
    from tests.remote.no_sandbox import without_sandbox

    twin = Path.cwd() / "resources" / "twin"
    judge = Judge(cache, twin, workers=2)
    # The kernel does not add the CPU time of what runs in bubblewrap to that of the process outside.
    judge._twin.sandbox = without_sandbox(cache)  # noqa: SLF001 - a bench, not a judge
    costs = {}
    for change, files in variants(own_kernel(kernel).files, mark).items():
        request = TwinToolchain(cache, twin).request(
            catalogue_operator(kernel), Candidate(files)
        )
        job = {
            **request.payload,
            "id": request.job,
            "build_only": True,
            "allow_unconfined": True,
        }
        built: list[dict[str, Any]] = []

        def build(
            job: dict[str, Any] = job, built: list[dict[str, Any]] = built
        ) -> None:
            answer = guarded(
                lambda _job: judge,
                job,
                ChildGroup("bench"),
                lambda *_text, **_fields: None,
            )
            built.append(answer["evaluation"]["build"])

        costs[change] = cost_of(build)
        if not built[0]["ok"]:
            raise RuntimeError(f"{kernel}: {built[0]['cause']}")
    return costs


def plain(folder: Path) -> Cost:
    """`g++ -O2` of AbsMath's kernel for one dtype, all headers read as text."""
    from remote.judge.building.glue import kernel_glue
    from tests.own_kernels import own_kernel
    from tests.remote.helpers import toy_operator
    from tests.twin.harness import INCLUDE

    files = own_kernel("AbsMath").files
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    operator = toy_operator(name="AbsMath", snake="abs_math")
    glue = kernel_glue(
        operator,
        files,
        "op_kernel/abs_math.cpp",
        [("x", "float32")],
        [("y", "float32")],
    )
    (folder / "glue.cpp").write_text('#include "twin/kernel_prelude.h"\n' + glue)
    flags = ["-std=c++17", "-O2", "-w", f"-I{INCLUDE}", "-Iop_kernel", "-Iop_host"]
    command = ["g++", *flags, "-c", "glue.cpp", "-o", "glue.o"]
    return cost_of(lambda: subprocess.run(command, check=True, cwd=folder))


def ask(checkout: Path, kernel: str, cache: Path, mark: str) -> dict[str, Cost]:
    """`measure` in a process of its own, with the code of `checkout`."""
    command = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--measure",
        kernel,
        str(cache),
        mark,
    ]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    process = subprocess.run(
        command,
        cwd=checkout,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    # Other lines are progress of the build.
    costs: dict[str, Cost] = json.loads(process.stdout.splitlines()[-1])
    return costs


def median(costs: list[Cost]) -> Cost:
    """Medians of both."""
    cpu = statistics.median(cpu for cpu, _wall in costs)
    wall = statistics.median(wall for _cpu, wall in costs)
    return cpu, wall


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FOLDER",
        help="another checkout to compare with",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kernel", action="append", choices=KERNELS)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        kernel, cache, mark = options.measure
        print(json.dumps(measure(kernel, Path(cache), mark)))
        return
    sys.path.insert(0, str(ROOT))
    checkouts = [ROOT]
    if options.against:
        checkouts.append(options.against.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        caches = {
            checkout: folder / f"cache{number}"
            for number, checkout in enumerate(checkouts)
        }
        for checkout, cache in caches.items():  # the first build prepares the twin
            ask(checkout, "AbsMath", cache, "first")
        plain_runs = [plain(folder / f"plain{turn}") for turn in range(options.rounds)]
        bare_cpu, bare_wall = median(plain_runs)
        print(
            f"g++ -O2 of AbsMath's kernel for one dtype: {bare_cpu:.2f} s CPU, "
            f"{bare_wall:.2f} s on the clock"
        )
        for kernel in options.kernel or KERNELS:
            runs = _in_turns(kernel, caches, options.rounds)
            for change in CHANGES:
                cpu, wall = median([costs[change] for costs in runs[ROOT]])
                line = f"{kernel:<14} {change:<18} {cpu:6.2f} s CPU {wall:6.2f} s"
                line += f"  {cpu / bare_cpu:5.1f} x g++ -O2"
                if options.against:
                    other = [costs[change] for costs in runs[checkouts[1]]]
                    cpu_before, wall_before = median(other)
                    line += f"  before {cpu_before:6.2f} s CPU {wall_before:6.2f} s"
                    line += f"  ({cpu / cpu_before:.2f} x)"
                if kernel == "AbsMath" and change in GOALS_S:
                    goal = GOALS_S[change]
                    line += f"  goal {goal} s {'kept' if wall <= goal else 'missed'}"
                print(line, flush=True)


def _in_turns(
    kernel: str, caches: dict[Path, Path], turns: int
) -> dict[Path, list[dict[str, Cost]]]:
    """The costs of each checkout, measured in turn; which one begins changes."""
    runs: dict[Path, list[dict[str, Cost]]] = {checkout: [] for checkout in caches}
    for turn in range(turns):
        order = list(caches) if turn % 2 == 0 else list(caches)[::-1]
        for checkout in order:
            costs = ask(checkout, kernel, caches[checkout], f"turn{turn}")
            runs[checkout].append(costs)
    return runs


if __name__ == "__main__":
    main()
