"""What isolation costs, told apart: warm evaluations, compiling, charges for loops and a whole demo.

    python bench/bench_sandbox.py [--turns N] [--only PART] [--demo] [--against FOLDER] [--cache FOLDER]

Every line compares the same work without a sandbox, with Landlock and seccomp alone, and with bubblewrap as
well; turns alternate between them, so that other work of the machine meets all alike. CPU time (of the judge
and all it starts) is given beside the wall clock, which says little on a busy machine; the system does not
tell it for what ran inside bubblewrap. `--against` measures the same evaluations with the judge of another
checkout, `--only` one part, `--demo` the scripted demonstration, cold once and then warm.

The sandbox is taken away by replacing what finds it in processes of this benchmark only: no setting does it.
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "tests" / "data" / "kernels"
WAYS = ("unconfined", "landlock", "bubblewrap")
GOALS = {"demo": 1.1, "charges": 1.3}
# Beginning of every measured process: the sandbox is what its first argument says.
BEGIN = """
import json, os, resource, sys, time
from pathlib import Path
from remote.judge.sandbox import isolation
kind = sys.argv[1]
isolation.Sandbox.isolation = property(lambda self: isolation.Isolation(kind))
def spent():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
def times(work):
    wall, cpu = time.perf_counter(), spent()
    work()
    return time.perf_counter() - wall, spent() - cpu
"""
EVALUATE = """
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from remote.judge.judge import Judge
from remote.judge.serving.guarded import guarded
from remote.judge.processes.children import ChildGroup
from remote.toolchains.twin import TwinToolchain
cache, kernels, name = Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
twin = Path.cwd() / "resources" / "twin"  # of the checkout that is measured
judge, operator = Judge(cache, twin, workers=2), catalogue_operator(name)
files = dict(read_candidate(kernels / name).files)
def evaluate(mark="", build_only=False):
    made = Candidate({path: text + mark for path, text in files.items()})
    job = TwinToolchain(cache, twin).request(operator, made).payload
    job = {**job, "id": "bench", "allow_unconfined": True, "build_only": build_only}
    answer = guarded(lambda _job: judge, job, ChildGroup("bench"), lambda *_text, **_fields: None)
    result = answer["evaluation"]
    assert build_only or result["verdict"].startswith("pass"), result["cause"]
