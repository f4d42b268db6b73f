"""The gates of several operators, each in a confined process of its own.

`python -m remote.judge.operator_code.gate_process <cache folder>` reads operators (with `cases`) as a JSON list
from standard input and writes one JSON line for each.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import torch

from remote.judge.faults import EnvironmentFault
from remote.judge.job import Operator
from remote.judge.json_records import plain, read
from remote.judge.operator_code.process import ForeignCode, ForeignLimits
from remote.judge.operator_code.references import place_files
from remote.judge.result import OperatorCheck
from remote.judge.sandbox import Sandbox, require_sandbox

_S_OF_A_CASE = 60.0  # and as much to begin with; ours take a second or two


# Of operators, and of a cache folder: what is said of each, from a confined process of its own. Takes
# `allow_unconfined`.
Answers = Callable[..., Iterable[object]]


def check_operators(
    operators: Sequence[Operator], cache_dir: Path, *, allow_unconfined: bool = False
) -> Iterator[OperatorCheck]:
    """Check several operators, one after another, each in a confined process of its own.

    Raises:
        EnvironmentFault: This machine has no sandbox, and the person did not allow to go without.
    """
    torch.set_num_threads(1)
    sandbox = Sandbox.within(cache_dir)
    require_sandbox(sandbox.isolation, unconfined_allowed=allow_unconfined)
    for operator in operators:
        with tempfile.TemporaryDirectory(prefix="sage-check-") as folder:
            code = ForeignCode(
                operator,
                place_files(Path(folder), operator),
                sandbox,
                _limits(operator),
                gates=True,
            )
            try:
                yield code.gates()
            except EnvironmentFault as fault:
                yield OperatorCheck(operator.name, problems=(str(fault),))
            finally:
                code.close()


def _limits(operator: Operator) -> ForeignLimits:
    return ForeignLimits(wall_s=_S_OF_A_CASE * (1 + len(operator.cases)))


def answer_operators(what: str, answers: Answers) -> int:
    """Operators from standard input, one line for each to standard output; the exit code.

    Args:
        what: Is answered of the operators; for `--help`.
        answers: Makes them, in the order of the operators.
    """
    parser = argparse.ArgumentParser(
        description=f"{what}, a JSON list on standard input."
    )
    parser.add_argument("cache_dir", type=Path, help="where the sandbox is kept")
    parser.add_argument(
        "--allow-unconfined", action="store_true", help="go without a sandbox"
    )
    options = parser.parse_args()
    try:
        rows = answers(
            [read(Operator, row) for row in json.load(sys.stdin)],
            options.cache_dir.resolve(),
            allow_unconfined=options.allow_unconfined,
        )
        for row in rows:
            sys.stdout.write(json.dumps(plain(row)) + "\n")
            sys.stdout.flush()
    except EnvironmentFault as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(answer_operators("Checks of operators", check_operators))
