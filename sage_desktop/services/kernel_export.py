"""A finished kernel on its way out of a workspace: which one, and as what files. No Qt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.errors import SageError
from core.evaluation.records import Candidate, origin_words
from core.exporters.kernel import ExportedKernel, vendor_name
from core.operators.spec import CaseShapes, OperatorSpec
from core.workspace import Workspace
from sage_desktop.services import wiring
from sage_desktop.services.places import cache_dir

PACKAGE, TORCH = "package", "torch"
FORMS = (PACKAGE, TORCH)
# What the tests of a torch project need of the judge.
_TESTED_WITH = (
    "remote.judge.comparing.acceptance",
    "remote.judge.inputs.reference_module",
    "remote.judge.inputs.reference_results",
    "remote.judge.job",
    "remote.judge.json_records",
    "remote.judge.operator_code.stand_in",
)


@dataclass(frozen=True)
class KernelExport:
    """What is to be written.

    Attributes:
        files: Relative path -> text.
        notes: What the person has to do or to know first, one line each.
    """

    files: dict[str, str]
    notes: tuple[str, ...] = ()


def _refuse_rejected(
    workspace: Workspace, candidate: str, operator: str, number: int
) -> None:
    from core.analysis.reviews import Decision, reviews

    stored = reviews(workspace.db, candidate)
    if stored and stored[-1].decision is Decision.REJECTED:
        raise SageError(
            "The kernel of round {round} of {operator} was rejected in review.",
            "Export another round, or accept it first.",
            round=number,
            operator=operator,
        )


def _without_best(
    path: Path, operator: str, rounds: Iterable[JudgedRound]
) -> SageError:
    """Why no round of the latest run of an operator is its best."""
    from core.agent.run.records import counts_as_correct

    correct = [entry.round for entry in rounds if counts_as_correct(entry.verdict)]
    if not correct:
        return SageError(
            "{operator} has no correct kernel in {workspace} yet.",
            "Let its run continue, or name another workspace.",
            operator=operator,
            workspace=path.name,
        )
    return SageError(
        "{operator} has correct kernels in {workspace}, but no best one.",
        "Each was rejected in review or timed outside a sandbox; name one of the rounds: {rounds}.",
        operator=operator,
        workspace=path.name,
        rounds=", ".join(map(str, correct)),
    )


class JudgedRound(Protocol):
    """A round as it is stored: its number, and what the judge said."""

    @property
    def round(self) -> int: ...

    @property
    def verdict(self) -> str: ...

    @property
    def latency_us(self) -> float | None: ...

    @property
    def latency_origin(self) -> str: ...


def kernel_of_run(path: Path, operator: str, number: int | None) -> ExportedKernel:
    """The kernel of a round of the latest run of an operator; of its best round without a number.

    Raises:
        SageError: There is no such run or round, or its kernel is not correct.
    """
    from core.agent.run.journal import Journal
    from core.analysis.queries import trajectories
    from core.operators.catalogue import find_operator

    with Workspace.open_readonly(path) as workspace:
        runs = trajectories(workspace.db, operator)
        if not runs:
            raise SageError(
                "No run of {operator} is in this workspace.",
                "`sage report` lists what is.",
                operator=operator,
            )
        run = runs[0]
        journal = Journal(workspace)
        rounds = {entry.round: entry for entry in journal.rounds(run.uid)}
        exported = run.best_round if number is None else number
        if exported is None:
            raise _without_best(path, operator, rounds.values())
        stored = rounds.get(exported)
        if stored is None or not stored.has_verdict:
            raise SageError(
                "Round {round} of {operator} was not evaluated.",
                "Leave out the round for the best one; rounds: {rounds}.",
                round=exported,
                operator=operator,
                rounds=", ".join(map(str, rounds)) or "none",
            )
        # A review may have rejected the kernel after it was judged.
        _refuse_rejected(workspace, stored.candidate, operator, stored.round)
        sources = dict(
            workspace.db.execute("SELECT operator, source FROM queue_entry").fetchall()
        )
        candidate = journal.candidate(stored.candidate)
    spec = find_operator(sources.get(operator, "catalogue"), operator)
    where = f"run {run.uid} in {path.name}"
    return finished_kernel(spec, candidate, stored, where)


def finished_kernel(
    spec: OperatorSpec, candidate: Candidate, judged: JudgedRound, where: str
) -> ExportedKernel:
    """The kernel of a round that passed.

    Args:
        spec: Its operator.
        candidate: Its sources.
        judged: What the judge said of it.
        where: Run and workspace, for the record of the export.

    Raises:
        SageError: It is not correct.
    """
    if judged.verdict != "pass":
        raise SageError(
            "The kernel of round {round} of {operator} is not correct: {verdict}.",
            "Export a round that passed.",
            round=judged.round,
            operator=spec.name,
            verdict=judged.verdict,
        )
    time = ""
    if judged.latency_us is not None:
        words = origin_words(judged.latency_origin)
        time = f", {judged.latency_us:.2f} us {words}"
    origin = f"round {judged.round} of {where}: pass{time}"
    return ExportedKernel(spec, candidate, origin)


def shapes_of(specs: Sequence[OperatorSpec]) -> list[tuple[CaseShapes, ...]]:
    """Shapes of the operators' cases, from their own code in confined processes.

    Raises:
        SageError: That code cannot be run here.
    """
    from remote.operator_check import case_shapes

    return case_shapes(specs, cache_dir())


def export_kernels(
    kernels: Sequence[ExportedKernel], form: str, vendor: str = "", soc: str = ""
) -> KernelExport:
    """Kernels as a package of CANN, or as operators of PyTorch with that package in it.

    Args:
        kernels: At least one.
        form: One of `FORMS`.
        vendor: The user's name for the package; empty for one that is made of the operators' names.
        soc: SoC version to build for; empty for that of the machine that builds.

    Raises:
        InvalidInput: A name cannot be one, files collide, or an interface cannot be said in PyTorch.
        SageError: The operators' own code cannot be run here.
    """
    name = vendor_name(kernels, vendor)
    package = wiring.package_project(kernels, name, soc)
    # The record says where each kernel is from, wherever the package is copied.
    package["sage-package.json"] = _record(kernels, name, soc)
    if form == PACKAGE:
        return KernelExport(package)
    return _torch_project(kernels, name, package)


def _torch_project(
    kernels: Sequence[ExportedKernel], name: str, package: dict[str, str]
) -> KernelExport:
    from core.exporters.torch_project import export_torch_project, torch_operator
    from remote.judge.json_records import plain
    from remote.judge.program import sources_of
    from remote.toolchains.twin.toolchain import describe_operator

    specs = [kernel.spec for kernel in kernels]
    operators = [
        torch_operator(kernel.spec, cases, kernel.origin)
        for kernel, cases in zip(kernels, shapes_of(specs), strict=True)
    ]
    names = ", ".join(spec.name for spec in specs)
    kind = "kernels" if len(specs) > 1 else "a kernel"
    files = export_torch_project(operators, name, f"{names}: {kind} written with SAGE")
    files |= {f"package/{path}": text for path, text in package.items()}
    files[f"src/{name}/sage-package.json"] = package["sage-package.json"]
    judge = sources_of(*_TESTED_WITH)
    files |= {f"tests/sage_judge/{path}": text for path, text in judge.items()}
    for spec in specs:
        described = replace(describe_operator(spec), cases=spec.cases)
        folder = f"tests/operators/{spec.name}"
        files[f"{folder}/reference.py"] = described.reference_source
        files |= {f"{folder}/{path}": text for path, text in described.files.items()}
        named = dict.fromkeys(described.files, "")  # the texts lie beside it
        row = plain(replace(described, reference_source="", files=named))
        files[f"{folder}/operator.json"] = json.dumps(row, indent=1) + "\n"
    notes = []
    for operator in operators:
        file = f"csrc/outputs_{operator.snake}.h"
        name = operator.spec.name
        notes += [f"{name}: {line}. Write it in {file}." for line in operator.unruled]
    return KernelExport(files, tuple(notes))


def _record(kernels: Sequence[ExportedKernel], vendor: str, soc: str) -> str:
    rows = [
        {
            "operator": kernel.spec.name,
            "operator_digest": kernel.spec.digest,
            "kernel_digest": kernel.candidate.digest,
            "origin": kernel.origin,
        }
        for kernel in kernels
    ]
    record = {"format": 1, "vendor": vendor, "soc": soc, "kernels": rows}
    return json.dumps(record, indent=1) + "\n"
