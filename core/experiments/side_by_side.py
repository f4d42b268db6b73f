"""Several experiments in one table, and their arms tested against one of them: what the window shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SageError
from core.experiments.comparison import Side, compared
from core.experiments.folder import FILE, Experiment
from core.experiments.page import Row, pair_cells, result_rows
from core.experiments.report import ArmFigures, Report, report_on
from core.sentence import Sentence


@dataclass(frozen=True)
class ArmRow:
    """An arm of one of the experiments; `name` is unique among all."""

    name: str
    arm: ArmFigures
    cells: Row


@dataclass(frozen=True)
class SideBySide:
    """What several experiments say.

    Attributes:
        reports: Each by its folder, in the order asked for.
        levels: Columns of execution rates.
        arms: Rows of the table, experiment by experiment.
        pairs: Cells of the tests of `against` and every other arm.
        refused: Arms that are not tested against it, with the reason.
        faults: Why some of the folders cannot be read; the others are shown without them.
    """

    reports: tuple[tuple[Path, Report], ...]
    levels: tuple[str, ...]
    arms: tuple[ArmRow, ...]
    pairs: tuple[tuple[str, ...], ...]
    refused: tuple[Sentence, ...]
    faults: tuple[Sentence, ...] = ()


def experiments_in(folder: Path) -> tuple[Path, ...]:
    """Folders of experiments in `folder`, by name."""
    return tuple(sorted(path.parent for path in folder.glob(f"*/{FILE}")))


def side_by_side(folders: Sequence[Path], against: str = "") -> SideBySide:
    """Read experiments as far as they are.

    Args:
        folders: Of the experiments.
        against: Name of the arm the others are tested against; empty or gone: the first one's own choice.
    """
    reports, faults = _reports(folders)
    labels = distinct_names([folder for folder, _report in reports])
    levels = tuple(
        sorted(
            {
                level
                for _, report in reports
                for a in report.arms
                for level in a.execution_rate_by_level
            }
        )
    )
    arms, sides, own = [], {}, ""
    for label, (folder, report) in zip(labels, reports, strict=True):
        several = len(reports) > 1
        rows = result_rows(report.arms, levels, ranked=not report.unranked)
        for arm, cells in zip(report.arms, rows, strict=True):
            name = f"{label}:{arm.name}" if several else arm.name
            arms.append(ArmRow(name, arm, cells))
            trials = tuple(
                t
                for t in report.trials
                if (t.arm, t.backbone) == (arm.arm, arm.backbone)
            )
            sides[name] = Side(name, trials, report.unranked)
            if not own and arm.arm == Experiment(folder).plan.against:
                own = name
    chosen = against if against in sides else own or next(iter(sides), "")
    pairs, refused = list[tuple[str, ...]](), list[Sentence]()
    usable = []
    for name, side in sides.items():
        if name == chosen:
            continue
        try:
            compared(sides[chosen], [side])
        except SageError as error:
            refused.append(Sentence("{arm}: {reason}", arm=name, reason=error.what))
        else:
            usable.append(side)
    if usable:
        pairs = [pair_cells(pair) for pair in compared(sides[chosen], usable)]
    return SideBySide(
        reports,
        levels,
        tuple(arms),
        tuple(pairs),
        tuple(dict.fromkeys(refused)),
        faults,
    )


def distinct_names(folders: Sequence[Path]) -> list[str]:
    """Names of folders, each with as many of the folders above it as tell it from the others."""
    names = []
    for folder in folders:
        parts = folder.absolute().parts
        others = [other.absolute().parts for other in folders if other != folder]
        length = 1
        while length < len(parts) and any(
            other[-length:] == parts[-length:] for other in others
        ):
            length += 1
        names.append("/".join(parts[-length:]))
    return names


def _reports(
    folders: Sequence[Path],
) -> tuple[tuple[tuple[Path, Report], ...], tuple[Sentence, ...]]:
    """The reports of those that can be read, and why the others cannot."""
    reports, faults = [], []
    for folder in folders:
        try:
            reports.append((folder, report_on(Experiment(folder))))
        except SageError as error:
            faults.append(error.sentence)
    return tuple(reports), tuple(faults)
