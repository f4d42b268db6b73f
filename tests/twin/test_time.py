"""Modelled time beside kernels of public profiles; bench/bench_time.py prints all of them."""

from __future__ import annotations

import pytest

from bench.bench_time import Comparison, compare, libraries
from bench.time_rows import Row, rows, stand_in

MOST_ELEMENTS = 8 << 20  # what one test may take; the bench runs all


@pytest.fixture(scope="module")
def compared() -> list[Comparison]:
    """Every seventh row that a kernel of ours stands for, small ones."""
    pairs = [(row, stand_in(row)) for row in rows() if _elements(row) <= MOST_ELEMENTS]
    with_kernel = [(row, kernel) for row, kernel in pairs if kernel is not None]
    built = libraries()
    return [compare(built, row, kernel) for row, kernel in with_kernel[::7]]


def _elements(row: Row) -> int:
    return sum(tensor.elements for tensor in (*row.inputs, *row.outputs))


def test_modelled_times_lie_beside_measured_ones(compared: list[Comparison]) -> None:
    assert len(compared) >= 15
    far = {c.row.name: c.ratio for c in compared if not 0.5 < c.ratio < 2}
    assert far == {}
    close = [c for c in compared if 1 / 1.5 < c.ratio < 1.5]
    assert len(close) >= 0.9 * len(compared)


# elements, cores, what CANN's Relu or Mul by a scalar took on 910B2 for the same bytes, microseconds
SERIES = [
    (192, 1, 1.26),
    (1000, 1, 1.72),
    (4096, 4, 1.65),
    (131_072, 47, 4.0),
    (1_384_448, 48, 7.3),
    (6_195_200, 48, 15.5),
    (16_777_216, 48, 27.5),
]


def test_an_element_wise_kernel_takes_what_it_takes_on_the_card_at_every_size() -> None:
    import torch

    (library, *_) = libraries()
    times = []
    for elements, cores, measured in SERIES:
        x = torch.zeros(elements)
        tile = min(8192, max(256, -(-elements // cores // 2 // 256) * 256))
        report = library.run(
            "relu/float",
            [x],
            [torch.zeros(elements)],
            [tile],
            block_dim=cores,
            fast=True,
            soc="Ascend910B2",
        )
        assert 1 / 1.5 < report.modelled_us / measured < 1.5, elements
        times.append(report.modelled_us)
    assert times == sorted(times)


# Rows of 512 floats quantized to four bits, Ascend910B4: rows, measured microseconds, least of ten to fifteen
# launches (README of TurboQuantCompressLatent in CANN's ops-nn).
TURBO_QUANT = [
    (1, 4.38),
    (32, 5.32),
    (128, 6.72),
    (512, 12.86),
    (1024, 20.22),
    (4096, 64.22),
    (16384, 242.62),
]


def test_dependent_vector_work_takes_what_it_takes_on_the_card() -> None:
    import torch

    library, *_ = libraries()
    centroids = torch.linspace(-0.1, 0.1, 16)
    times = []
    for tokens, _ in TURBO_QUANT:
        of_core = -(-tokens // 40)
        x = torch.randn(tokens, 512, generator=torch.Generator().manual_seed(tokens))
        slots = torch.zeros(tokens, 320, dtype=torch.uint8)
        report = library.run(
            "turbo_quant",
            [x, centroids],
            [slots],
            [min(of_core, 12), tokens],
            block_dim=-(-tokens // of_core),
            fast=True,
            soc="Ascend910B4",
        )
        assert not report.rules("error"), report.findings
        norms = x.norm(dim=1, keepdim=True)
        bounds = (centroids[1:] + centroids[:-1]) / 2
        nibbles = torch.bucketize(x / norms, bounds, right=True).to(torch.uint8)
        pairs = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
        assert (slots[:, :256] == pairs).float().mean() > 0.999  # ties of rounding
        stored = slots[:, 256:258].contiguous().view(torch.float16)
        torch.testing.assert_close(stored.float(), norms, rtol=1e-3, atol=0)
        assert slots[:, 258:].count_nonzero() == 0
        times.append(report.modelled_us)
    assert times == sorted(times)
    ratios = [t / measured for t, (_, measured) in zip(times, TURBO_QUANT, strict=True)]
    assert all(1 / 1.6 < ratio < 1.6 for ratio in ratios), ratios
