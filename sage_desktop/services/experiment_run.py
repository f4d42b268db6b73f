"""Run the cells of an experiment, several side by side, each with an engine on a workspace of its own."""

from __future__ import annotations

import asyncio
import queue
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from core.engine.engine import Engine
from core.engine.events import EngineEvent, EngineState, EngineStateChanged
from core.evaluation.judged_once import JudgedOnce, Verdicts
from core.evaluation.port import Evaluator
from core.experiments.faithfulness.live import Players, play_again
from core.experiments.faithfulness.studies import (
    studied_cells,
    study_file,
    study_name,
    study_progress,
    trials_of,
    write_masked_memories,
)
from core.experiments.plans.cells import Cell
from core.experiments.running.folder import Experiment
from core.operators.catalogue import find_operator
from core.workspace import Workspace
from sage_desktop.services import wiring

if TYPE_CHECKING:
    from core.models.port import ModelProvider
    from sage_desktop.services.models.choice import ModelChoice

_POLL_SECONDS = 0.2
_TWIN = "twin"

OnTrial = Callable[[str, int, int], None]
"""Hears of every trial of a study: its name, how many are known, and of how many."""

OnCell = Callable[[Cell, EngineEvent | None], None]
"""Hears of every event of a cell; None: it was begun."""


@dataclass
class ExperimentRun:
    """Works through what is left of an experiment.

    Attributes:
        experiment: The folder.
        models: Backbone -> model; those that replay need none.
        evaluator: Makes the judge of a cell.
        on_cell: Called in this thread.
        side_by_side: Cells at a time.
        on_trial: Called in this thread.
        replay_evaluator: Makes the judge of a cell that replays a recording; None for `evaluator`.
        stopped: Cells that came to rest without their end, with the reason.
    """

    experiment: Experiment
    models: Mapping[str, ModelChoice]
    evaluator: Callable[[], Evaluator]
    on_cell: OnCell
    side_by_side: int = 1
    on_trial: OnTrial = lambda _name, _trial, _of: None
    replay_evaluator: Callable[[], Evaluator] | None = None
    stopped: dict[str, str] = field(default_factory=dict)
    _events: queue.SimpleQueue[tuple[Cell, EngineEvent]] = field(
        default_factory=queue.SimpleQueue
    )
    _reasons: dict[str, str] = field(default_factory=dict)
    _verdicts: Verdicts = field(default_factory=Verdicts)

    def run(self) -> None:
        """Run until every cell is done or has stopped; ends cells' work cleanly when interrupted.

        Raises:
            SageError: A cell cannot be prepared, e.g. its memory or recording does not fit.
        """
        self._run_cells()
        # Studies play the rounds of finished cells again; cells may wait for what they say of a memory.
        while self._run_studies():
            self._run_cells()

    def _run_cells(self) -> None:
        running: dict[str, Engine] = {}
        try:
            while True:
                self._start(running)
                if not running:
                    break
                self._hear()
                idle = [
                    label for label, engine in running.items() if engine.wait_idle(0)
                ]
                for label in idle:
                    running.pop(label).stop()
                    self._hear_all()
                    self._note_end(label)
        finally:
            for engine in running.values():
                engine.stop()
            self._hear_all()

    def _run_studies(self) -> bool:
        """Play what is left of the studies; whether a memory was written that cells wait for."""
        open_studies = [
            cell
            for cell in studied_cells(self.experiment)
            if study_name(cell) not in self.stopped
            and study_progress(self.experiment, cell).state in {"new", "begun"}
        ]
        asyncio.run(self._play_all(open_studies))
        written = [
            write_masked_memories(self.experiment, cell)
            for cell in studied_cells(self.experiment)
            if study_progress(self.experiment, cell).state == "done"
        ]
        return any(written)

    async def _play_all(self, cells: Sequence[Cell]) -> None:
        gate = asyncio.Semaphore(self.side_by_side)

        async def play(cell: Cell) -> None:
            async with gate:
                await self._play_again(cell)

        await asyncio.gather(*map(play, cells))

    def _start(self, running: dict[str, Engine]) -> None:
        while len(running) < self.side_by_side:
            ready = [
                cell
                for cell in self.experiment.cells
                if cell.label not in running
                and cell.label not in self.stopped
                and self.experiment.progress(cell).state in {"new", "begun"}
            ]
            if not ready:
                return
            # Arms of one repeat send the same kernels at the same time, and would wait for each other's verdicts.
            repeats = Counter(
                cell.repeat for cell in self.experiment.cells if cell.label in running
            )
            cell = min(ready, key=lambda cell: repeats[cell.repeat])
            running[cell.label] = self._engine(cell)
            self.on_cell(cell, None)
            running[cell.label].start()

    def _engine(self, cell: Cell) -> Engine:
        """An engine on the prepared workspace of a cell."""
        experiment, session = self.experiment, self.experiment.session(cell)
        model = self.models.get(cell.backbone)
        path = experiment.prepare(cell, model.prices if model else (0.0, 0.0, 0.0))
        parameters = experiment.parameters(cell)
        if session is not None:
            judge = self.replay_evaluator or self.evaluator
            config = wiring.replay_config(session, judge, parameters)
        else:
            assert model is not None
            limits = experiment.limits(model.prices)
            config = wiring.run_config(
                self._provider_factory(cell, model, cell.label),
                model.context_budget,
                parameters,
                self._judge_factory(model),
                limits,
                experiment.frozen(cell),
            )
        return Engine(
            path, config, find_operator, lambda event: self._events.put((cell, event))
        )

    def _provider_factory(
        self, cell: Cell, model: ModelChoice, name: str
    ) -> Callable[[], ModelProvider]:
        """What makes the model of a cell, or of its study.

        Arms of one repeat have the same draws. A reader who answers through files sees nothing of another cell, and
        no answer that was given in one is taken in another.

        Args:
            cell: Whose.
            model: Of its backbone.
            name: Of the folder, where there is one.
        """
        if model.make_apart is not None:
            return partial(model.make_apart, name)
        if model.make_seeded is None:
            return model.make
        seed = f"{self.experiment.plan.seed}/{cell.repeat}"
        return partial(model.make_seeded, seed, cell.backbone)

    def _judge_factory(self, model: ModelChoice) -> Callable[[], Evaluator]:
        """What makes the judge; a model of prepared kernels sends the same ones in every arm."""
        if model.make_seeded is None or self.experiment.plan.toolchain != _TWIN:
            return self.evaluator
        return lambda: JudgedOnce(self.evaluator(), self._verdicts)

    async def _play_again(self, cell: Cell) -> None:
        """The rounds of a finished cell again, altered; see `core.experiments.faithfulness.analysis`."""
        experiment, model = self.experiment, self.models[cell.backbone]
        plan, into = experiment.plan.faithfulness, study_file(experiment, cell)
        assert plan is not None
        into.parent.mkdir(exist_ok=True)
        with Workspace.open_readonly(experiment.workspace(cell)) as workspace:
            trials, _ = trials_of(experiment, workspace)
            players = Players(
                self._provider_factory(cell, model, study_name(cell))(),
                self._judge_factory(model)(),
                model.label,
            )

            def report(trial_count: int) -> None:
                self.on_trial(study_name(cell), trial_count, len(trials))

            await play_again(
                workspace,
                players,
                trials,
                into,
                experiment.plan.seed,
                plan.repeats,
                report,
            )
        progress = study_progress(experiment, cell)
        if progress.state != "done":
            self.stopped[study_name(cell)] = progress.reason

    def _note_end(self, label: str) -> None:
        cell = next(cell for cell in self.experiment.cells if cell.label == label)
        progress = self.experiment.progress(cell)
        if progress.state != "done":
            self.stopped[label] = self._reasons.get(label) or progress.reason

    def _hear(self) -> None:
        try:
            self._tell(*self._events.get(timeout=_POLL_SECONDS))
        except queue.Empty:
            return

    def _hear_all(self) -> None:
        # The last events of an engine carry the reason of its end.
        while not self._events.empty():
            self._tell(*self._events.get())

    def _tell(self, cell: Cell, event: EngineEvent) -> None:
        if isinstance(event, EngineStateChanged) and event.state is EngineState.IDLE:
            self._reasons[cell.label] = str(event.reason)
        self.on_cell(cell, event)
