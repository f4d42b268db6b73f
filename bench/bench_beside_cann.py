"""Kernels of a model beside CANN's own: ours modelled by the CPU twin, CANN's measured in a public profile.

Eight operators of the catalogue at shapes of resources/baselines/measured_kernels.tsv, on the processor of the
profile: with tensors in L2 (one launch of many), and with nothing there (the first). In a model other kernels run
between, and a profile does not say what they left. The times of ours are a model's, those of CANN were measured on
a device: no speed-up follows. A kernel that is wrong at these shapes has no time.

    python -m bench.bench_beside_cann [--kernels FOLDER] [--only OPERATOR ...]

FOLDER holds a folder of sources for each operator; without it our own kernels are judged.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Evaluation
from core.operators.catalogue import catalogue_operator
from core.operators.spec import DType, InputSpec, OperatorSpec, TestCase
from sage_desktop.services import wiring

_OWN_KERNELS = Path(__file__).resolve().parents[1] / "tests" / "data" / "kernels"
_PARTS = {"qwen3-rank0": "Ascend910B4", "fp16-2023": "Ascend910B2"}


@dataclass(frozen=True)
class Comparison:
    """An operator at the shapes of one row of the profiles.

    Attributes:
        operator: Of the catalogue.
        profile: Source of the row.
        kernel: CANN's name of it.
        input_shapes: As the row writes them.
        input_dtypes: As the row writes them.
        case: Timed case of the catalogue that gives all that is not named below.
        shapes: Input -> shape, of those that differ from the catalogue's case.
        dtypes: Input -> data type, likewise.
        fills: Input -> values, likewise.
        note: What is not alike.
    """

    operator: str
    profile: str
    kernel: str
    input_shapes: str
    input_dtypes: str
    case: str
    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, DType]
    fills: dict[str, str]
    note: str = ""


_HALF_NOTE = "float16 modelled, bfloat16 measured: as many bytes"
_ADAM = "2097152;2097152;2097152;2097152;1"
COMPARISONS = (
    Comparison(
        "SwiGlu",
        "qwen3-rank0",
        "SwiGlu",
        "4096,6144",
        "DT_BF16",
        "transformer-rows-float16",
        {"x": (4096, 6144)},
        {},
        {},
        _HALF_NOTE,
    ),
    Comparison(
        "RmsNorm",
        "qwen3-rank0",
        "RmsNorm",
        "4096,1,1024;1024",
        "DT_BF16;DT_BF16",
        "rows-of-1000-float16",
        {"x": (4096, 1, 1024), "gamma": (1024,)},
        {},
        {},
        _HALF_NOTE,
    ),
    Comparison(
        "ApplyAdamWV2",
        "qwen3-rank0",
        "ApplyAdamWV2",
        _ADAM,
        "FLOAT;FLOAT;FLOAT;FLOAT;INT64",
        "weights-float32",
        dict.fromkeys(("var", "m", "v", "grad"), (2097152,)),
        {},
        {},
    ),
    Comparison(
        "CastMath",
        "qwen3-rank0",
        "Cast",
        "2097152",
        "FLOAT",
        "bulk",
        {"x": (2097152,)},
        {"x": DType.FLOAT32},
        {},
    ),
    Comparison(
        "GatherV3",
        "fp16-2023",
        "GatherV2",
        "1024,12288;4,1024;1",
        "FLOAT16;INT64;INT64",
        "long-odd-slices",
        {"x": (1024, 12288), "indices": (4, 1024)},
        {},
        {"indices": "integers(0,1024)"},
    ),
    Comparison(
        "LayerNormV4",
        "fp16-2023",
        "LayerNormV3",
        "1024,4,12288;12288;12288",
        "FLOAT16;FLOAT16;FLOAT16",
        "tokens-float16",
        {"x": (1024, 4, 12288), "gamma": (12288,), "beta": (12288,)},
        {},
        {"normalized_shape": "values(12288)"},
    ),
    Comparison(
        "Tril",
        "fp16-2023",
        "Tril",
        "1,1024,1024",
        "FLOAT",
        "attention-mask-float32",
        {"x": (1, 1024, 1024)},
        {},
        {},
    ),
    Comparison(
        "Less",
        "fp16-2023",
        "Less",
        "1,1,1024,1024;",
        "FLOAT;FLOAT",
        "planes-float32",
        {"x1": (1, 1, 1024, 1024), "x2": ()},
        {},
        {},
    ),
)


def measured_us(comparison: Comparison) -> float:
    """Median of the row's Task Duration, in µs.

    Raises:
        SystemExit: The profiles have no such row.
    """
    table = resources.files("resources") / "baselines" / "measured_kernels.tsv"
    with resources.as_file(table) as path, path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = (
                row["source"],
                row["type"],
                row["input_shapes"],
                row["input_dtypes"],
            )
            if key == (
                comparison.profile,
                comparison.kernel,
                comparison.input_shapes,
                comparison.input_dtypes,
            ):
                return float(row["duration_median_us"])
    raise SystemExit(f"{comparison.kernel}: the profiles have no such row")


def at_measured_shapes(comparison: Comparison) -> OperatorSpec:
    """The operator with one case, that of the profile."""
    operator = catalogue_operator(comparison.operator)
    like = next(case for case in operator.cases if case.name == comparison.case)
    inputs = {
        name: _input(name, spec, comparison) for name, spec in like.inputs.items()
    }
    attributes = dict(like.attributes)
    if comparison.operator == "CastMath":
        attributes["dst_type"] = 27  # bfloat16 in ACL's numbering
    case = TestCase("profile", inputs, attributes, timed=True)
    return replace(operator, cases=(case,))


def _input(name: str, spec: InputSpec, comparison: Comparison) -> InputSpec:
    return replace(
        spec,
        shape=comparison.shapes.get(name, spec.shape),
        dtype=comparison.dtypes.get(name, spec.dtype),
        fill=comparison.fills.get(name, spec.fill),
    )


async def judged(comparison: Comparison, folder: Path, *, cold: bool) -> Evaluation:
    """The kernel at the shapes of the profile, on its processor; `cold` with nothing in L2."""
    operator = at_measured_shapes(comparison)
    candidate = read_candidate(folder / comparison.operator)
    part = _PARTS[comparison.profile]
    async with wiring.judge(
        "local", "twin", part, run_big=True, cold=cold
    ) as evaluator:
        return await evaluator.evaluate(operator, candidate, lambda _text: None)


def _latency_text(evaluation: Evaluation) -> str:
    return f"{evaluation.latency.value:.1f}" if evaluation.latency else evaluation.cause


def main() -> None:
    """Print a row for each operator."""
    parser = argparse.ArgumentParser(description="Modelled kernels beside CANN's own.")
    parser.add_argument("--kernels", type=Path, default=_OWN_KERNELS)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    print(
        "operator | shapes | processor | modelled, µs | the first launch, µs | CANN's, measured, µs | note"
    )
    for comparison in COMPARISONS:
        if options.only and comparison.operator not in options.only:
            continue
        warm, cold = (
            asyncio.run(judged(comparison, options.kernels, cold=cold))
            for cold in (False, True)
        )
        print(
            comparison.operator,
            comparison.input_shapes,
            _PARTS[comparison.profile],
            _latency_text(warm),
            _latency_text(cold),
            f"{measured_us(comparison):.1f} ({comparison.kernel})",
            comparison.note,
            sep=" | ",
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
