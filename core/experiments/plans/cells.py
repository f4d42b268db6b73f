"""The cells of an experiment: one arm with one backbone, once; and recordings in the place of a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.engine.shipped import demonstration
from core.errors import SageError
from core.experiments.plans.plan import Arm, Plan
from core.replay.session_file import Session, read_session

REPLAY = "replay"


@dataclass(frozen=True)
class Cell:
    """One arm with one backbone, the `repeat`-th time from 1 on."""

    arm: Arm
    backbone: str
    repeat: int

    @property
    def label(self) -> str:
        """Unique in the experiment; names its workspace, and the batch of its queue entries.

        It stands in folders of every release, so it stays as it is.
        """
        return f"{self.arm.name}--{self.backbone}--r{self.repeat}"


@dataclass(frozen=True)
class Progress:
    """How far a cell is.

    Attributes:
        state: `given`, `waiting` (for another arm), `new`, `begun` or `done`.
        operators: How many it has; trials, where rounds are played again.
        ended: How many came to a verdict, or were cancelled.
        failed: How many were given up without a verdict; the next run tries them again.
        solved: How many have a correct kernel.
        reason: Why the first one that is not done failed, or was interrupted.
        diverged: How many of a recording ended without a result: this memory asks for what it does not hold.
    """

    state: str
    operators: int
    ended: int = 0
    failed: int = 0
    solved: int = 0
    reason: str = ""
    diverged: int = 0


def cells_of(plan: Plan) -> tuple[Cell, ...]:
    """Every cell of a plan, in the order in which they may be run one after another."""
    return tuple(
        Cell(arm, backbone.name, repeat)
        for repeat in range(1, plan.repeats + 1)
        for arm in plan.arms
        for backbone in plan.backbones
        if not arm.backbones or backbone.name in arm.backbones
    )


def require_replayable(plan: Plan, cell: Cell, session: Session) -> None:
    """See that a recording can play a cell.

    Raises:
        SageError: It holds no answers to what the cell asks; says why.
    """
    operators = {name for _, name in plan.operators_of(cell.arm)}
    if cell.arm.needs or cell.arm.reads:
        raise SageError(
            "{cell} reads or continues a memory; a recording answers to its own.",
            "Use a model or --model manual:FOLDER.",
            cell=cell.label,
        )
    if plan.faithfulness is not None:
        raise SageError(
            "{plan} asks about rounds again, altered; a recording answers only what it was asked.",
            "Use a model or --model manual:FOLDER.",
            plan=plan.name,
        )
    if operators != set(session.header.operators):
        raise SageError(
            "The recording holds {operators}; the arm {arm} asks for {count} operators.",
            "Name exactly those, e.g. --set demo for the demonstration.",
            operators=", ".join(session.header.operators),
            arm=cell.arm.name,
            count=len(operators),
        )


def recording(profile: str) -> Session | None:
    """The session `replay` (the demonstration that ships) or `replay:FILE` names, None for anything else."""
    if profile == REPLAY:
        return demonstration()
    if profile.startswith(f"{REPLAY}:"):
        return read_session(Path(profile.removeprefix(f"{REPLAY}:")).expanduser())
    return None
