"""Ask operators' own code in child processes of the judge: no reference file is executed here.

What is asked: the quality gates, and the shapes of the cases.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from core.errors import SageError
from core.operators.spec import CaseShapes, OperatorSpec
from remote.hosts.judge_environment import judge_environment
from remote.judge.json_records import plain, read
from remote.judge.result import OperatorCheck
from remote.toolchains.twin.toolchain import describe_operator

_LAST_WORDS = 400

__all__ = ["CheckerGone", "OperatorCheck", "case_shapes", "check_operators"]


class CheckerGone(SageError):
    """The process that starts the checks ended before it had answered."""


def check_operators(
    operators: Sequence[OperatorSpec], cache_dir: Path
) -> Iterator[OperatorCheck]:
    """Check `operators` one after another, each confined, yielding each answer as it comes.

    `SAGE_ALLOW_UNCONFINED=1` in the environment lets their code run where there is no sandbox.

    Args:
        operators: What to check.
        cache_dir: Where the sandbox is kept once compiled.

    Raises:
        CheckerGone: This machine has no sandbox, or the process that starts the others ended.
        InvalidInput: A file of an operator cannot be read.
    """
    for line in _answers("gate_process", operators, cache_dir):
        yield msgspec.json.decode(line, type=OperatorCheck)


def case_shapes(
    operators: Sequence[OperatorSpec], cache_dir: Path
) -> list[tuple[CaseShapes, ...]]:
    """Shapes and dtypes of all cases of each operator, but those marked big; arguments and errors as above."""
    lines = _answers("shapes_process", operators, cache_dir)
    return [_shapes(line) for line in lines]


def _shapes(line: bytes) -> tuple[CaseShapes, ...]:
    return tuple(read(CaseShapes, row) for row in msgspec.json.decode(line))


def _answers(
    module: str, operators: Sequence[OperatorSpec], cache_dir: Path
) -> Iterator[bytes]:
    payload = [
        plain(replace(describe_operator(one), cases=one.cases)) for one in operators
    ]
    with tempfile.TemporaryFile() as job, tempfile.TemporaryFile() as words:
        options = [str(cache_dir)]
        options += (
            ["--allow-unconfined"]
            if os.environ.get("SAGE_ALLOW_UNCONFINED") == "1"
            else []
        )
        job.write(msgspec.json.encode(payload))
        job.seek(0)
        answered, code = 0, 0
        with subprocess.Popen(
            [sys.executable, "-m", f"remote.judge.operator_code.{module}", *options],
            stdin=job,
            stdout=subprocess.PIPE,
            stderr=words,
            env=judge_environment(os.environ),
        ) as process:
            try:
                for line in process.stdout or ():
                    yield line
                    answered += 1
                code = process.wait()
            finally:
                process.kill()  # when the caller stops early, e.g. at Ctrl-C
        if answered < len(operators):
            words.seek(0)
            message = words.read().decode("utf-8", "replace").strip()[-_LAST_WORDS:]
            raise CheckerGone(
                "The process that checks operators ended with code {code} at {operators}.",
                message or "Try again; if it happens again, report it.",
                code=code,
                operators=operators[answered].name,
            )