evaluate()
"""
# One line in, one measurement out: the three ways take turns.
SERVE = """
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps(times(lambda: work(line.strip()))), flush=True)
"""
WARM = EVALUATE + "work = lambda line: evaluate()\n" + SERVE
COMPILE = (
    EVALUATE
    + "work = lambda line: evaluate(f'\\n// {kind} {line}\\n', build_only=True)\n"
    + SERVE
)
# Building and running one kernel with the macros that count passes of loops, or without.
CHARGES = (
    "from remote.judge.building import counted_loops\n"
    "if os.environ['BENCH_CHARGES'] == '0': counted_loops.FLAGS = ()\n"
    + EVALUATE
    + "work = lambda line: evaluate(f'\\n// {os.environ[\"BENCH_CHARGES\"]} {line}\\n')\n"
    + SERVE
)

Times = tuple[float, float]


class Process:
    """A process that measures the same work again and again."""

    def __init__(
        self, script: str, words: Sequence[str], root: Path = ROOT, **environment: str
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + script, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root), **environment},
        )
        self._read_line()  # it is ready

    def turn(self, mark: str = "") -> Times:
        """Wall and CPU seconds of the work once more."""
        assert self._process.stdin is not None
        self._process.stdin.write(mark + "\n")
        self._process.stdin.flush()
        wall, cpu = json.loads(self._read_line())
        return wall, cpu

    def close(self) -> None:
        """End it."""
        self._process.communicate()

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("a measured process failed, see above")
        return line


def table(
    what: str, times_of_ways: Mapping[str, list[Times]], goal: float | None = None
) -> None:
    """Medians, and their ratios to the first: of the wall clock and of CPU time, turn by turn."""
    first = next(iter(times_of_ways.values()))
    for way, times in times_of_ways.items():
        wall = statistics.median(wall for wall, _cpu in times)
        cpu = statistics.median(cpu for _wall, cpu in times)
        wall_ratios, cpu_ratios = [], []
        for (own_wall, own_cpu), (first_wall, first_cpu) in zip(
            times, first, strict=True
        ):
            wall_ratios.append(own_wall / first_wall)
            cpu_ratios.append(own_cpu / first_cpu)
        cpu_text, ratio_text = " " * 14, f"x {statistics.median(wall_ratios):.2f} wall"
        # The CPU time of what ran inside bubblewrap is not known, see above.
        if "bubblewrap" not in way:
            cpu_text = f"{cpu:8.3f} s CPU"
            ratio_text += f", x {statistics.median(cpu_ratios):.2f} CPU"
        goal_text = "" if goal is None or times is first else f"   goal {goal}"
        print(
            f"{what:<28}{way:<26}{wall:8.3f} s wall {cpu_text}   {ratio_text}{goal_text}",
            flush=True,
        )
        what = ""


def alternate(
    processes: Mapping[str, Callable[[str], Times]], turns: int
) -> dict[str, list[Times]]:
    """Measurements of every way, taken in turn; which one begins changes."""
    times_of_ways: dict[str, list[Times]] = {way: [] for way in processes}
    for number in range(turns):
        order = list(processes)
        for way in order[number % len(order) :] + order[: number % len(order)]:
            times_of_ways[way].append(processes[way](str(number)))
    return times_of_ways


def measured(
    script: str, words: Sequence[str], turns: int, against: Path | None
) -> dict[str, list[Times]]:
    """Turns of `script` in every way, also with the judge of another checkout."""
    processes = {way: Process(script, [way, *words]) for way in WAYS}
    if against is not None:
        processes |= {
            f"{way}, other checkout": Process(script, [way, *words], against)
            for way in WAYS
        }
    try:
        return alternate(
            {way: process.turn for way, process in processes.items()}, turns
        )
    finally:
        for process in processes.values():
            process.close()


def charges(words: Sequence[str], turns: int) -> dict[str, list[Times]]:
    """Building and running a kernel without and with the charges for its loops."""
    processes = {
        way: Process(CHARGES, ["landlock", *words], BENCH_CHARGES=str(number))
        for number, way in enumerate(("no charges", "charges for loops"))
    }
    try:
        return alternate(
            {way: process.turn for way, process in processes.items()}, turns
        )
    finally:
        for process in processes.values():
            process.close()


def demo(folder: Path, turns: int) -> dict[str, list[Times]]:
    """The whole scripted demonstration, builds kept, with the sandbox of this machine and without one.

    The judges are processes of the application, so theirs is replaced as Python starts. They learn that it
    is there: else what is found would earn no credit, and the demonstration would go another way.
    """
    patch = folder / "patch"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(
        "import importlib.abc, sys\n"
        "class Without(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name != 'remote.judge.judge': return None\n"
        "        sys.meta_path.remove(self)\n"
        "        import remote.judge.sandbox.isolation as isolation, remote.judge.processes.launcher as launcher\n"
        "        isolation.Sandbox.isolation = property(lambda self: isolation.Isolation('landlock'))\n"
        "        isolation.Sandbox.wrap = lambda self, command, *rest: list(command)\n"
        "        launcher.Sandbox = type('Nobody', (), {})\n"
        "        return None\n"
        "sys.meta_path.insert(0, Without())\n"
    )
    command = [
        sys.executable,
        "-c",
        "from sage_desktop.cli import main; main()",
        "run",
        "--demo",
        "--json",
    ]

    def once(way: str, number: str) -> Times:
        path = f"{patch}{os.pathsep}{ROOT}" if way == "unconfined" else str(ROOT)
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "SAGE_CACHE_DIR": str(folder / f"cache-{way}"),
            "SAGE_DATA_DIR": str(folder / f"data-{way}"),
        }
        began, before = (
            time.perf_counter(),
            resource.getrusage(resource.RUSAGE_CHILDREN),
        )
        place = folder / f"{way}-{number}.sage"
        subprocess.run(
            [*command, "--workspace", str(place)],
            check=True,
            env=environment,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.perf_counter() - began, cpu

    ways: dict[str, Callable[[str], Times]] = {
        "unconfined": lambda number: once("unconfined", number),
        "sandbox": lambda number: once("sandbox", number),
    }
    table(
        "demo, cold", {way: [turn("cold")] for way, turn in ways.items()}, GOALS["demo"]
    )
    return alternate(ways, turns)


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description="What isolation costs.")
    parser.add_argument("--turns", type=int, default=7, help="measurements of each way")
    parser.add_argument(
        "--only",
        choices=("warm", "charges", "compile", "demo"),
        default="",
        help="one part",
    )
    parser.add_argument(
        "--demo", action="store_true", help="the demonstration as well (minutes)"
    )
    parser.add_argument(
        "--against",
        type=Path,
        help="another checkout whose judge is measured beside this",
    )
    parser.add_argument(
        "--cache", type=Path, help="folder whose builds are used and kept"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name), str(options.cache or Path(name, "cache"))
        for operator in ("AbsMath", "BasicMatmul"):
            words = [cache, str(KERNELS), operator]
            if options.only in ("", "warm"):
                table(
                    f"{operator}, warm",
                    measured(WARM, words, options.turns, options.against),
                )
            if options.only in ("", "charges"):
                table(
                    f"{operator}, built and run",
                    charges(words, min(options.turns, 5)),
                    GOALS["charges"],
                )
        words = [cache, str(KERNELS), "AbsMath"]
        if options.only in ("", "compile"):
            table(
                "compiling AbsMath",
                measured(COMPILE, words, min(options.turns, 5), None),
            )
        if options.demo:
            table("demo, warm", demo(folder, min(options.turns, 5)), GOALS["demo"])


if __name__ == "__main__":
    main()
