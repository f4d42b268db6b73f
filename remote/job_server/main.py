"""Entry of the job server: `serve`, `supervise FOLDER`, `allocated FOLDER STAGE`, or words before a command.

These are `lease … -- command`, `submit … -- command` and `allotted … -- command`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import List, Optional


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one of the job server's tasks."""
    parser = argparse.ArgumentParser(prog="job-server")
    tasks = parser.add_subparsers(dest="task", required=True)
    serving = tasks.add_parser(
        "serve", help="serve requests on standard input and output"
    )
    serving.add_argument("--base", default="", help="folder of the job server")
    supervising = tasks.add_parser("supervise", help="run one prepared job")
    supervising.add_argument("folder", type=Path)
    leasing = tasks.add_parser("lease", help="run a command while holding a device")
    leasing.add_argument("--locks", type=Path, required=True)
    leasing.add_argument(
        "--devices",
        required=True,
        help="lock=ids, e.g. npu3=3 or card0=0+1, separated by commas",
    )
    leasing.add_argument(
        "--wait", type=float, default=3600.0, help="seconds to wait for a free one"
    )
    leasing.add_argument("command", nargs=argparse.REMAINDER)
    submitting = tasks.add_parser(
        "submit", help="run a command on a device of the site's queue"
    )
    submitting.add_argument("--program", required=True, help="the site's task-submit")
    submitting.add_argument("command", nargs=argparse.REMAINDER)
    allocating = tasks.add_parser(
        "allocated", help="run one prepared job where Slurm put it"
    )
    allocating.add_argument("folder", type=Path)
    allocating.add_argument("stage", choices=("build", "run"))
    allotting = tasks.add_parser(
        "allotted", help="run a command on the device Slurm gave this job"
    )
    allotting.add_argument(
        "--map",
        required=True,
        help="how the site names it: env:NAME, scontrol:GRES, fixed:IDS",
    )
    allotting.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.task == "serve":
        from .serve import serve

        return serve(options.base)
    if options.task == "supervise":
        from .supervisor import supervise

        return supervise(options.folder)
    if options.task == "allocated":
        from .slurm.allocated import Allocated

        Allocated(options.folder, options.stage).run()
        return 0
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("name a command to run")
    if options.task == "submit":
        from .leases import run_in_queue

        return run_in_queue(options.program, command)
    if options.task == "allotted":
        from .slurm.allocated import run_on_allotted

        return run_on_allotted(options.map, command)
    from .leases import run_with_lease

    return run_with_lease(
        options.locks, options.devices.split(","), options.wait, command
    )


if __name__ == "__main__":
    sys.exit(main())
