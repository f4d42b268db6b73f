"""The modelled time: against published measurements, and what every roofline and pipeline must obey."""

from __future__ import annotations

import pytest
import torch

from tests.twin.harness import Library, Report, build

MEGA = 1_000_000
SQUARE = 8192 * 8192
HBM_BYTES_PER_US = 1.6e12 / 1e6


@pytest.fixture(scope="module")
def library() -> Library:
    return build("model")


def run(library: Library, case: str, *parameters: float, cores: int = 1, soc: str = "Ascend910B1") -> Report:
    window = torch.zeros(65536, dtype=torch.float16)
    report = library.run(case, [window], [window.clone()], parameters, block_dim=cores, soc=soc)
    assert report.rules("error") == []
    return report


# Half Add, from the Ascend C performance guide and the msopprof examples: processor, cores, elements, tile,
# buffers, measured microseconds. The first four were used to fit the model, the others test it.
MEASURED = [
    ("Ascend910B4", 8, 80 * MEGA, 2048, "single", 2049.78),
    ("Ascend910B4", 8, 80 * MEGA, 20480, "single", 892.02),
    ("Ascend910B4", 1, 80 * MEGA, 2048, "single", 14975.0),
    ("Ascend910B1", 48, SQUARE, 4096, "single", 306.6),
    ("Ascend910B1", 48, SQUARE, 16384, "single", 268.5),
    ("Ascend910B1", 48, SQUARE, 16384, "double", 264.0),
    ("Ascend910B1", 1, SQUARE, 16384, "single", 6909.6),
]


@pytest.fixture(scope="module")
def modelled(library: Library) -> list[float]:
    return [
        run(library, f"add/{buffers}", total, tile, cores=cores, soc=soc).modelled_us
        for soc, cores, total, tile, buffers, _ in MEASURED
    ]


def test_model_stays_within_a_factor_of_1_5(modelled: list[float]) -> None:
    ratios = [value / row[-1] for value, row in zip(modelled, MEASURED, strict=True)]
    assert max(*ratios, *(1 / ratio for ratio in ratios)) < 1.5


def test_model_keeps_the_order_of_the_measurements(modelled: list[float]) -> None:
    rows = list(zip(modelled, [row[-1] for row in MEASURED], strict=True))
    for first, measured_first in rows:
        for second, measured_second in rows:
            if measured_first > 1.1 * measured_second:
                assert first > second


def test_double_buffering_helps_a_memory_bound_kernel(library: Library) -> None:
    single = run(library, "add/single", 4 * MEGA, 8192).modelled_us
    double = run(library, "add/double", 4 * MEGA, 8192).modelled_us
    assert double < 0.9 * single


def test_more_cores_help_until_the_bandwidth_is_used_up(library: Library) -> None:
    times = [
        run(library, "add/double", SQUARE, 16384, cores=cores).modelled_us for cores in (1, 4, 16, 32, 48)
    ]
    assert times[0] > 3.5 * times[1] > 3.5 * 2.5 * times[2]
    assert times[2] > times[3] > 0.95 * times[4]
    assert times[3] < 1.2 * times[4]


def test_a_small_kernel_pays_for_every_core_it_starts(library: Library) -> None:
    few, many = (run(library, "add/single", 4096 * 48, 64, cores=cores).launch_us for cores in (1, 48))
    assert few == pytest.approx(5.9)
    assert many == pytest.approx(20.5)


def test_tiny_copies_are_punished(library: Library) -> None:
    small = run(library, "add/single", MEGA, 128).modelled_us
    large = run(library, "add/single", MEGA, 8192).modelled_us
    assert small > 4 * large
    assert run(library, "rows", 65536, 32).modelled_us > 2 * run(library, "rows", 65536, 4096).modelled_us


def test_scalar_access_to_global_memory_is_punished(library: Library) -> None:
    scalar = run(library, "scalar", 16384)
    assert scalar.bound == "scalar"
    assert scalar.modelled_us > 20 * run(library, "add/single", 16384, 8192).modelled_us


@pytest.mark.parametrize("cores", [1, 8, 48])
def test_never_faster_than_the_memory(library: Library, cores: int) -> None:
    total = 8 * MEGA
    report = run(library, "add/double", total, 16384, cores=cores)
    moved = total // cores // 16384 * 16384 * cores * 3 * 2
    assert report.modelled_us - report.launch_us >= moved / HBM_BYTES_PER_US * 0.999
    assert report.bound == "mte2"


def test_never_faster_than_the_vector_unit(library: Library) -> None:
    report = run(library, "compute", 100, 16384)
    assert report.bound == "vector"
    assert report.cores[0]["total"] >= 100 * 16384 / 64
    assert report.cores[0]["vector"] <= report.cores[0]["total"]


def test_blocks_beyond_the_cores_wait_for_a_free_core(library: Library) -> None:
    once = run(library, "compute", 50, 16384, cores=48)
    twice = run(library, "compute", 50, 16384, cores=96)
    assert twice.modelled_us - twice.launch_us == pytest.approx(2 * (once.modelled_us - once.launch_us))
