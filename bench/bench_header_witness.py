"""What the check against CANN's headers adds to the wait for a build: the same edits with and without.

    SAGE_CANN_HEADERS=FOLDER python bench/bench_header_witness.py [cache folder]

FOLDER is an installed CANN, or a copy of its headers; without one nothing is measured. The kernels are those
of the tests. Each is built by a warm judge of this computer, for all signatures of its cases, after an edit of
op_kernel that makes it a new one: without headers and with them, in turn. What depends on no candidate is made
before. Wall-clock on this machine; the goal is for the median over the kernels of the medians of five edits.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.evaluation.records import CANN_HEADERS, Candidate
from core.operators.catalogue import find_operator
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator, twin_toolchain
from remote.headers.kept import KeptHeaders
from remote.hosts import LocalHost
from remote.toolchains.port import Probe
from tests.own_kernels import own_kernel

NAMES = (
    "AbsMath",
    "Gelu",
    "SwiGlu",
    "RmsNorm",
    "LayerNormV4",
    "BasicMatmul",
    "ApplyAdamWV2",
    "DequantSwigluQuant",
)
EDITS = 5
GOAL_S = 0.5


def edited(name: str, mark: str) -> Candidate:
    """A kernel with a constant more in every source of op_kernel."""
    files = dict(own_kernel(name).files)
    for path, text in files.items():
        if path.startswith("op_kernel/") and path.endswith(".cpp"):
            files[path] = f"{text}\nconstexpr int EDIT_{mark} = 1;\n"
    return Candidate(files)


async def seconds(
    evaluator: HostEvaluator, operator: OperatorSpec, candidate: Candidate
) -> tuple[float, str]:
    """How long the build of a candidate is waited for, and what the headers say of it."""
    began = time.perf_counter()
    answer = await evaluator.evaluate(
        operator, candidate, lambda _text: None, probe=Probe(build_only=True)
    )
    return time.perf_counter() - began, answer.facts.get(CANN_HEADERS, answer.cause)


async def main() -> int:
    """Measure and print a row for each kernel."""
    named = os.environ.get("SAGE_CANN_HEADERS")
    if not named:
        print("SAGE_CANN_HEADERS names no folder of an installed CANN: not measured")
        return 0
    installed = Path(named)
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        kept_headers = KeptHeaders(Path(scratch) / "headers")
        headers = kept_headers.add_from_folder(installed, lambda _text: None).headers
        toolchain = twin_toolchain(cache, "Ascend910B1")
        checked = replace(toolchain, headers_dir=kept_headers.folder)
        sides = {
            "without": HostEvaluator(LocalHost(1), toolchain),
            "with": HostEvaluator(LocalHost(1), checked),
        }
        print(f"headers of {headers.label}, {os.cpu_count()} processors")
        added = []
        for name in NAMES:
            operator = find_operator("catalogue", name)
            times: dict[str, list[float]] = {side: [] for side in sides}
            words = ""
            for number in range(EDITS + 1):
                for side, evaluator in sides.items():
                    kernel = edited(name, f"{side.upper()}_{number}_{os.getpid()}")
                    spent, words = await seconds(evaluator, operator, kernel)
                    if number:  # the first one starts a judge, or finds op_host new
                        times[side].append(spent)
            medians = {side: statistics.median(each) for side, each in times.items()}
            added.append(medians["with"] - medians["without"])
            row = "  ".join(f"{side} {value:5.2f} s" for side, value in medians.items())
            print(f"{name:<20} {row}  added {added[-1]:5.2f} s  {words}")
        for evaluator in sides.values():
            await evaluator.close()
        median = statistics.median(added)
        print(f"median added {median:.2f} s, goal {GOAL_S} s")
        return 0 if median < GOAL_S else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
