"""A host whose jobs outlive the application: the judge and what it needs are sent there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import InvalidInput, SageError
from core.outside import convert, json_numbers
from remote.connection.connection import Connection
from remote.connection.faults import ChannelFault, HostFault
from remote.connection.remote_machine import (
    JobSpec,
    LeaseWish,
    RemoteMachine,
    Tree,
    files_below,
    tree_of,
)
from remote.hosts.cards import Cards
from remote.hosts.npu_smi import NpuTable, read_npu_smi
from remote.hosts.port import JobRequest, JobState, JobUpdate
from remote.hosts.quarantine import DeviceQuarantine
from remote.hosts.slurm import (
    SLOTS,
    SiteSettings,
    check,
    device_map_of,
    waits,
    wish_of,
)
from remote.hosts.versions import Versions
from remote.judge import program

_RESULT = "result.json"
# A judge inherits these limits from its keeper and not from the job, so a session under
# other limits has a keeper of its own.
_LIMITS = "$({ ulimit -a; ulimit -aH; } | cksum | tr -d ' ')"
# The file of a job that only builds, see remote.job_server.slurm.allocated.
_BUILT = "built.json"
_SIGNALLED = 128  # exit codes above it are signals
_WAYS_TO_BORROW = ("locks", "task-submit")
_KEEP_DAYS = 2.0
_MOST_BYTES = 8 << 30
_STATES = {
    "prepared": JobState.QUEUED,
    "starting": JobState.QUEUED,
    "waiting": JobState.QUEUED,
    "pending": JobState.QUEUED,
    "building": JobState.RUNNING,
    "lost-preempted": JobState.LOST_PREEMPTED,
    "lost-node": JobState.LOST_NODE,
    "running": JobState.RUNNING,
    "done": JobState.DONE,
    "timeout": JobState.TIMEOUT,
    "cancelled": JobState.CANCELLED,
    "no-lease": JobState.LOST_NOSTART,
    "not-started": JobState.LOST_NOSTART,
    "lost-reboot": JobState.LOST_REBOOT,
    "lost-killed": JobState.LOST_KILLED,
    "lost-nostart": JobState.LOST_NOSTART,
    "absent": JobState.ABSENT,
}
_END_REASONS = {
    JobState.TIMEOUT: "The evaluation did not finish in time; the host stopped it.",
    JobState.CANCELLED: "The evaluation was cancelled on the host.",
    JobState.LOST_REBOOT: "The host was restarted while the job ran.",
    JobState.LOST_KILLED: "The job was killed on the host (by somebody, or out of memory).",
    JobState.LOST_PREEMPTED: "The job was preempted by another one.",
    JobState.LOST_NODE: "The node of the job failed.",
    JobState.LOST_NOSTART: "The job never started on the host.",
    JobState.ABSENT: "The host no longer knows the job.",
}


def end_reason(state: JobState, detail: str, script_words: str) -> str:
    """Why a job ended without a result: what the state means, what the host tells, what the script said."""
    meaning = _END_REASONS.get(state, "")
    # "The job was killed" adds nothing where the host knows more.
    if state is JobState.LOST_KILLED and (detail or script_words):
        meaning = ""
    return " ".join(filter(None, (meaning, detail, script_words)))


@dataclass(frozen=True)
class HostSettings(SiteSettings):
    """What the user says about a host beside its SSH configuration; `SiteSettings` adds its scheduler.

    Attributes:
        python: Interpreter with torch that runs the judge there.
        base: Folder of ours there, empty for `~/.sage/<host name>`.
        setup: Shell line run before the judge, e.g. sourcing CANN's `set_env.sh`.
        locks: Folder of lock files shared by all users of the machine.
        slots: Evaluations at a time on the CPUs; 0 means half the cores.
        devices: Logical devices to use, empty for all that are found.
        whole_cards: Lease the dies of a card together.
        borrow: How devices are borrowed: `locks` (ours), `task-submit` (the site's queue), or empty for the
            latter where the host has it.

    Raises:
        InvalidInput: A device or `slots` is negative, `borrow` is none of these, or no job of a
            scheduler could be submitted so.
    """

    python: str = "python3"
    base: str = ""
    setup: str = ""
    locks: str = "/tmp/sage-locks"  # noqa: S108 - one place for all users of a machine
    slots: int = 0
    devices: tuple[int, ...] = ()
    whole_cards: bool = False
    borrow: str = ""

    def __post_init__(self) -> None:
        if wrong := [device for device in self.devices if device < 0]:
            raise InvalidInput(
                "host",
                "devices",
                "{wrong} is not a device",
                "Their numbers begin with 0.",
                wrong=wrong[0],
            )
        if self.slots < 0:
            raise InvalidInput("host", "slots", "{slots} is negative", slots=self.slots)
        if self.borrow and self.borrow not in _WAYS_TO_BORROW:
            raise InvalidInput(
                "host",
                "borrow",
                "{given} is not one of {known}",
                given=repr(self.borrow),
                known=", ".join(_WAYS_TO_BORROW),
            )
        check(self)


class DetachedHost:
    """Implements `remote.hosts.port.Host` on a machine with a job server, near or far.

    Args:
        name: Stored with results: the alias.
        label: What the user reads.
        connection: To the job server of the machine.
        settings: How to run the judge there.
        quarantined: Devices that are not used.
        versions: What it judges with, as last seen.
    """

    keeps_jobs = True

    def __init__(
        self,
        name: str,
        label: str,
        connection: Connection,
        settings: HostSettings | None = None,
        quarantined: DeviceQuarantine | None = None,
        versions: Versions | None = None,
    ) -> None:
        self.name = name
        self.label = label
        self.settings = settings or HostSettings()
        self.machine = RemoteMachine(connection)
        self._trees: dict[Path, tuple[tuple[Any, ...], Tree]] = {}
        # By job, in the words of the job server.
        self._last_states: dict[str, str] = {}
        self._collected = False
        self.quarantined = quarantined or DeviceQuarantine(name)
        self.versions = versions or Versions(name)

    @property
    def connection(self) -> Connection:
        """The connection, with its state."""
        return self.machine.connection

    @property
    def slots(self) -> int:
        """Evaluations that may run at a time; known once the host was reached."""
        if self.settings.scheduler:
            return self.settings.slots or SLOTS
        cores = int(self.connection.hello.get("cpus", 2))
        return self.settings.slots or max(1, cores // 2)

    async def connect(self, patience: float = 0.0) -> Mapping[str, Any]:
        """Reach the host now; returns what its job server says of itself.

        Args:
            patience: Seconds in which a fault of the line, which may pass, is waited out. Runs need it: the
                person who begins one may not be there to try again.

        Raises:
            SageError: It cannot be reached, or the person must act first.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + patience
        ping = asyncio.ensure_future(self.machine.ask("ping"))
        # The request waits while the line is down: faults of the line stand in the status only.
        while not ping.done():
            await asyncio.wait([ping], timeout=0.2)
            fault = self.connection.status.fault
            # A line that was open once is opened again by the connection.
            if ping.done() or self.connection.channels_opened or fault is None:
                continue
            may_pass = isinstance(fault, ChannelFault) and clock() < end
            if not may_pass:
                ping.cancel()
                raise fault
        await ping
        return self.connection.hello

    async def start(self, request: JobRequest) -> None:
        """Send what the host lacks and start the job; a started one is left alone.

        The first start also removes what is old there: ended jobs after 2 days, and files
        beyond 8 GiB.

        Raises:
            SageError: The person must act first, the host refuses (disk full), or the job
                needs a device and none can be used.
        """
        await self.machine.ask("ping")
        # Old jobs and files are removed once per start of the application, before the disk can be full.
        if not self._collected:
            self._collected = True
            await self.machine.collect(_KEEP_DAYS, _MOST_BYTES)
        await self.machine.start(await self._spec(request))

    async def knows(self, job: str) -> bool:
        """Whether the host has this job, running or ended."""
        return (await self.machine.follow(job, 0, wait_s=0)).state != "absent"

    async def follow(self, job: str, position: int) -> JobUpdate:
        """Wait for whole lines beyond `position` (a byte offset) or the end of the job.

        While Slurm lets the job wait, the update has one line that says why, and the same
        position. A judge that a signal ended is reported as LOST_KILLED.
        """
        buffered = b""
        while True:
            last = self._last_states.get(job, "")
            view = await self.machine.follow(job, position + len(buffered), last)
            buffered += view.output
            self._last_states[job] = str(view.facts.get("mark", view.state))
            state = _STATES.get(view.state, JobState.RUNNING)
            # The last line may still be growing; it is passed on once it is whole.
            whole = len(buffered) if state.is_final else buffered.rfind(b"\n") + 1
            if whole or state.is_final:
                lines = buffered[:whole].decode("utf-8", "replace").splitlines()
                break
            if reason := waits(view.facts.get("reason"), view.facts.get("ahead")):
                return JobUpdate(state, (f"Waits for Slurm: {reason}",), position)
        result, detail = None, ""
        if state is JobState.DONE:
            result, detail = await self._result(job, view.facts, lines)
            # A judge that a signal ended says nothing about the kernel: the job may run again.
            if result is None and int(view.facts.get("code") or 0) > _SIGNALLED:
                state, detail = JobState.LOST_KILLED, _END_REASONS[JobState.LOST_KILLED]
        elif state.is_final:
            detail = end_reason(
                state,
                str(view.facts.get("detail", "")),
                str(view.facts.get("said", "")),
            )
        return JobUpdate(state, tuple(lines), position + whole, result, detail)

    async def cancel(self, job: str) -> None:
        """End the job and its processes."""
        await self.machine.cancel(job)

    async def forget(self, job: str) -> None:
        """Remove an ended job from the host."""
        self._last_states.pop(job, None)
        await self.machine.forget(job)

    async def close(self) -> None:
        """Close the connection. What runs on the host keeps running."""
        await asyncio.to_thread(self.connection.close)

    async def _result(
        self, job: str, facts: Mapping[str, Any], lines: list[str]
    ) -> tuple[Mapping[str, Any] | None, str]:
        """The judge's result, or why there is none."""
        try:
            text = await self.machine.read(job, _RESULT)
            result: Mapping[str, Any] = convert(
                json_numbers(text, _RESULT), dict[str, Any], _RESULT, "file"
            )
        except SageError as error:
            last_words = (" ".join(lines[-5:])[-400:] or str(error)).rstrip(".")
            code = facts.get("code")
            why = (
                f"The judge ended on {self.label} with exit code {code} and no result: "
                f"{last_words}."
            )
            return None, f"{why} `sage host check {self.label}` looks at what it needs."
        return result, ""

    async def _spec(self, request: JobRequest) -> JobSpec:
        """The judge's job for this host: its own paths, its Python, a slot of its CPUs."""
        base, settings = str(self.connection.hello["base"]), self.settings
        trees = {"judge": await self._tree(program.ROOT, program.program_files())}
        payload = dict(request.payload)
        # Nodes of a site share the folder: what judges keep there about processes is each node's own.
        node = "/$SAGE_NODE" if settings.scheduler else ""
        payload["cache_dir"] = f"{base}/cache{node}"
        for place, folder in request.folders.items():
            trees[place] = await self._tree(folder, files_below(folder))
            payload[place] = f"{base}/trees/{trees[place].digest}"
        # Jobs share a warm judge only where interpreter, set-up and program are the same.
        shared = "\0".join(
            (base, self.settings.python, self.settings.setup, trees["judge"].digest)
        )
        digest = hashlib.sha256(shared.encode()).hexdigest()[:24]
        name = f'"sage-judge-{digest}-{_LIMITS}"'
        env = {"PYTHONPATH": "{tree:judge}", "PYTHONDONTWRITEBYTECODE": "1"}
        if request.needs_device:
            env["SAGE_LEASE"] = json.dumps(await self._lease_command())
        spec = JobSpec(
            job=request.job,
            command=self._python(f"run {name} job.json {_RESULT}"),
            keeper=self._python(f"keep {name}"),
            time_limit_s=request.time_limit_s,
            files={"job.json": _json(payload)},
            trees=trees,
            env=env,
            lease=LeaseWish(
                [f"cpu{number}" for number in range(self.slots)], settings.locks
            ),
        )
        if settings.scheduler:
            return self._for_slurm(spec, request, payload, base)
        return spec

    def _for_slurm(
        self, spec: JobSpec, request: JobRequest, payload: Mapping[str, Any], base: str
    ) -> JobSpec:
        """The job as a site's scheduler gets it: devices are Slurm's to give, and no process stays there."""
        build = self._python(f"run none build.json {_BUILT}")
        wish = wish_of(
            self.settings,
            self.quarantined.units(),
            build,
            on_device=request.needs_device,
        )
        if request.needs_device:  # the build of one node is used on another
            payload = {
                **payload,
                "work_dir": payload.get("work_dir") or f"{base}/builds",
            }
        files = {"job.json": _json(payload)}
        if wish.build:
            files["build.json"] = _json({**payload, "build_only": True})
        return replace(spec, files=files, keeper=(), lease=None, slurm=asdict(wish))

    async def cards(self) -> Cards:
        """The host's devices as npu-smi shows them now; what is in quarantine stays so.

        Raises:
            HostFault: There is no device.
        """
        return self._cards((await self.machine.ask("npu-smi"))["info"])

    def _cards(self, info: str) -> Cards:
        table = read_npu_smi(info)
        if not table.devices:
            fix = "Use the CPU twin there, or another host."
            raise HostFault(
                "{label} has no NPU: {problem}.",
                fix,
                "no-device",
                label=self.label,
                problem=table.problem,
            )
        return self.cards_of(table)

    def cards_of(self, table: NpuTable) -> Cards:
        """The devices of a table that was read before, under the settings of this host."""
        return Cards(
            table,
            self.settings.devices,
            self.settings.whole_cards,
            self.quarantined.units(),
        )

    async def _lease_command(self) -> list[str]:
        """What the judge puts before a command that runs on a device: wait for one, hold it, become it.

        A site that has a queue for its devices is asked through it: locks of ours would mean nothing there.

        Raises:
            HostFault: The scheduler's gres is not set, there is no device, or none can be used.
        """
        if self.settings.scheduler:
            if not self.settings.device_map:
                raise HostFault(
                    "No gres is set for {host}: Slurm would allocate no device.",
                    "Name it: `sage host add {host} --gres npu:1 --device-map …`.",
                    "no-device",
                    host=self.label,
                )
            return [
                "{python}",
                "-I",
                "{job_server}",
                "allotted",
                "--map",
                device_map_of(self.settings),
                "--",
            ]
        answer = await self.machine.ask("npu-smi")
        if self.settings.borrow == "task-submit" or (
            answer["task_submit"] and not self.settings.borrow
        ):
            program = answer["task_submit"] or "task-submit"
            return [
                "{python}",
                "-I",
                "{job_server}",
                "submit",
                "--program",
                program,
                "--",
            ]
        cards = self._cards(answer["info"])
        usable = cards.usable()
        if not usable:
            why = "; ".join(
                f"{unit.name}: {cards.why_not(unit)}" for unit in cards.units()
            )
            fix = "Wait until they are free, use another host, or evaluate with the CPU twin."
            raise HostFault(
                "No device of {label} can be used: {why}.",
                fix,
                "no-device",
                label=self.label,
                why=why,
            )
        wishes = ",".join(unit.wish for unit in usable)
        return [
            "{python}",
            "-I",
            "{job_server}",
            "lease",
            "--locks",
            self.settings.locks,
            "--devices",
            wishes,
            "--",
        ]

    def _python(self, words: str) -> list[str]:
        """A task of the warm judge as a command, after the host's own set-up."""
        line = f"exec {shlex.quote(self.settings.python)} -m remote.judge.serving.warm {words}"
        # A set-up may be written for bash: `source` is one of its words.
        return (
            ["bash", "-c", f"{self.settings.setup}\n{line}"]
            if self.settings.setup
            else ["sh", "-c", line]
        )

    async def _tree(self, folder: Path, names: Sequence[str]) -> Tree:
        """Files of a folder by content, read again only when a size or time changed."""
        stamp = await asyncio.to_thread(_stamp, folder, names)
        cached = self._trees.get(folder)
        if cached is None or cached[0] != stamp:
            cached = self._trees[folder] = (
                stamp,
                await asyncio.to_thread(tree_of, folder, names),
            )
        return cached[1]


def _json(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, sort_keys=True).encode()


def _stamp(folder: Path, names: Sequence[str]) -> tuple[Any, ...]:
    states = ((name, (folder / name).stat()) for name in names)
    return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)
