"""Which cases of a job are run on this machine, and what the candidate is compiled for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.operators.spec import TensorSpec, TestCase
from remote.judge.building.builder import Signature
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.inputs.memory_needs import reference_bytes, refusal
from remote.judge.job import Operator, TwinJob
from remote.judge.operator_code.references import References


@dataclass(frozen=True)
class Selection:
    """The cases of a job.

    Attributes:
        cases: All of them in the order of the job; those that run have known inputs.
        left_out: Name of a case that does not run -> why.
        signatures: Name of a case that runs -> dtypes its kernel is compiled for.
    """

    cases: tuple[TestCase, ...]
    left_out: Mapping[str, str]
    signatures: Mapping[str, Signature]

    @property
    def runnable(self) -> list[TestCase]:
        """The cases that run."""
        return [case for case in self.cases if case.name not in self.left_out]


def select_cases(job: TwinJob, references: References) -> Selection:
    """Look at every case of a job: is it small enough, and can its inputs be made?

    Raises:
        EnvironmentFault: No case is left, or the operator's own code fails.
    """
    # An operator that only has large cases is judged by them.
    run_big = job.run_big or all(case.big for case in job.cases)
    cases: list[TestCase] = []
    left_out: dict[str, str] = {}
    for case in job.cases:
        reason = _too_large(case, len(job.operator.outputs), run_big=run_big)
        described = case
        if not reason:
            try:
                described = references.described(job.operator, case)
            except UnavailableCase as fault:
                reason = str(fault)
        if reason:
            left_out[case.name] = reason
        cases.append(described)
    if run_big and not any(case.big and case.name in left_out for case in cases):
        left_out |= {
            case.name: "stands for a large case, which runs"
            for case in cases
            if (case.derived or "derived" in case.row) and case.name not in left_out
        }
    if len(left_out) == len(cases):
        name, reason = next(iter(left_out.items()))
        raise EnvironmentFault(
            f"The CPU twin can run no test case of the operator ({name}: {reason})."
        )
    signatures = {
        case.name: _signature(job.operator, case, references)
        for case in cases
        if case.name not in left_out
    }
    return Selection(tuple(cases), left_out, signatures)


def _too_large(case: TestCase, outputs: int, *, run_big: bool) -> str:
    """Why a case that is marked big is not run here; empty where it may be."""
    if not case.big:
        return ""
    if not run_big:
        return "too large for the CPU twin"
    return refusal(reference_bytes(case, outputs))


def _signature(operator: Operator, case: TestCase, references: References) -> Signature:
    """Dtype of every input and output of a case."""
    dtypes = {name: str(spec.dtype) for name, spec in case.inputs.items()}
    first = next(iter(dtypes.values()), "float32")
    inputs = [
        (tensor.name, dtypes.get(tensor.name, _absent_dtype(tensor, first)))
        for tensor in operator.inputs
    ]
    names = [tensor.name for tensor in operator.outputs]
    outputs = references.output_dtypes(operator, case)
    return Signature(tuple(inputs), tuple(zip(names, outputs, strict=True)))


def _absent_dtype(tensor: TensorSpec, first: str) -> str:
    """Dtype an absent optional input is compiled with: that of the first input where allowed."""
    dtypes = [str(dtype) for dtype in tensor.dtypes]
    return first if first in dtypes or not dtypes else dtypes[0]
