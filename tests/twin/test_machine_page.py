"""The costs that stand as text on the prompt's page of numbers are those the twin charges."""

from __future__ import annotations

import re

import pytest
import torch

from core.agent.prompt.machine_text import machine_text
from tests.twin.harness import INCLUDE, Library, build

PAGE = " ".join(machine_text("Ascend910B1").split())
CUBE_PAGE = " ".join(machine_text("Ascend910B1", cube=True).split())


@pytest.fixture(scope="module")
def library() -> Library:
    return build("machine_page")


def busy(library: Library, pipe: str, case: str, *parameters: float) -> float:
    """Cycles a pipe works."""
    report = library.run(case, parameters=parameters)
    assert report.rules("error") == []
    return report.cores[0][pipe]


@pytest.mark.parametrize(
    ("words", "calls", "cycles"),
    [
        (
            (
                "1 cycle a repeat of 256 bytes for one source (Abs, Relu, Muls, Maxs, Rsqrt,"
                " Reciprocal, Duplicate) and for Compare"
            ),
            "Abs Relu Muls Maxs Rsqrt Reciprocal Duplicate Compare",
            (1, 1),
        ),
        ("1 to 2 for Cast", "Cast", (2, 1)),
        (
            "2 for two sources (Add, Mul, Max, Axpy, MulAddDst, FusedMulAdd, Select)",
            "Add Mul Max Axpy MulAddDst FusedMulAdd Select",
            (2, 2),
        ),
        ("Exp, Ln, Sqrt, Div 2 (float) to 4 (half)", "Exp Ln Sqrt Div", (4, 2)),
        (
            "reductions (WholeReduceSum, BlockReduceMax, PairReduceSum) about 7",
            "WholeReduceSum BlockReduceMax PairReduceSum",
            (7, 7),
        ),
    ],
)
def test_a_repeat_takes_the_cycles_of_the_page(
    library: Library, words: str, calls: str, cycles: tuple[int, int]
) -> None:
    """`cycles` are those of half and of float."""
    assert words in PAGE
    for call in calls.split():
        for dtype, expected in zip(("half", "float"), cycles, strict=True):
            few, more = (
                busy(library, "vector", f"{call}/{dtype}", repeats)
                for repeats in (8, 40)
            )
            assert (more - few) / 32 == pytest.approx(expected), (call, dtype)


@pytest.mark.parametrize(
    ("words", "case", "cycles"),
    [
        ("**Gather** picks 5 elements a cycle", "picked", 64 / 5),
        ("**Sort32** and **MrgSort** take 2 a cycle", "sorted", 64 / 2),
        ("**GatherMask** takes 2 cycles a repeat", "kept", 2),
        ("**TransDataTo5HD** 2 for each 512 bytes", "transposed", 2),
    ],
)
def test_picking_and_sorting_take_the_cycles_of_the_page(
    library: Library, words: str, case: str, cycles: float
) -> None:
    assert words in PAGE
    few, more = (busy(library, "vector", case, repeats) for repeats in (8, 40))
    assert (more - few) / 32 == pytest.approx(cycles)


def test_issuing_and_flags_take_the_cycles_of_the_page(library: Library) -> None:
    assert "takes 4 cycles of the scalar unit, setting or waiting for a flag 4" in PAGE
    few, more, flags = (
        busy(library, "scalar", "issued", calls, pairs)
        for calls, pairs in ((8, 0), (40, 0), (40, 1))
    )
    assert (more - few) / 32 == pytest.approx(4)
    assert (flags - more) / 40 == pytest.approx(2 * 4), "one set, one waited for"


def test_copies_in_and_out_share_the_connection_as_the_page_says(
    library: Library,
) -> None:
    source = torch.zeros(16384)
    target = torch.zeros(16384)

    def cycles(count: int, both: bool) -> dict[str, float]:
        report = library.run("both_ways", [source], [target], [count, both])
        assert report.rules("error") == []
        return report.cores[0]

    assert "the copy that the program issues first have it, a later one moves" in PAGE
    alone, both = cycles(16384, both=False), cycles(16384, both=True)
    assert both["mte2"] == alone["mte2"], "issued first"
    # Half as many bytes start as slowly.
    start = 2 * cycles(8192, both=False)["mte2"] - alone["mte2"]
    moving = alone["mte2"] - start
    assert "during which the connection is free for the other direction" in PAGE
    issue = 4
    assert both["mte3"] == pytest.approx(start - issue + 2 * moving)


def test_copies_into_l1_take_the_cycles_of_the_page(library: Library) -> None:
    source = torch.zeros(64 * 1024, dtype=torch.float16)

    def cycles(copies: int, rows: int, pitch: int) -> float:
        report = library.run("rows_into_l1", [source], parameters=[copies, rows, pitch])
        assert report.rules("error") == []
        return report.cores[0]["mte2"]

    def cycles_a_row(pitch: int) -> float:
        return (cycles(1, 49, pitch) - cycles(1, 17, pitch)) / 32

    row_bytes = 128 / 110
    assert "278 cycles, its latency included, beside 110 bytes a cycle" in CUBE_PAGE
    one_copy = cycles(3, 1, 1024) - cycles(2, 1, 1024)
    assert one_copy - row_bytes - 1 == pytest.approx(278, abs=1)
    assert "1 cycle a row where rows become fractals" in CUBE_PAGE
    assert cycles_a_row(1024) == pytest.approx(1 + row_bytes, abs=0.01)
    assert "within the same 512 bytes each waits 21 cycles" in CUBE_PAGE
    assert cycles_a_row(64) == pytest.approx(21 * 3 / 4, abs=0.5), "three rows of four"
    assert "off 32 bytes take 2 cycles for every 32 bytes" in CUBE_PAGE
    assert cycles_a_row(1016) == pytest.approx(2 * 5 / 2), (
        "five blocks, every second row"
    )


@pytest.mark.parametrize(
    ("words", "constant", "value"),
    [
        ("8 for each further block of a strided one", "kDmaBlockCycles", 8),
        ("(64 at least a block)", "kDmaGranuleBytes", 64),
        ("L1 to L0A** 256 bytes", "kL0aBytesPerCycle", 256),
        ("to L0B** 128", "kL0bBytesPerCycle", 128),
        ("20 cycles to issue", "kMte1IssueCycles", 20),
        ("(float 2)", "kCubeFloatCycles", 2),
        ("86 bytes a cycle to global memory", "kL2WriteBytesPerCycle", 86),
        ("needs 3.5 us before its first copy", "kMatmulInitNs", 3500),
        ("2.2 us with a constant tiling", "kMatmulConstantInitNs", 2200),
        ("each call takes 1 us more", "kMatmulMessageNs", 1000),
        (
            "SyncAll 1000 cycles after the last core came, and so the flags",
            "kSyncAllCycles",
            1000,
        ),
        ("waits for it 50 cycles after", "kCrossFlagCycles", 50),
    ],
)
def test_what_stands_as_text_is_what_the_model_charges(
    words: str, constant: str, value: float
) -> None:
    assert words in CUBE_PAGE
    header = (INCLUDE / "twin" / "soc_data.h").read_text(encoding="utf-8")
    match = re.search(rf"{constant} =\s+([0-9.]+);", header)
    assert match is not None
    assert float(match[1]) == value
