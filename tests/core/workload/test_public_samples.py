"""Public profiles of real models, where a person has them: none of them is in this repository.

`SAGE_PROFILE_SAMPLES` is a folder with copies from Ascend/msinsight (Mulan PSL v2):

    qwen3/rank_0_ascend_pt/     test/st/level2/rank_0_ascend_pt
    alexnet/level1/             test/data/pytorch/text/level1
    alexnetdb/level1/           test/data/pytorch/db/level1
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.workload.importing import import_profile
from core.workload.records import Workload
from sage_desktop.services.workloads import known_processors

SAMPLES = os.environ.get("SAGE_PROFILE_SAMPLES", "")

pytestmark = pytest.mark.skipif(not SAMPLES, reason="no public profiles are here")


def read(name: str) -> Workload:
    return import_profile([Path(SAMPLES) / name], name, known_processors())


def test_a_training_step_adds_up_to_the_microsecond() -> None:
    workload = read("qwen3/rank_0_ascend_pt")
    assert workload.rows == 2463
    assert workload.computing_us == pytest.approx(231_290.10, abs=0.01)
    assert workload.communication_us == pytest.approx(420_174.26, abs=0.01)
    assert workload.step_us == pytest.approx(810_022.36, abs=0.01)
    assert all(check.agrees for check in workload.checks)
    alike = next(check for check in workload.checks if check.unit == "operators")
    assert (alike.ours, alike.profile) == (35, 35)
    assert workload.parts == ("Ascend910B4",)


def test_processors_that_are_alike_are_all_named() -> None:
    names = ("Ascend910B2", "Ascend910B2C", "Ascend910_9381", "Ascend910_9382")
    assert read("alexnet/level1").parts == names


def test_table_and_database_of_one_model_hold_the_same_signatures() -> None:
    def signatures(workload: Workload) -> list[str]:
        rows = (
            (one.operator, one.core, one.inputs, one.outputs, one.launches)
            for one in workload.groups
        )
        return sorted(map(str, rows))

    table, database = read("alexnet/level1"), read("alexnetdb/level1")
    assert sum(one.launches for one in table.groups) == 187 * len(table.ranks)
    assert signatures(table) == signatures(database)
