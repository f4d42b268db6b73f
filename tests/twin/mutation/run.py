"""Runs correct kernels and their mutants on the twin and compares what is found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from remote.judge.job import TwinJob
from remote.judge.json_records import plain, read
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.toolchains.twin import TwinToolchain
from tests.own_kernels import own_kernel
from tests.twin.mutation.mutants import KINDS, Edit, mutants

ROOT = Path(__file__).resolve().parents[3]
TWIN = ROOT / "resources" / "twin"
KERNELS = ROOT / "tests" / "data" / "kernels"
OWN = Path(__file__).parent / "kernels"
# Name -> operator, and the kernel source that takes the place of the operator's own.
SUBJECTS: dict[str, tuple[str, str]] = {
    "AbsMath (flags)": ("AbsMath", "abs_math_flags.cpp"),
    "AbsMath (barriers)": ("AbsMath", "abs_math_barrier.cpp"),
    **{
        name: (name, "")
        for name in (
            "AbsMath",
            "AddLayerNorm",
            "AddRmsNorm",
            "Addcdiv",
            "ApplyAdamWV2",
            "ApplyFusedEmaAdam",
            "Arange",
            "CastMath",
            "ClipByValue",
            "Cross",
            "DeepNorm",
            "Equal",
            "ExpandV2",
            "Eye",
            "Fill",
            "ForeachAddList",
            "ForeachNeg",
            "ForeachZeroInplace",
        )
    },
}
# A mutant of these kinds is wrong on the device whatever the twin says.
UNSAFE = frozenset({"drop a sync", "wrong event id", "swapped queue", "missing Free"})
# Rules that name the defect rather than one of its far effects.
RIGHT: dict[str, str] = {
    "drop a sync": (
        "race flag-unpaired flag-repeated deadlock queue-undelivered queue-order queue-leak queue-exhausted"
    ),
    "shift an offset": (
        "result-shifted gm-overwrite gm-out-of-bounds gm-overread gm-unwritten cross-core-race "
        "tensor-overread tensor-overwrite uninitialised-read alignment"
    ),
    "shrink a buffer": "tensor-overwrite tensor-overread ub-overflow pipe-misuse alignment null-tensor",
    "wrong mask": (
        "uninitialised-read vector-count vector-limit alignment result-tail result-part result- columns"
    ),
    "wrong event id": "race flag-unpaired flag-repeated deadlock event-id",
    "missing tail": "gm-unwritten result-tail result-part result-columns",
    "swapped queue": (
        "queue-order queue-foreign queue-undelivered queue-exhausted queue-full queue-leak use-after-free "
        "deadlock tensor-overwrite null-tensor"
    ),
    "missing Free": "queue-leak queue-exhausted",
    "wrong cast mode": "cast-mode result-rounding",
    "wrong block split": "gm-unwritten gm-overwrite cross-core-race gm-out-of-bounds result-tail result-part",
}
_TRIES = 4  # edits of a kind tried on a kernel until one compiles and matters
_MOST_ELEMENTS = 200_000  # of an input; enough for every core of the processor


def _elements(tensor: dict[str, Any]) -> int:
    return math.prod(tensor["shape"])


@dataclass(frozen=True)
class Outcome:
    """What the twin says about one candidate: verdict and, per rule and line, what was found."""

    verdict: str
    found: frozenset[tuple[str, str, str]]

    def severities(self, *wanted: str) -> list[str]:
        """Rules found with one of these severities."""
        return sorted({rule for rule, severity, _ in self.found if severity in wanted})


@dataclass(frozen=True)
class Mutation:
    """One mutant, tried. `added` are the rules found that the original does not have."""

    subject: str
    kind: str
    edit: str
    verdict: str
    added: frozenset[str]

    @property
    def counts(self) -> bool:
        """Whether it is wrong or unsafe; the others changed nothing that matters on these cases."""
        return (
            self.kind in UNSAFE
            or bool(self.added)
            or self.verdict not in {"pass", "pass-with-hazard"}
        )

    @property
    def right_kind(self) -> bool:
        """Whether one of the rules names the defect."""
        return bool(self.added & set(RIGHT[self.kind].split()))


class Laboratory:
    """A judge for mutants.

    Args:
        cache: Build cache.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._judge = Judge(cache, TWIN, 2)

    def original(self, subject: str) -> Candidate:
        """The correct kernel."""
        operator, source = SUBJECTS[subject]
        candidate = own_kernel(operator)
        if not source:
            return candidate
        return Candidate(
            {**candidate.files, "op_kernel/abs_math.cpp": (OWN / source).read_text()}
        )

    def judge(self, subject: str, candidate: Candidate) -> Outcome:
        """Run all cases of one dtype: float16 where the operator has it, for its way through float32."""
        operator = catalogue_operator(SUBJECTS[subject][0])
        request = TwinToolchain(self._cache, TWIN, kernel_time_limit_s=5.0).request(
            operator, candidate
        )
        cases = [case for case in request.payload["cases"] if not case.get("big")]
        dtypes = [
            next(iter(case["inputs"].values()))["dtype"] if case["inputs"] else ""
            for case in cases
        ]
        wanted = "float16" if "float16" in dtypes else dtypes[0]
        chosen = [
            case
            for case, dtype in zip(cases, dtypes, strict=True)
            if dtype == wanted
            and max(map(_elements, case["inputs"].values()), default=0)
            <= _MOST_ELEMENTS
        ]
        payload: dict[str, Any] = {
            **request.payload,
            "id": request.job,
            "cases": chosen,
        }
        job = read(TwinJob, payload)
        answer = self._judge.evaluate(
            job, ChildGroup(request.job), lambda _line, **_fields: None
        )
        result = plain(answer.evaluation)
        if not result["build"]["ok"]:
            return Outcome("fail-build", frozenset())
        found = {
            (f["rule"], f["severity"], f"{f['file']}:{f['line']}" if f["file"] else "")
            for f in result["findings"]
            # A note is about code that did not run, not about what did.
            if f["severity"] != "note"
        }
        return Outcome(result["verdict"], frozenset(found))

    def try_all(
        self, subject: str, kinds: Iterable[str] = KINDS
    ) -> tuple[Outcome, list[Mutation]]:
        """The original and one mutant of every kind that applies to it."""
        candidate = self.original(subject)
        clean = self.judge(subject, candidate)
        tried = [self._try(subject, kind, candidate, clean) for kind in kinds]
        return clean, [mutation for mutation in tried if mutation is not None]

    def _try(
        self, subject: str, kind: str, candidate: Candidate, clean: Outcome
    ) -> Mutation | None:
        """The first mutant of a kind that compiles, changes code that runs, and matters if it can."""
        silent: Mutation | None = None
        for edit in mutants(candidate, kind, subject)[:_TRIES]:
            outcome = self.judge(subject, edit.applied(candidate))
            if outcome.verdict == "fail-build" or not self._runs(
                subject, edit, candidate, outcome
            ):
                continue
            known = {rule for rule, _, _ in clean.found}
            added = {
                rule
                for rule, _, place in outcome.found - clean.found
                if rule not in known or place
            }
            mutation = Mutation(
                subject, kind, edit.shown(candidate), outcome.verdict, frozenset(added)
            )
            if mutation.counts:
                return mutation
            silent = silent or mutation
        return silent

    def _runs(
        self, subject: str, edit: Edit, candidate: Candidate, outcome: Outcome
    ) -> bool:
        """Whether the changed statement is ever executed: a trap before it must be noticed."""
        if (
            outcome.verdict != "pass"
            or outcome.found
            or not edit.path.startswith("op_kernel/")
        ):
            return True
        return self.judge(subject, edit.trapped(candidate)).verdict != "pass"
