"""Builds an operator package by the steps of a plan, each plain shell, kept by content.

The plan is made by `remote.toolchains.cann.project`; what is run here is what its dry run shows. A build is
done once for the same plan and CANN: later jobs, and other judges at the same time, use the products.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.evaluation.records import BuildReport
from remote.judge.building.built_program import built_digest
from remote.judge.cann.confined import CannSandbox, keep_plain
from remote.judge.job import BuildPlan, Step
from remote.judge.json_records import kept_json, place_json, plain
from remote.judge.machine.artifacts import file_digest
from remote.judge.processes.children import ChildGroup, Limits
from remote.judge.progress import Progress

PROGRAM_CHANGED = "program-changed"  # rule of a finding
_RECORD = "sage-build.json"
_KEPT_BUILDS = 200
_DIRECT = ("libsage_tiling.so", "sage_tiling")  # beside what is below direct/built
_USED = ("SAGE_NPUKERNELBENCH", "SAGE_SOC")  # variables of ours that steps look at
_UNSET = ("ASCEND_CUSTOM_OPP_PATH",)  # disturbs a build when set


@dataclass
class PackageBuild:
    """How a build went.

    Attributes:
        ok: Whether all steps ended well; the last one looks for the products.
        step: The step that failed.
        stage: Its stage.
        log: Output of all steps, both streams as they came.
        seconds: Wall time.
        cached: Whether it had been done before.
        folder: The work folder.
        project: What made the CMake project: `msopgen`, `NPUKernelBench` (a checkout on the host) or `ours`.
        products: sha256 of each file that is loaded or run, by its path in the work folder.
        digest: sha256 over the candidate's sources and these files.
    """

    ok: bool
    step: str
    stage: str
    log: str
    seconds: float
    cached: bool
    folder: Path
    compiler: str = ""
    project: str = ""
    commands: list[str] = field(default_factory=list)
    products: dict[str, str] = field(default_factory=dict)
    digest: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether a product that is there is another one than was built."""
        files = {self.folder / name: value for name, value in self.products.items()}
        there = (path for path in files if path.exists())
        return any(file_digest(path) != files[path] for path in there)

    @property
    def cause(self) -> str:
        """What is said until the log has been read."""
        return "" if self.ok else f"the build ended at: {self.step}"

    def report(self) -> BuildReport:
        """What is stored of it."""
        return BuildReport(
            self.ok,
            self.stage,
            self.cause,
            self.seconds,
            self.cached,
            self.compiler,
            log=self.log,
            digest=self.digest,
        )


def build_package(
    plan: BuildPlan,
    sandbox: CannSandbox,
    base: Path,
    children: ChildGroup,
    progress: Progress,
) -> PackageBuild:
    """Run the steps of `plan` in a work folder below `base`, unless that was done before.

    Args:
        plan: `files` (path -> text) and `steps` (`name`, `stage`, `command`, `limit_s`).
        sandbox: Runs the commands, which run what the candidate's CMake files say, with CANN's environment.
        base: Folder for work folders; its path is kept short because CANN's own file names are long.
        children: Runs the commands.
        progress: Told each step.

    Raises:
        Cancelled: The job was cancelled; the half-done folder is made again next time.
        EnvironmentFault: A command cannot be started.
    """
    environment = sandbox.environment
    own = environment.variables
    around = [
        environment.cann,
        str(environment.home),
        *(own.get(name) for name in _USED),
    ]
    around.append(
        sandbox.isolation.kind
    )  # what was built without one is never used inside one
    text = json.dumps([plain(plan.files), plain(plan.steps), around], sort_keys=True)
    folder = base / hashlib.sha256(text.encode()).hexdigest()[:12]
    base.mkdir(parents=True, exist_ok=True)
    with _locked(base / f"{folder.name}.lock"):
        record = kept_json(folder / _RECORD)
        if record and _is_sound(folder, record):
            os.utime(folder / _RECORD)
            return PackageBuild(**record, cached=True, folder=folder)
        _collect(base, folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path, content in plan.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
        record = _run_steps(plan.steps, sandbox, folder, children, progress)
        keep_plain(folder)
        record["compiler"] = f"CANN {environment.cann}".strip()
        noted = folder / "project.from"
        record["project"] = (
            noted.read_text(encoding="utf-8").strip() if noted.exists() else ""
        )
        if record["ok"]:
            record["products"] = {
                name: file_digest(folder / name) for name in _products(plan, folder)
            }
            record["digest"] = built_digest(plan.files, record["products"])
        place_json(folder / _RECORD, record)
        return PackageBuild(**record, cached=False, folder=folder)


def _run_steps(
    steps: Sequence[Step],
    sandbox: CannSandbox,
    folder: Path,
    children: ChildGroup,
    progress: Progress,
) -> dict[str, Any]:
    started, log = time.monotonic(), []
    failed: Step | None = None
    inherited = sandbox.environment.variables
    variables = {name: value for name, value in inherited.items() if name not in _UNSET}
    unset = "".join(f"unset {name}\n" for name in _UNSET)
    for step in steps:
        progress(step.name)
        wall = step.limit_s
        finished = sandbox.run(
            ["bash", "-o", "pipefail", "-c", f"set -e\n{unset}{step.command}"],
            folder,
            Limits(wall_s=wall, cpu_s=int(64 * wall), memory_mb=0, file_mb=8192),
            children,
            variables,
        )
        log.append(finished.output)
        if finished.timed_out:
            log.append(f"[step '{step.name}' was ended after {wall:.0f} s]\n")
        if finished.timed_out or finished.code:
            failed = step
            break
    return {
        "ok": failed is None,
        "step": failed.name if failed else "",
        "stage": failed.stage if failed else "",
        "log": "".join(log),
        "seconds": time.monotonic() - started,
        "commands": [step.command for step in steps],
    }


def _products(plan: BuildPlan, folder: Path) -> list[str]:
    """Files of a finished build that are loaded or run: those of the package, or of a direct launch."""
    package = folder / (plan.package or "direct/built")
    files = [path for path in package.rglob("*") if path.is_file()]
    files += [path for name in _DIRECT if (path := folder / name).is_file()]
    return sorted(str(path.relative_to(folder)) for path in files)


def _is_sound(folder: Path, record: Mapping[str, Any]) -> bool:
    """Whether the products of an earlier build are what was built; records of older versions know none."""
    if record["ok"] and "digest" not in record:
        return False
    try:
        digests = record.get("products", {})
        return all(
            file_digest(folder / name) == digest for name, digest in digests.items()
        )
    except FileNotFoundError:
        return False


def _collect(base: Path, keep: Path) -> None:
    """Remove the work folders that were not used for longest, beyond those that are kept."""
    folders = [path for path in base.iterdir() if path.is_dir() and path != keep]
    folders.sort(
        key=lambda path: (
            (path / _RECORD).stat().st_mtime if (path / _RECORD).exists() else 0.0
        )
    )
    for folder in folders[: max(0, len(folders) - _KEPT_BUILDS)]:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock file: judges of other jobs wait for the same build instead of repeating it."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
