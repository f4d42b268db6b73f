"""An experiment on disk: a folder with its plan, the memory all begin with, and a workspace for each cell.

A cell is one arm with one backbone, once. What was done stands in the cells' workspaces alone, each change of
which is a transaction; so an experiment continues after it was killed at any instant, by
`sage experiment run FOLDER`.

    experiment.json      the plan as it is run, the secret of its inputs, the sha256 of the cold start
    plan.toml            the plan as it was written
    cold-start.sage      the memory before anything was run
    cells/*.sage         one workspace a cell
    faithfulness/*.jsonl outcomes of rounds that were played again
    memories/*.sage      finished memories that later arms read
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.agent.run.limits import Limits
from core.engine import queue
from core.engine.beginning import (
    Bank,
    begin_memory,
    beginning,
    read_bank,
    session_bank,
)
from core.engine.demo import prepare_demo
from core.errors import SageError
from core.evaluation.secret_seeds import new_secret, secret_of_repeat, set_secret
from core.experiments.plans.cells import (
    Cell,
    Progress,
    cells_of,
    recording,
    require_replayable,
)
from core.experiments.plans.plan import INITIAL, Plan, changed, refuse_trained
from core.experiments.running.texts import texts_digest
from core.memory.frozen import FrozenMemory, claim, frozen_memory
from core.memory.replay.fixed_bank import MASKED, write_fixed_bank
from core.method.parameters import MethodParameters
from core.outside import read_text
from core.private import private_folder
from core.records_json import from_json, to_json
from core.replay.provider import DIVERGED
from core.replay.session_file import Session, bank_digest
from core.workspace import Workspace

# What a `create` that was killed may have left.
_UNFINISHED = {
    "plan.toml",
    "cold-start",
    "memories",
    "experiment.json.new",
}
# States of an entry that is not run again, and those whose text tells why a cell is where it is.
_FINISHED = ("done", "cancelled", "diverged")
_EXPLAINED = ("failed", "diverged", "queued", "running")
FILE, PLAN_FILE, COLD_START = "experiment.json", "plan.toml", "cold-start.sage"
_CELL, _PRICES = "experiment_cell", "experiment_prices"
# A failed entry whose trajectory is finished has its verdict: no correct kernel within the budget.
_ENTRIES = """
SELECT CASE WHEN q.state = 'failed' AND t.state = 'finished' THEN 'done'
  WHEN q.state = 'failed' AND q.reason LIKE :diverged THEN 'diverged' ELSE q.state END, q.reason,
  t.state = 'finished' AND t.first_correct_round IS NOT NULL
