"""Judging a job as it came from outside: whatever goes wrong, there is an answer."""

from __future__ import annotations

import contextlib
import json
import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from core.evaluation.candidate_in_hand import CandidateFault
from remote.judge.faults import Cancelled, DeviceFault, EnvironmentFault, fault_of
from remote.judge.job import Job, read_job
from remote.judge.json_records import Unfit, plain
from remote.judge.processes.children import JOB_COOKIE, ChildGroup
from remote.judge.progress import Progress
from remote.judge.result import Answer, Device, failed_answer, void_answer

_NICENESS = 5
# Of 1000: how much sooner the system ends it than others, when memory runs out.
_FIRST_OUT = 500


def yield_to_others() -> None:
    """Let the person's other work come first: for CPUs, and where memory runs out.

    What this process starts, compilers and kernels, inherits it.
    """
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_OUT), encoding="ascii")


class AnyJudge(Protocol):
    """What every judge can do, with any toolchain."""

    def evaluate(self, job: Any, children: ChildGroup, progress: Progress) -> Answer:
        """Judge one job of its kind."""
        ...

    def warm_up(self) -> None:
        """Do now what serves all jobs that follow."""
        ...


def guarded(
    judge: Callable[[Job], AnyJudge],
    payload: Mapping[str, Any],
    children: ChildGroup,
    progress: Progress,
) -> dict[str, Any]:
    """Judge a job; every fault becomes an answer, void where it is not the candidate's.

    Args:
        judge: Gives the judge for a job.
        payload: The job as plain values.
        children: Processes of the job.
        progress: Told what is done.

    Returns:
        The answer as plain values.

    Raises:
        Cancelled: The job was cancelled.
    """
    try:
        job = read_job(payload)
    except Unfit as fault:
        answer = void_answer(
            "", f"The job is not of the form this judge reads: {fault}."
        )
    else:
        answer = _guarded(judge, job, children, progress)
    values: dict[str, Any] = plain(answer)
    return values


def _guarded(
    judge: Callable[[Job], AnyJudge], job: Job, children: ChildGroup, progress: Progress
) -> Answer:
    name = job.operator.name
    try:
        return judge(job).evaluate(job, children, progress)
    except Cancelled:
        raise
    except DeviceFault as fault:
        used = Device(fault.unit, str(fault))
        return replace(void_answer(name, str(fault)), devices=(used,))
    except EnvironmentFault as fault:
        return void_answer(name, str(fault))
    except CandidateFault as fault:
        return failed_answer(name, str(fault), fault.file, notes=(fault.trace,))
    except OSError as error:
        return void_answer(name, str(fault_of(error)))
    except Exception as error:  # noqa: BLE001 - a bug of the judge must never look like a fault of the candidate
        cause = f"The judge itself failed: {error!r}."
        return void_answer(name, cause, notes=(traceback.format_exc(),))


def read_job_file(path: Path) -> dict[str, Any]:
    """The job in a file; `$SAGE_NODE` in its cache is the node a site's scheduler chose."""
    job: dict[str, Any] = json.loads(path.read_text())
    job.setdefault(
        "id", os.environ.get(JOB_COOKIE, "")
    )  # left out where files go by content
    job["cache_dir"] = job["cache_dir"].replace(
        "$SAGE_NODE", os.environ.get("SAGE_NODE", "")
    )
    return job
