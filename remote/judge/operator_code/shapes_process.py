"""Shapes and dtypes of what an operator takes and gives, case by case, from its own code in a confined process.

`python -m remote.judge.operator_code.shapes_process <cache folder>` reads operators (with `cases`) as a JSON list
from standard input and writes one JSON line for each: its cases that are not big and take no seconds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from core.operators.spec import CaseShapes, DType, TensorShape, TestCase
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.job import Operator
from remote.judge.operator_code.gate_process import answer_operators
from remote.judge.operator_code.process import ForeignCode, ForeignLimits
from remote.judge.operator_code.references import place_files
from remote.judge.sandbox import Sandbox, require_sandbox

# Of all inputs; the shapes of larger cases follow the same rules.
_MOST_ELEMENTS = 1 << 22


def shapes_of(
    operators: Sequence[Operator], cache_dir: Path, *, allow_unconfined: bool = False
) -> Iterator[tuple[CaseShapes, ...]]:
    """What the code of each operator makes of its cases that are not big.

    Raises:
        EnvironmentFault: This machine has no sandbox, and the person did not allow to go without.
    """
    torch.set_num_threads(1)
    sandbox = Sandbox.within(cache_dir)
    require_sandbox(sandbox.isolation, unconfined_allowed=allow_unconfined)
    for operator in operators:
        with tempfile.TemporaryDirectory(prefix="sage-shapes-") as folder:
            placed = place_files(Path(folder), operator)
            code = ForeignCode(operator, placed, sandbox, ForeignLimits())
            try:
                small = _quick(operator.cases)
                yield tuple(_case(operator, code, case) for case in small)
            finally:
                code.close()


def _quick(cases: Sequence[TestCase]) -> list[TestCase]:
    """The cases that are not big; where there are smaller ones, without those that take seconds."""
    listed = [case for case in cases if not case.big]
    quick = [case for case in listed if case.elements <= _MOST_ELEMENTS]
    return quick or listed


def _case(operator: Operator, code: ForeignCode, case: TestCase) -> CaseShapes:
    try:
        description = code.case(case)
    except (UnavailableCase, EnvironmentFault) as fault:
        return CaseShapes(case.name, problem=str(fault))
    outputs: dict[str, tuple[TensorShape, ...]] = {
        output.name: () for output in operator.outputs
    }
    for row in description.outputs:
        outputs[row["name"]] += (_tensor(row),)
    inputs = {
        name: tuple(map(_tensor, rows)) for name, rows in description.inputs.items()
    }
    return CaseShapes(case.name, inputs, description.attributes, outputs)


def _tensor(row: Mapping[str, Any]) -> TensorShape:
    return TensorShape(DType(row["dtype"]), tuple(row["shape"]))


if __name__ == "__main__":
    sys.exit(answer_operators("Shapes of operators' cases", shapes_of))
