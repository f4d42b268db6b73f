"""Brings the headers of a host's CANN here: a job there finds and packs them, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import shlex
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from core.outside import convert, json_numbers
from remote.connection.faults import HostFault
from remote.connection.remote_machine import JobSpec, RemoteMachine
from remote.headers import collect
from remote.headers.kept import Added, KeptHeaders, no_headers, shapes
from remote.hosts.detached import DetachedHost
from remote.job_server.jobs import FINAL

TIME_LIMIT_S = 300.0
_SCRIPT, _PLAN = "collect.py", "plan.json"
_OUTPUT_TAIL = 300  # characters of a job's output that an error quotes


async def add_from_host(
    host: DetachedHost, place: str, kept: KeptHeaders, tell: Callable[[str], None]
) -> Added:
    """Copy the headers of the CANN on a host; a set that is here already is not sent again.

    Cancelled, it ends the job on the host.

    Args:
        host: Where CANN is installed; it is connected here.
        place: Folder of CANN there; empty for what its set-up sources, or where CANN usually is.
        kept: The header sets of this computer; the new one is added to them.
        tell: Called with a line of progress for a person.

    Raises:
        SageError: The host cannot be reached, or has no whole CANN; names the missing file.
    """
    await host.connect()
    machine, job = host.machine, uuid.uuid4().hex
    try:
        await machine.start(_spec(job, place, host.settings.setup))
        outcome = await _follow(machine, job, tell)
        facts = await _facts(machine, job, host.label, outcome)
        present = kept.find(facts)
        if present is not None:
            return Added(present, is_new=False)
        tell("copying the headers")
        with tempfile.TemporaryDirectory() as scratch:
            archive = Path(scratch) / collect.ARCHIVE
            archive.write_bytes(await machine.read(job, collect.ARCHIVE))
            return await asyncio.to_thread(kept.add, facts, archive)
    except asyncio.CancelledError:
        await asyncio.shield(machine.cancel(job))
        raise
    finally:
        await asyncio.shield(machine.forget(job))


def _spec(job: str, place: str, setup: str) -> JobSpec:
    """The job that packs headers there, after the host's own set-up."""
    plan = {
        "place": place,
        "shapes": {name: asdict(shape) for name, shape in shapes().items()},
    }
    words = ["{python}", "-I", f"{{work}}/{_SCRIPT}", f"{{work}}/{_PLAN}", "{work}"]
    line = f"exec {' '.join(map(shlex.quote, words))}"
    return JobSpec(
        job=job,
        command=["bash", "-c", f"{setup}\n{line}"] if setup else words,
        time_limit_s=TIME_LIMIT_S,
        files={
            _SCRIPT: Path(collect.__file__).read_bytes(),
            _PLAN: json.dumps(plan).encode(),
        },
    )


async def _follow(machine: RemoteMachine, job: str, tell: Callable[[str], None]) -> str:
    """Wait for the end of the job, telling each line it prints; its state and last output in words."""
    offset, state, printed = 0, "", ""
    while state not in FINAL:
        view = await machine.follow(job, offset, state)
        offset, state = view.offset, view.state
        text = view.output.decode("utf-8", "replace")
        printed = (printed + text)[-_OUTPUT_TAIL:]
        whole_lines = text.split("\n")[:-1]
        if whole_lines:
            tell(whole_lines[-1])
    return f"{state}: {printed.strip()}"


async def _facts(
    machine: RemoteMachine, job: str, label: str, outcome: str
) -> dict[str, str]:
    """The facts of the headers that the job packed, by name.

    Raises:
        SageError: It packed none; says why, as the job wrote it or else by its `outcome`.
    """
    try:
        text = await machine.read(job, collect.FACTS)
    except HostFault:
        try:
            problem = json_numbers(await machine.read(job, collect.PROBLEM), label)
        except HostFault as fault:
            raise no_headers(f"{label} could not look for them ({outcome})") from fault
        raise no_headers(f"{label}: {problem}") from None
    facts: dict[str, str] = convert(
        json_numbers(text, label), dict[str, str], label, collect.FACTS
    )
    return facts
