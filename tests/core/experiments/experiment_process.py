"""Goes on with an experiment in a process of its own, so that it can be killed: prints a line per event."""

from __future__ import annotations

import sys
from pathlib import Path

from core.experiments.running.folder import Experiment
from sage_desktop.services.experiment_run import ExperimentRun
from tests.core.agent.scripted import CommentEvaluator


def main(folder: Path) -> None:
    """Run what is left, two arms at a time."""

    def tell(cell: object, event: object) -> None:
        sys.stdout.write(f"{type(event).__name__}\n")
        sys.stdout.flush()

    ExperimentRun(Experiment(folder), {}, CommentEvaluator, tell, side_by_side=2).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
