"""What is worth a kernel: intervals, unknown work, and what is not worth it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.workload.importing import import_profile
from core.workload.ranking import RankedOperator, Worth, floor_of, rank
from core.workload.records import Workload
from core.workload.work import Known, work_of
from tests.core.workload.profiles import KNOWN, SMALL, Row, launch, talk, write_table

BF16 = 2


def read(rows: list[Row], folder: Path) -> Workload:
    table = write_table(folder / "kernel_details.csv", rows)
    return import_profile([table], "test", KNOWN, part=SMALL.name)


def only(row: Row, folder: Path) -> RankedOperator:
    return rank(read([row], folder), SMALL)[0]


def add(start: float, duration: float) -> Row:
    return launch(
        "Add",
        start,
        duration,
        inputs="4096,1024;4096,1024",
        dtypes="DT_BF16;DT_BF16",
        outputs="4096,1024",
        out_dtypes="DT_BF16",
    )


def attention(
    duration: float, *, sums: str = "1,16,4096,8;1,16,4096,8;;4096,1,2048"
) -> Row:
    return launch(
        "FlashAttentionScore",
        0.0,
        duration,
        core="MIX_AIC",
        blocks=20,
        inputs="4096,1,2048;4096,1,1024;4096,1,1024;;;;2048,2048",
        dtypes="DT_BF16;DT_BF16;DT_BF16;DT_UNDEFINED;UINT8;DT_UNDEFINED;BOOL",
        outputs=sums,
        out_dtypes="FLOAT;FLOAT;DT_BF16;DT_BF16",
    )


def test_the_interval_lies_between_hbm_and_l2(tmp_path: Path) -> None:
    group = read([add(0.0, 100.0)], tmp_path).groups[0]
    moved = 3 * 4096 * 1024 * BF16
    floor = floor_of(group, SMALL)
    l2_us = 0.85 * 1e6 * moved / 3.5e12
    assert floor.fast_us == pytest.approx(0.9 * SMALL.start_us(1) + l2_us)
    hbm_us = 1e6 * moved / (0.82 * 0.8e12)
    assert floor.sure_us == pytest.approx(1.29 * SMALL.start_us(40) + hbm_us)
    row = only(add(0.0, 100.0), tmp_path)
    assert (row.low_us, row.high_us) == pytest.approx(
        (0.0, 100.0 - floor.fast_us)
    )  # nothing follows it, so nothing can be counted on


def test_what_is_followed_at_once_can_be_counted_on(tmp_path: Path) -> None:
    rows = [add(0.0, 100.0), add(101.0, 100.0), launch("Mul", 202.0, 1.0)]
    row = next(
        one for one in rank(read(rows, tmp_path), SMALL) if one.operator == "Add"
    )
    assert row.exposed == 1.0
    floor = floor_of(row.groups[0], SMALL)
    assert row.low_us == pytest.approx(2 * (100.0 - floor.sure_us))


def test_a_product_has_its_length_from_the_shapes(tmp_path: Path) -> None:
    for inputs in ("4096,1024;1024,2048", "4096,1024;2048,1024", "1024,4096;1024,2048"):
        row = launch(
            "MatMulV3",
            0.0,
            90.0,
            core="AI_CORE",
            blocks=20,
            inputs=inputs,
            dtypes="DT_BF16;DT_BF16",
            outputs="4096,2048",
            out_dtypes="DT_BF16",
        )
        work = work_of(read([row], tmp_path).groups[0])
        assert (work.known, work.operations) == (Known.WHOLE, 2.0 * 4096 * 2048 * 1024)
    batched = launch(
        "BatchMatMulV2",
        0.0,
        90.0,
        core="AI_CORE",
        blocks=20,
        inputs="8,64,128;8,128,32",
        dtypes="FLOAT16;FLOAT16",
        outputs="8,64,32",
        out_dtypes="FLOAT16",
    )
    work = work_of(read([batched], tmp_path).groups[0])
    assert work.operations == 2.0 * 8 * 64 * 128 * 32
    batched["Input Formats"] = "FRACTAL_NZ;FRACTAL_NZ"
    assert work_of(read([batched], tmp_path).groups[0]).known is Known.BYTES


def test_attention_is_not_taken_for_headroom(tmp_path: Path) -> None:
    """883 µs of a real model, of which bytes alone would explain 4 %."""
    row = only(attention(883.0), tmp_path)
    causal_us = 2.0 * 4096 * 4096 * 2048 / (20 * 8192 * 1650)
    assert row.known is Known.PRODUCTS
    assert row.low_us == 0.0
    assert row.high_us == pytest.approx(883.0 - causal_us - 0.9 * SMALL.start_us(1))
    assert row.high_us / 883.0 < 0.72
    assert row.worth is Worth.UNKNOWN
    unlike = only(attention(883.0, sums="N/A"), tmp_path)
    assert unlike.known is Known.BYTES


def test_a_gather_reads_what_its_indices_say(tmp_path: Path) -> None:
    row = launch(
        "GatherV2",
        0.0,
        40.0,
        inputs="151936,1024;4096;1",
        dtypes="DT_BF16;INT64;INT64",
        outputs="4096,1024",
        out_dtypes="DT_BF16",
    )
    work = work_of(read([row], tmp_path).groups[0])
    assert work.bytes == 2 * 4096 * 1024 * BF16 + 4097 * 8


@pytest.mark.parametrize(
    ("kind", "more", "worth"),
    [
        ("MyFusedThing", {}, Worth.UNKNOWN),
        ("Add", {"core": "AI_CPU"}, Worth.HOST_CPU),
        ("Add", {}, Worth.WORTH),
    ],
)
def test_what_to_do_is_said_before_a_token_is_spent(
    kind: str, more: dict[str, str], worth: Worth, tmp_path: Path
) -> None:
    assert only(launch(kind, 0.0, 400.0, **more), tmp_path).worth is worth


def test_what_saves_less_than_half_a_percent_is_not_worth_it(tmp_path: Path) -> None:
    rows = [launch("Add", 0.0, 40.0), talk(50.0, 9000.0)]
    row = rank(read(rows, tmp_path), SMALL)[0]
    assert row.gain[1] < 0.005
    assert row.worth is Worth.SMALL


def test_an_operator_near_its_floor_is_left_to_cann(tmp_path: Path) -> None:
    assert only(add(0.0, 42.0), tmp_path).worth is Worth.SERVED


def test_communication_is_never_ranked_and_order_does_not_matter(
    tmp_path: Path,
) -> None:
    rows = [
        add(0.0, 70.0),
        attention(800.0),
        launch("Sub", 900.0, 20.0),
        talk(950.0, 5000.0),
    ]
    first = rank(read(rows, tmp_path), SMALL)
    assert "hcom_allReduce_" not in {row.operator for row in first}
    random.Random(5).shuffle(rows)
    assert rank(read(rows, tmp_path), SMALL) == first


def test_without_shapes_nothing_is_said_of_a_floor(tmp_path: Path) -> None:
    row = launch("my_triton_kernel", 0.0, 300.0)
    row |= dict.fromkeys((name for name in row if "put " in name), "N/A")
    ranked = only(row, tmp_path)
    assert (ranked.known, ranked.worth, ranked.floor_us) == (
        Known.NOTHING,
        Worth.NO_SHAPES,
        None,
    )
