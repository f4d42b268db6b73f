"""The batch script of a job and how sbatch gets it: jobs that want the same go as one array."""

from __future__ import annotations

import shlex
import sys
import uuid
from pathlib import Path
from typing import Any, Dict, Sequence, Tuple

from .. import processes
from ..home import Refused, read_json, write_json
from ..processes import NO_ANSWER

# In a job's folder: token and index, id once it is known, or why there is none yet.
NOTE = "slurm.json"
_COMMAND_S = 60.0
_FOR_NOW = (
    "unable to contact",
    "timed out",
    "connection refused",
    "temporarily",
    "job submit limit",
    "submitjobs",
    "maxsubmit",
    "zero bytes",
    "transport endpoint",
    "communication",
    "not responding",
    "try again",
)
_SCRIPT = """#!/bin/sh
PATH=${{PATH:-/usr/local/bin:/usr/bin:/bin}}; export PATH HOME
set -- {jobs}
shift "$SLURM_ARRAY_TASK_ID"
cd {base}/jobs/"$1" || {{ echo "node $(hostname) does not see {base}"; exit 71; }}
python={python}; [ -x "$python" ] || python=python3
exec "$python" -I {program} allocated {base}/jobs/"$1" {stage}
"""


def submit_array(folders: Sequence[Path]) -> None:
    """Submit jobs that want the same as one array, or as two: one builds, one follows it task by task.

    Raises:
        Refused: Slurm will not take them. When it cannot be asked now, the reason is left in the folders.
    """
    spec = read_json(folders[0] / "spec.json") or {}
    wish = spec["slurm"]
    token = "sage-" + uuid.uuid4().hex[:16]
    note: Dict[str, Any] = {"token": token, "id": "", "partitions": wish["partitions"]}
    note.update(build_token=token + "b" if wish.get("build") else "", build_id="")
    # Written before Slurm knows the job: one whose id never came is found by its token.
    _note_all(folders, note)
    minutes = int(float(spec["time_limit_s"]) // 60) + 5
    try:
        if wish.get("build"):
            note["build_id"] = _sbatch(
                folders, "build", token + "b", wish["build"], minutes
            )
            follows = [
                "--dependency=aftercorr:%s" % note["build_id"],
                "--kill-on-invalid-dep=yes",
            ]
            note["id"] = _sbatch(
                folders, "run", token, [*wish["options"], *follows], minutes
            )
        else:
            note["id"] = _sbatch(folders, "run", token, wish["options"], minutes)
    except _NotNow as problem:
        note["why"] = f"Slurm does not take it now: {problem}"
    except Refused:
        if note["build_id"]:
            run(["scancel", "--quiet", note["build_id"]])
        raise
    _note_all(folders, note)


def _note_all(folders: Sequence[Path], note: Dict[str, Any]) -> None:
    for index, folder in enumerate(folders):
        write_json(folder / NOTE, {**note, "index": str(index)})


class _NotNow(Exception):
    """Slurm cannot be asked, or takes no more jobs for the time being."""


def _sbatch(
    folders: Sequence[Path],
    stage: str,
    token: str,
    options: Sequence[str],
    minutes: int,
) -> str:
    """Hand the script of some jobs to sbatch; returns Slurm's id of the array."""
    base = folders[0].parent.parent
    (base / "slurm").mkdir(mode=0o700, exist_ok=True)
    script = _SCRIPT.format(
        jobs=" ".join(folder.name for folder in folders),
        base=shlex.quote(str(base)),
        stage=stage,
        python=shlex.quote(sys.executable),
        program=shlex.quote(sys.argv[0]),
    )
    code, output = run(
        [
            "sbatch",
            "--parsable",
            "--export=NONE",
            "--no-requeue",
            "--job-name=%s" % token,
            "--array=0-%d" % (len(folders) - 1),
            "--time=%d" % minutes,
            "--chdir=%s" % base,
            "--output=%s" % (base / "slurm" / "%x-%a.log"),
            *options,
        ],
        script,
    )
    number = last_line(output).partition(";")[0]
    if code == 0 and number.isdigit():
        return number
    # Success without a job number is an answer of the controller that was lost.
    passes = any(words in output.lower() for words in _FOR_NOW)
    if code in (0, NO_ANSWER) or passes:
        raise _NotNow(last_line(output))
    words = [
        line.replace("sbatch: error: ", "").strip()
        for line in output.splitlines()
        if line.strip()
    ]
    raise Refused("scheduler", "Slurm refuses the job: %s" % "; ".join(words)[:400])


def run(command: Sequence[str], text: str = "") -> Tuple[int, str]:
    """Exit code and output of one of Slurm's commands, see `processes.run`."""
    return processes.run(command, _COMMAND_S, text)


def last_line(text: str) -> str:
    """The last line that says something."""
    return (text.strip().splitlines() or ["it says nothing"])[-1].strip()
