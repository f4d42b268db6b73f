"""A kernel that does nothing and a stand-in for its judge: everything around an evaluation is real."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from core.evaluation.records import Candidate
from core.operators.spec import OperatorSpec
from remote.hosts.port import JobRequest
from remote.toolchains.port import NO_PROBE, Probe
from remote.toolchains.twin import TwinToolchain

# Stands for Python with the judge: `-m remote.judge.serving.warm run NAME job.json result.json`
# and `-m remote.judge --serve`.
# It notes which job ran, waits while there is a file `closed`, and says in the cause which device it got.
_JUDGE = r"""#!/bin/sh
[ "$3" = keep ] && exit 0
[ "$3" = --serve ] && exec PYTHON FOLDER/serving.py
job=$5 out=$6
say() {
  printf '{"evaluation": {"candidate": "", "operator": "AbsMath", ' >"$out"
  printf '"verdict": "%s", "cause": "%s", "build": {"ok": %s}}}' "$1" "$2" "$3" >>"$out"
}
echo "${SAGE_JOB%-*} $out $SLURM_JOB_PARTITION" >>FOLDER/ran
if [ "$out" = built.json ]; then
  if grep -q broken "$job"; then say fail-build broken false; else say pass "" true; fi
  exit 0
fi
echo began
while [ -e FOLDER/closed ]; do sleep 0.05; done
on=none
[ -z "$SAGE_LEASE" ] || on=$(PYTHON FOLDER/leased.py)
say pass "on $on" true
"""
_LEASED = """import json, os, subprocess
show = ["sh", "-c", "echo $SAGE_DEVICE,$ASCEND_RT_VISIBLE_DEVICES"]
command = [*json.loads(os.environ["SAGE_LEASE"]), *show]
print(subprocess.run(command, stdout=-1, stderr=-2, text=True).stdout.strip())
"""


_SERVING = """import json, os, sys
say = lambda **message: print(json.dumps(message), flush=True)
say(ready=True, pid=os.getpid())
build = {"ok": True}
evaluation = {"candidate": "", "operator": "AbsMath", "verdict": "pass", "cause": "", "build": build}
for line in sys.stdin:
    message = json.loads(line)
    if "job" in message:
        say(id=message["job"]["id"], result={"evaluation": evaluation})
"""


@dataclass(frozen=True)
class NoOp(TwinToolchain):
    """A job of hardly any content, on a device or not."""

    on_device: bool = True

    def request(
        self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE
    ) -> JobRequest:
        payload = {
            "operator": {"name": operator.name},
            "candidate": dict(candidate.files),
        }
        request = super().request(operator, candidate, probe)
        return replace(
            request, payload=payload, folders={}, needs_device=self.on_device
        )


def no_op_judge(folder: Path) -> str:
    """Place the stand-in below `folder`, where it notes what it ran; to be named as a host's Python."""
    judge = folder / "judge"
    (folder / "leased.py").write_text(_LEASED)
    (folder / "serving.py").write_text(_SERVING)
    judge.write_text(
        _JUDGE.replace("FOLDER", str(folder)).replace("PYTHON", sys.executable)
    )
    judge.chmod(0o755)
    return str(judge)


def ran(folder: Path) -> list[str]:
    """Jobs a judge ran, one for each time; builds left out."""
    try:
        rows = [line.split() for line in (folder / "ran").read_text().splitlines()]
    except FileNotFoundError:
        return []
    return [row[0] for row in rows if row[1] == "result.json"]
