"""kill -9 of the driver at ten random instants changes no figure; quickly tested at one."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.experiments.reports.report import report_on
from core.experiments.running.folder import Experiment
from core.records_json import to_json
from tests.core.experiments.conftest import ABLATION, made, run

INSTANTS = 10  # at least so many kills
FEW = 1
ONE_MORE = '[[arms]]\nname = "random-ugc"\nmethod = "random-ugc"\n'
ROOT = Path(__file__).parents[3]


def life(folder: Path, events: int | None) -> bool:
    """Run to the end, or until `events` events were seen and the process is killed; True when it ended."""
    command = [
        sys.executable,
        "-m",
        "tests.core.experiments.experiment_process",
        str(folder),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for number, _ in enumerate(process.stdout, start=1):
            if number == events:
                process.kill()
        return process.wait() == 0


@pytest.mark.system
@pytest.mark.parametrize(
    ("instants", "arms"),
    [(FEW, ONE_MORE), pytest.param(INSTANTS, ABLATION, marks=pytest.mark.slow)],
)
def test_killing_the_driver_changes_no_figure(
    tmp_path: Path, recorded: Path, instants: int, arms: str
) -> None:
    experiment = made(tmp_path / "calm", arms, model=f"replay:{recorded}")
    killed = Experiment(shutil.copytree(experiment.folder, tmp_path / "killed"))
    run(experiment)
    calm, chance, kills = report_on(experiment), random.Random(instants), 0
    operators = 4 * len(experiment.cells)
    assert (
        len(calm.trials) + sum(state.diverged for state in calm.progress.values())
        == operators
    )
    while kills < instants:
        while not life(
            killed.folder, chance.randint(2, 25) if kills < instants else None
        ):
            kills += 1
        found = report_on(killed)
        assert found.figures_sha256 == calm.figures_sha256
        assert (to_json(found.arms), to_json(found.memory)) == (
            to_json(calm.arms),
            to_json(calm.memory),
        )
        assert found.progress == calm.progress
        shutil.rmtree(killed.folder / "cells")
