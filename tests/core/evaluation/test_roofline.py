"""The roofline: what is counted, and that its numbers are those of the twin."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.inquiries import add_inquiry
from core.evaluation.records import (
    TIME_MODEL,
    DiagnosticResult,
    Evaluation,
    LatencyOrigin,
    PipeProfile,
    PipeTimes,
)
from core.evaluation.roofline import (
    CUBE_OPS,
    VECTOR_LANES,
    Ceilings,
    only_moves,
    roofline_point,
)
from core.records_json import from_json, to_json
from core.workspace import Workspace
from sage_desktop.panels.results.bottleneck import explanation
from sage_desktop.panels.results.csv_tables import bottleneck_csv
from sage_desktop.panels.results.reading import read_bottleneck
from sage_desktop.panels.results.roofline_plot import point_text
from sage_desktop.services.processors import modelled_processor
from tests.gui import sample_workspace
from tests.gui.sample_workspace import OPT, PASS, Step

TWIN = Path(__file__).resolve().parents[3] / "resources" / "twin" / "include" / "twin"
CEILINGS = Ceilings.of(
    "P",
    cube_cores=2,
    vector_cores=4,
    clock_mhz=1000,
    hbm_bytes_per_s=1e12,
    l2_bytes_per_s=4e12,
)


def evaluation_with(
    *cores: PipeTimes, latency: float = 12.0, launch: float | None = 2.0
) -> Evaluation:
    step = Step(OPT, PASS, latency)
    found = sample_workspace.evaluation_of(sample_workspace.candidate_of(4, step), step)
    cases = tuple(
        replace(
            case, latency=replace(case.latency, launch=launch) if case.latency else None
        )
        for case in found.cases
    )
    return replace(
        found,
        cases=cases,
        profile=PipeProfile(1000.0, cores, "MTE2", LatencyOrigin.MODELLED),
    )


def test_a_round_that_only_moves_data_has_no_place_and_is_not_one_that_says_nothing() -> (
    None
):
    found = evaluation_with(PipeTimes(0, 1.0, gm_read=3e6, gm_written=1e6))
    assert roofline_point(1, found, CEILINGS) is None
    assert only_moves(found.profile)
    assert not only_moves(evaluation_with(PipeTimes(0, 1.0)).profile)
    assert not only_moves(
        evaluation_with(PipeTimes(0, 1.0, gm_read=1.0, cube_ops=1.0)).profile
    )
    assert not only_moves(None)


def test_a_round_is_counted_without_its_launch_and_against_the_lowest_ceiling() -> None:
    core = PipeTimes(0, 1.0, gm_read=3e6, gm_written=1e6, vector_ops=2e6)
    point = roofline_point(4, evaluation_with(core, replace(core, core=1)), CEILINGS)
    assert point is not None
    assert (point.unit, point.operations, point.bytes, point.time_us) == (
        "vector",
        4e6,
        8e6,
        10.0,
    )
    assert point.intensity == 0.5
    assert point.performance == pytest.approx(4e11)
    assert CEILINGS.roof("vector", 0.5) == 500e9  # of 512e9 the vector cores could do
    assert point.bound(CEILINGS) == "bandwidth"
    assert point.share(CEILINGS) == pytest.approx(0.8)


def test_the_unit_that_needs_longer_is_the_one_that_is_counted() -> None:
    core = PipeTimes(0, 1.0, gm_read=1e3, vector_ops=1e6, cube_ops=8e6)
    found = roofline_point(1, evaluation_with(core), CEILINGS)
    assert (
        found is not None
    )  # 1e6 / 512e9 s of vector work, 8e6 / 16384e9 s of the cube's
    assert found.unit == "vector"
    assert found.bound(CEILINGS) == "vector"
    found = roofline_point(1, evaluation_with(replace(core, cube_ops=8e9)), CEILINGS)
    assert found is not None
    assert (found.unit, found.bound(CEILINGS)) == ("cube", "cube")


def test_a_record_that_does_not_say_has_no_point() -> None:
    silent = PipeTimes(0, 1.0, vector=5.0)  # of an earlier release, or of a device
    assert roofline_point(1, evaluation_with(silent), CEILINGS) is None
    assert (
        roofline_point(1, replace(evaluation_with(silent), profile=None), CEILINGS)
        is None
    )


def test_a_time_of_a_device_takes_the_counts_of_the_twin_for_the_same_kernel_and_case(
    tmp_path: Path,
) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as workspace:
        db = workspace.db
        digest, candidate = db.execute(
            "SELECT evaluation, candidate FROM round WHERE trajectory_uid = 'trajectory-1' AND round = 6"
        ).fetchone()
        found = from_json(workspace.text(digest), Evaluation, "evaluation")
        counted, case = (
            found.profile,
            max(found.cases, key=lambda one: one.latency.value if one.latency else 0),
        )
        timed = [
            replace(
                one,
                latency=replace(
                    one.latency, origin=LatencyOrigin.MEASURED, time_model=0
                )
                if one.latency
                else None,
            )
            for one in found.cases
        ]
        measured = replace(found, cases=tuple(timed), profile=None)
        db.execute(
            "UPDATE round SET evaluation = ?, latency_origin = 'measured' WHERE candidate = ?",
            (workspace.put_text(to_json(measured)), candidate),
        )
        assert read_bottleneck(db, "trajectory-1").silent == (6,), "nobody counted"
        told = DiagnosticResult("profile", ok=True, summary="", profile=counted)
        add_inquiry(workspace, candidate, "another case", "twin", told, 1.0)
        assert read_bottleneck(db, "trajectory-1").silent == (6,)
        add_inquiry(workspace, candidate, case.case, "twin", told, 1.0)
        shown = read_bottleneck(db, "trajectory-1")
    assert shown.silent == ()
    assert [
        (point.round, point.origin, point.counted.value) for point in shown.points
    ] == [
        (3, f"modelled-{TIME_MODEL}", "modelled"),
        (4, f"modelled-{TIME_MODEL}", "modelled"),
        (6, "measured", "modelled"),
    ]
    last = bottleneck_csv(shown).splitlines()[3].split(",")
    assert last[11:13] == ["measured", "modelled"]
    assert shown.ceilings is not None
    words = point_text(shown.points[2], shown.ceilings, best=True)
    assert words.endswith("ceiling, measured time")
    assert "The time of round 6 is measured" in explanation(shown)


def test_ceilings_are_those_of_the_twin() -> None:
    data, frame = (
        (TWIN / "soc_data.h").read_text(),
        (TWIN / "api" / "vector_frame.h").read_text(),
    )
    rate = re.search(r"kFullRate\{(\d+), (\d+)", frame)
    float_cycles = re.search(r"kCubeFloatCycles = (\d+);", data)
    assert rate is not None
    assert float_cycles is not None
    assert (int(rate[1]), int(rate[2])) == (VECTOR_LANES["fp16"], VECTOR_LANES["fp32"])
    # a fractal of fp32 is half as deep and takes twice as long
    assert {
        "fp16": 2 * 16**3,
        "fp32": 2 * 16 * 16 * 8 // int(float_cycles[1]),
    } == CUBE_OPS
    known = modelled_processor("Ascend910B1 model")
    assert known is not None
    assert known.hbm_bytes_per_s == 1.6e12
    assert known.l2_bytes_per_s == 5.2e12
    assert known.vector["fp32"] == 64 * 48 * 1850e6
    assert modelled_processor("Ascend310P3 model") is None
    assert modelled_processor("") is None