FROM queue_entry q LEFT JOIN trajectory t ON t.uid = q.trajectory_uid
WHERE q.label = :label ORDER BY q.position, q.id
"""


@dataclass(frozen=True)
class Record:
    """What `experiment.json` holds.

    Attributes:
        plan: As it is run.
        cold_start: sha256 over uid and content of every experience all arms begin with.
        experiences: How many those are.
        given: Arm -> sha256 of a finished memory that stands in for it; the arm is not run.
        secret: What the seeds of all inputs are mixed with, in every arm alike; empty in folders of earlier
            releases, whose cells have one each.
        texts: sha256 of all that ships for a model to read (`texts_digest`); empty in folders of earlier releases.
        format: Of this file.
    """

    plan: Plan
    cold_start: str
    experiences: int
    given: dict[str, str] = field(default_factory=dict)
    secret: str = ""
    texts: str = ""
    format: int = 1


class Experiment:
    """An experiment folder that is there; see `create`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / FILE
        if not path.is_file():
            raise SageError(
                "{folder} holds no experiment.",
                "`sage experiment run PLAN --into FOLDER` makes one.",
                folder=folder,
            )
        self.record = from_json(read_text(path), Record, str(path))
        self.plan = self.record.plan

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order in which they may be run one after another."""
        return cells_of(self.plan)

    def workspace(self, cell: Cell) -> Path:
        """Its workspace; need not be there yet."""
        return self.folder / "cells" / f"{cell.label}.sage"

    def profile(self, cell: Cell) -> str:
        """The model its backbone stands for, empty when none was named."""
        profiles = {each.name: each.profile for each in self.plan.backbones}
        return profiles[cell.backbone]

    def session(self, cell: Cell) -> Session | None:
        """The recording it replays, None for a model or a person."""
        return recording(self.profile(cell))

    def parameters(self, cell: Cell) -> MethodParameters:
        """Parameters of its trajectories."""
        session = self.session(cell)
        recorded = None
        if session is not None:
            recorded = MethodParameters()
            text = session.header.parameters
            if text:
                recorded = MethodParameters.from_json(text, "session")
        return self.plan.parameters_of(cell.arm, recorded)

    def limits(self, prices: tuple[float, float, float]) -> Limits:
        """What a cell may spend; at the plan's prices, else at those given."""
        limits = self.plan.limits
        if any(limits.prices) or not any(prices):
            return limits
        return replace(
            limits,
            price_input=prices[0],
            price_cached=prices[1],
            price_output=prices[2],
        )

    def prices(self, workspace: Workspace) -> tuple[float, float, float]:
        """What a cell's tokens cost, per million prompt, cached and reply tokens; 0: not known."""
        text = workspace.meta(_PRICES) or "[0, 0, 0]"
        stored = from_json(text, tuple[float, float, float], "prices")
        return self.limits(stored).prices

    def frozen(self, cell: Cell) -> Path | None:
        """The memory it reads instead of one of its own; None when it has one."""
        arm = cell.arm
        if not arm.reads:
            return None
        if arm.reads == INITIAL:
            return self.folder / COLD_START
        name = self.donor(cell)
        if arm.ranking != "atu":
            name += f"--{arm.ranking}"
        return self.folder / "memories" / f"{name}.sage"

    def donor(self, cell: Cell) -> str:
        """Label of the cell whose final memory it needs; empty when it needs none."""
        if not cell.arm.needs:
            return ""
        arm = self.plan.arm(cell.arm.needs)
        backbone = cell.arm.donor or cell.backbone
        return Cell(arm, backbone, cell.repeat).label

    def name_models(self, models: Mapping[str, str]) -> None:
        """Say which models stand for backbones that have none yet; "" names every such backbone.

        Raises:
            SageError: A backbone has a model already or is not in the plan, or the model is a recording.
        """
        profiles = {
            backbone.name: backbone.profile
            for backbone in self.plan.backbones
            if backbone.profile
        }
        settled = [name for name in models if name in profiles]
        if not settled and not self.open_backbones:
            settled = ["model"]
        if settled:
            raise SageError(
                "{folder} has its models: {taken}.",
                "Leave {settled} out, or make another experiment with --into.",
                folder=self.folder,
                taken=", ".join(f"{name}={profiles[name]}" for name in profiles),
                settled=settled[0],
            )
        played = [text for text in models.values() if recording(text) is not None]
        if played:
            raise SageError(
                "{played} begins with the memory of its recording, {folder} with another.",
                "`sage experiment run {plan} --model {played} --into FOLDER` makes one for it.",
                played=played[0],
                folder=self.folder,
                plan=self.plan.name,
            )
        plan = changed(self.plan, models=models)
        record = replace(self.record, plan=plan)
        _write_record(self.folder, record)
        self.record = record
        self.plan = plan

    @property
    def open_backbones(self) -> tuple[str, ...]:
        """Backbones without a model."""
        return tuple(
            backbone.name for backbone in self.plan.backbones if not backbone.profile
        )

    # ---- state

    def progress(self, cell: Cell) -> Progress:
        """How far it is, read from its workspace."""
        operators = len(self.plan.operators_of(cell.arm))
        if cell.arm.name in self.record.given:
            return Progress("given", operators)
        rows = self._entries(cell)
        if not rows:
            return Progress("waiting" if self._waits(cell) else "new", operators)
        states = Counter(state for state, _text, _solved in rows)
        finished = sum(states[state] for state in _FINISHED)
        reasons = [text for state, text, _ in rows if text and state in _EXPLAINED]
        solved = [row for row in rows if row[2]]
        return Progress(
            "done" if finished == len(rows) else "begun",
            len(rows),
            finished,
            states["failed"],
            len(solved),
            reasons[0] if reasons else "",
            states["diverged"],
        )

    def _entries(self, cell: Cell) -> list[tuple[str, str, bool]]:
        """State, error text and whether it was solved, of every entry of its queue; none before it was begun."""
        path = self.workspace(cell)
        if not path.is_file():
            return []
        with Workspace.open_readonly(path) as workspace:
            if workspace.meta(_CELL) != cell.label:
                return []
            values = {"label": cell.label, "diverged": f"{DIVERGED}%"}
            entries = workspace.db.execute(_ENTRIES, values)
            return [(state, text or "", solved) for state, text, solved in entries]

    def _waits(self, cell: Cell) -> bool:
        """Whether a cell that is not begun needs a memory that is not there yet."""
        memory = self.frozen(cell)
        if cell.arm.ranking == MASKED and memory is not None:
            # Written when the rounds of its donor have been played again.
            return not memory.exists()
        return bool(cell.arm.needs) and not self.is_done(self.donor(cell))

    def is_done(self, label: str) -> bool:
        """Whether a cell came to its end, or a memory was given in its place."""
        by_label = {cell.label: cell for cell in self.cells}
        return self.progress(by_label[label]).state in {"done", "given"}

    # ---- getting a cell ready

    def prepare(
        self, cell: Cell, prices: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> Path:
        """Its workspace with memory and queue; what failed without a verdict is queued again.

        Raises:
            SageError: The memory it needs is not finished, the cold start is no longer what it was, or prompts,
                skills, references or an operator are not.
        """
        self._require_same_texts()
        path = self.workspace(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        session = self.session(cell)
        if session is not None:
            require_replayable(self.plan, cell, session)
            prepare_demo(path, session)
        memory = self.frozen(cell)
        if session is None and memory is None and not path.exists():
            begins = self._finished(cell) if cell.arm.continues else None
            copy_workspace(begins or self.folder / COLD_START, path)
        if memory is not None and not memory.exists():
            self._write_memory(cell, memory)
        with Workspace.open(path) as workspace:
            if workspace.meta(_CELL) == cell.label:
                queue.resume_failed(workspace, untouched=session is not None)
                return path
            with frozen_memory(memory) as frozen, workspace.transaction():
                self._begin(workspace, cell, frozen, session)
                workspace.set_meta(_PRICES, to_json(prices))
                workspace.set_meta(_CELL, cell.label)
        return path

    def _require_same_texts(self) -> None:
        """See that a model reads what it read in the arms before."""
        frozen = self.record.texts
        if frozen and texts_digest(self.plan) != frozen:
            raise SageError(
                "Prompts, skills, references or an operator have changed since {folder} was made.",
                "Go on with the release that made it, or make another experiment with --into.",
                folder=self.folder,
            )

    def _begin(
        self,
        workspace: Workspace,
        cell: Cell,
        frozen: FrozenMemory | None,
        session: Session | None,
    ) -> None:
        """Memory and queue of a cell nothing was run in; within the caller's transaction."""
        if frozen is not None:
            claim(workspace, frozen)
        elif not cell.arm.continues:
            began = beginning(workspace)
            if began is None or began.sha256 != self.record.cold_start:
                raise SageError(
                    "{cell} would begin with another memory than the experiment.",
                    "{file} was changed since; make a new experiment.",
                    cell=cell.label,
                    file=COLD_START,
                )
        if session is not None:
            ids = [row[0] for row in workspace.db.execute("SELECT id FROM queue_entry")]
            queue.set_label(workspace, ids, cell.label)
            return
        if secret := self.record.secret:
            set_secret(workspace, secret_of_repeat(secret, cell.repeat))
        for source, name in self.plan.operators_of(cell.arm):
            queue.enqueue(workspace, name, source, cell.label)

    def _finished(self, cell: Cell) -> Path:
        """The final memory of the arm a cell needs.

        Raises:
            SageError: That arm has not come to its end.
        """
        label = self.donor(cell)
        if not self.is_done(label):
            raise SageError(
                "{cell} needs the memory of {label}, which is not finished.",
                cell=cell.label,
                label=label,
            )
        # A memory that was given in its place comes first.
        memory = self.folder / "memories" / f"{label}.sage"
        if memory.exists():
            return memory
        return self.folder / "cells" / f"{label}.sage"

    def _write_memory(self, cell: Cell, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        source = self._finished(cell)
        if cell.arm.ranking == "uniform":
            with Workspace.open_readonly(source) as memory:
                write_fixed_bank(memory, target, "uniform")
        elif source != target:
            copy_workspace(source, target)


def create(
    folder: Path,
    plan: Plan,
    text: str,
    memories: dict[str, Path] | None = None,
) -> Experiment:
    """Make an experiment folder; nothing is run yet.

    Args:
        folder: New or empty.
        plan: As it is to be run.
        text: The plan as written, kept beside it.
        memories: Arm -> a finished memory that stands in for it.

    Raises:
        SageError: The folder holds something, the bank cannot be read or learnt from operators of the plan,
            or a recording cannot play an arm.
    """
    _require_free(folder)
    given = memories or {}
    recordings: dict[str, Session] = {}
    for backbone in plan.backbones:
        session = recording(backbone.profile)
        if session is not None:
            recordings[backbone.name] = session
    _require_played(plan, recordings, given)
    if plan.faithfulness is not None and plan.faithfulness.arm in given:
        raise SageError(
            "The rounds of {arm} are played again; a memory has none.",
            "Leave --memory {arm}=… out.",
            arm=plan.faithfulness.arm,
        )
    bank = _first_bank(plan, list(recordings.values()))
    refuse_trained(plan, bank, plan.name)
    private_folder(folder, ours=True)
    # What a `create` that did not come to its end left.
    shutil.rmtree(folder / "memories", ignore_errors=True)
    for remnant in folder.glob(f"{COLD_START}*"):
        remnant.unlink()
    start = folder / COLD_START
    with Workspace.open(start) as workspace:
        begin_memory(workspace, bank)
        began = beginning(workspace)
    assert began is not None
    record = Record(
        plan,
        began.sha256,
        began.experiences,
        _copied_memories(folder, plan, given),
        new_secret(),
        texts_digest(plan),
    )
    (folder / PLAN_FILE).write_text(text, encoding="utf-8")
    _write_record(folder, record)  # last: the folder holds an experiment from now on
    return Experiment(folder)


def _require_played(
    plan: Plan, recordings: Mapping[str, Session], given: Mapping[str, Path]
) -> None:
    """Refuse a recording that cannot play the arms of its backbone, but for those whose memory is given."""

    def has_own_memory(cell: Cell) -> bool:
        return not (cell.arm.needs or cell.arm.reads)

    # Readers first: what no recording plays is said before which operators it lacks.
    for cell in sorted(cells_of(plan), key=has_own_memory):
        session = recordings.get(cell.backbone)
        if session is not None and cell.arm.name not in given:
            require_replayable(plan, cell, session)


def _first_bank(plan: Plan, sessions: Sequence[Session]) -> Bank:
    """What all arms begin with: the items of the recordings, else the bank of the plan.

    Raises:
        SageError: Recordings differ in it, or a backbone without one would begin with another.
    """
    banks = {bank_digest(session.items): session_bank(session) for session in sessions}
    if not banks:
        return read_bank(plan.bank)
    others_begin_with_plan = len(sessions) < len(plan.backbones)
    if others_begin_with_plan or len(banks) > 1:
        raise SageError(
            "The backbones would begin with different memories.",
            "Replay one recording by itself.",
        )
    (bank,) = banks.values()
    return bank


def repeated(experiment: Experiment, folder: Path) -> Experiment:
    """A new experiment that runs another one again: same plan, models, first memory and inputs.

    Args:
        experiment: The one that is repeated, run or not.
        folder: New or empty.

    Raises:
        SageError: The folder holds something.
    """
    _require_free(folder)
    private_folder(folder, ours=True)
    shutil.copy2(experiment.folder / PLAN_FILE, folder / PLAN_FILE)
    copy_workspace(experiment.folder / COLD_START, folder / COLD_START)
    for cell in experiment.cells:
        if cell.arm.name in experiment.record.given:
            memory = Path("memories") / f"{cell.label}.sage"
            target = folder / memory
            private_folder(target.parent, ours=True)
            copy_workspace(experiment.folder / memory, target)
    _write_record(folder, experiment.record)
    return Experiment(folder)


def _require_free(folder: Path) -> None:
    """Refuse a folder that holds more than what a `create` that was killed left."""
    # A workspace has further files of its name: `cold-start.sage-wal`.
    names = {entry.name.partition(".sage")[0] for entry in folder.glob("*")}
    if names - _UNFINISHED:
        raise SageError(
            "{folder} is not empty.",
            "Name a new folder; an experiment goes on with `sage experiment run FOLDER`.",
            folder=folder,
        )


def _write_record(folder: Path, record: Record) -> None:
    part = folder / f"{FILE}.new"
    part.write_text(to_json(record), encoding="utf-8")
    part.replace(folder / FILE)


def _copied_memories(
    folder: Path, plan: Plan, memories: dict[str, Path]
) -> dict[str, str]:
    """Copy finished memories in the place of arms; arm -> sha256 of the copy."""
    digests = {}
    for name, path in memories.items():
        arm = plan.arm(name)
        for backbone in plan.backbones:
            if arm.backbones and backbone.name not in arm.backbones:
                continue
            for repeat in range(1, plan.repeats + 1):
                label = Cell(arm, backbone.name, repeat).label
                target = folder / "memories" / f"{label}.sage"
                private_folder(target.parent, ours=True)
                target.unlink(missing_ok=True)
                copy_workspace(path, target)
        with Workspace.open_frozen(target) as memory:
            digests[name] = memory.digest()
    return digests


def copy_workspace(source: Path, target: Path) -> None:
    """A whole copy of a workspace at rest, under its name at once or not at all."""
    with Workspace.open_readonly(source) as workspace:
        workspace.backup(target)
