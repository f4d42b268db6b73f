"""What a trace costs, and how long products of Level 3 take to run.

The trace: one launch in this process with room for records and without, in turns, in processor time, best of
several. The products: the Matmul object's, timed and strict as diagnostics run, of the largest sizes the
benchmark's own lists name: the seconds of the tiling's and the kernel's process by the clock, best of three,
and those of the whole evaluation with its second run and the comparison.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.bench_twin import Bench
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from tests.twin.harness import Library, build

RUNS = 15
GOALS = {"ratio": 1.1, "512": 1.0}
ROOM = 64 << 20  # bytes of records
LAUNCHES = {  # case of tests/twin/kernels/model.cpp, its parameters and cores
    "vector, 8 M elements in tiles of 2048": ("add/double", (8_000_000, 2048), 48),
    "matrix instructions, 240 products": ("steps", (10, 2, 1, 128, 16384, 24), 24),
}
# m, n, k: what the goal of 1 s is for, and the benchmark's own cases of BasicMatmul that cost most.
SHAPES = {"512 each": (512, 512, 512), "1152 x 1433 x 512": (1152, 1433, 512)}


def product(m: int, n: int, k: int) -> OperatorSpec:
    """BasicMatmul with one timed case of that size."""
    operator = catalogue_operator("BasicMatmul")
    case = next(case for case in operator.cases if case.name == "projection")
    sizes = {"a": (m, k), "b": (k, n)}
    inputs = {
        name: replace(tensor, shape=sizes[name]) for name, tensor in case.inputs.items()
    }
    return replace(operator, cases=(replace(case, name="product", inputs=inputs),))


def seconds(bench: Bench, case: str, **changes: object) -> float:
    """Seconds of the kernel's run."""
    return float(bench.evaluate(case, **changes)["cases"][0]["seconds"])


def processor_ms(
    library: Library, case: str, parameters: tuple[float, ...], cores: int, trace: bool
) -> float:
    x, y, z = (torch.zeros(8_000_000, dtype=torch.float16) for _ in range(3))
    room = bytearray(ROOM) if trace else None
    began = time.process_time()
    report = library.run(case, [x, y], [z], parameters, block_dim=cores, trace=room)
    spent = time.process_time() - began
    if report.rules("error"):
        raise RuntimeError(f"{case}: {report.findings}")
    return 1e3 * spent


def main() -> int:
    missed = 0
    library = build("model")
    for what, (case, parameters, cores) in LAUNCHES.items():
        plain, traced = [], []
        for _ in range(RUNS):
            plain.append(processor_ms(library, case, parameters, cores, trace=False))
            traced.append(processor_ms(library, case, parameters, cores, trace=True))
        ratio = min(traced) / min(plain)
        missed += ratio > GOALS["ratio"]
        print(
            f"{what}: {min(plain):.1f} ms without a trace, {min(traced):.1f} ms with one: {ratio:.2f} x, "
            f"goal {GOALS['ratio']}"
        )
    with tempfile.TemporaryDirectory() as name:
        for what, (m, n, k) in SHAPES.items():
            bench = Bench(Path(name), "BasicMatmul", product(m, n, k))
            bench.evaluate("product")
            began = time.perf_counter()
            took = [seconds(bench, "product", strict=True) for _ in range(3)]
            whole = (time.perf_counter() - began) / 3
            missed += what.startswith("512") and min(took) > GOALS["512"]
            print(
                f"BasicMatmul {what}, half, strict: {min(took):.2f} s to run, {whole:.2f} s with the rest"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
