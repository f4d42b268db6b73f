"""Jobs and candidates for the judge's tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from core.evaluation.records import Candidate
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from remote.judge.job import Operator
from remote.judge.json_records import read
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.judge.serving.guarded import guarded
from remote.toolchains.twin import TwinToolchain
from tests.own_kernels import own_kernel

ROOT = Path(__file__).resolve().parents[2]
TWIN = ROOT / "resources" / "twin"
KERNELS = ROOT / "tests" / "data" / "kernels"

HOST = "op_host/abs_math.cpp"
TILING = "op_host/abs_math_tiling.h"
KERNEL = "op_kernel/abs_math.cpp"


def operator(name: str = "AbsMath") -> OperatorSpec:
    """An operator of the catalogue."""
    return load_operator(ROOT / "resources" / "operators" / name)


def candidate(name: str = "AbsMath") -> Candidate:
    """A correct kernel written by hand."""
    return own_kernel(name)


def edited(*edits: tuple[str, str, str]) -> Candidate:
    """The correct AbsMath with `(path, old, new)` replacements; each must apply."""
    files = dict(candidate().files)
    for path, old, new in edits:
        assert old in files[path], f"{old!r} is not in {path}"
        files[path] = files[path].replace(old, new)
    return Candidate(files)


def job(
    spec: OperatorSpec,
    kernel: Candidate,
    cache: Path,
    cases: Iterable[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The job of an evaluation, restricted to the named cases."""
    request = TwinToolchain(cache, TWIN).request(spec, kernel)
    payload = {**request.payload, "id": request.job, **options}
    if cases is not None:
        wanted = set(cases)
        payload["cases"] = [case for case in payload["cases"] if case["name"] in wanted]
        assert {case["name"] for case in payload["cases"]} == wanted
    return payload


def toy_operator(**fields: Any) -> Operator:
    """An operator as the judge takes it, named Toy where `fields` say nothing else."""
    given: dict[str, Any] = {
        "name": "Toy",
        "snake": "toy",
        "inputs": [],
        "outputs": [],
        "attributes": [],
        "rule": "catalogue",
        "lacks": {},
        "digest": "",
        "reference_source": "",
    }
    return read(Operator, given | fields)


def judge_job(
    judge: Judge,
    payload: dict[str, Any],
    progress: Callable[..., None] = lambda *_text, **_fields: None,
) -> dict[str, Any]:
    """The evaluation of a job, judged in this process; candidates still run in children."""

    def tell(template: str, /, **fields: str | float) -> None:
        progress(template.format(**fields) if fields else template)

    answer = guarded(lambda _job: judge, payload, ChildGroup(payload["id"]), tell)
    evaluation: dict[str, Any] = answer["evaluation"]
    return evaluation


async def wait_until(holds: Callable[[], object], seconds: float = 120.0) -> None:
    """Look again and again until something holds; fails when it does not in time."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.02)
