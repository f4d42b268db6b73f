"""The doctor: connect to a host, look at everything work there needs, and say what to fix and how."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.errors import InvalidInput, SageError
from core.text import Text
from remote.connection.faults import NeedsUser
from remote.hosts.detached import DetachedHost
from remote.hosts.npu_smi import NpuTable, read_npu_smi
from remote.hosts.soc import soc_named
from remote.judge.cann.environment import version_named

_LEAST_GB = 2
_MOST_SKEW_S = 60.0
_NO_SBATCH = 9


class Health(StrEnum):
    """How a finding weighs: `fault` keeps kernels from being judged there."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


@dataclass(frozen=True)
class Check:
    """One finding: what was looked at, what was found, and the fix when there is something to fix."""

    subject: str
    health: Health
    found: str | Text
    fix: str | Text = ""


@dataclass(frozen=True)
class Diagnosis:
    """All findings about a host and its devices."""

    host: str
    checks: tuple[Check, ...]
    npus: NpuTable

    @property
    def works(self) -> bool:
        """Whether kernels can be judged there (with the CPU twin at least)."""
        return not any(check.health is Health.FAULT for check in self.checks)


async def examine(host: DetachedHost, connection: Mapping[str, str]) -> Diagnosis:
    """Examine a host.

    Args:
        host: What to examine; it is connected to when it is not.
        connection: Facts of the SSH connection, filled while connecting.
    """
    try:
        began = time.monotonic()
        await host.connect()
        seconds = time.monotonic() - began
        settings = host.settings
        facts = await host.machine.ask(
            "probe", python=settings.python, setup=settings.setup, locks=settings.locks
        )
        site = await _site(host) if settings.scheduler else ()
    except SageError as fault:
        subject = "login" if isinstance(fault, NeedsUser) else "connection"
        return Diagnosis(
            host.name,
            (Check(subject, Health.FAULT, fault.what, fault.remedy),),
            NpuTable(),
        )
    npus = (
        read_npu_smi(facts["npu_smi"]["info"])
        if facts["npu_smi"]["path"]
        else NpuTable()
    )
    host.versions.note(
        {"cann": version_named(facts["cann"]["version"]), "soc": _soc(npus)}
    )
    checks = (
        *_connection(connection, seconds),
        *(_system(facts), _job_server(host, facts), _clock(facts), _disk(facts)),
        *_setup(host, facts),
        *(_python(host, facts), _compiler(facts), _sandbox(facts)),
        *_ascend(host, facts, npus),
        *_quarantined(host),
        *(site or (_locks(host, facts), *_lingering(facts))),
    )
    return Diagnosis(host.name, checks, npus)


def _soc(npus: NpuTable) -> str:
    """What all cards are, where npu-smi tells it exactly; of a 910C it only says `Ascend910`."""
    names = {npu.soc for npu in npus.devices}
    try:
        return soc_named(names.pop()).name if len(names) == 1 else ""
    except InvalidInput:
        return ""


def _connection(connection: Mapping[str, str], seconds: float) -> tuple[Check, ...]:
    login_facts = [
        f"{name} {value}"
        for name, value in connection.items()
        if value and name not in ("warnings", "unused")
    ]
    finding = Text(
        "{facts_told} ({seconds:.2f} s)",
        facts_told="; ".join(login_facts),
        seconds=seconds,
    )
    checks = [Check("connection", Health.OK, finding)]
    if connection.get("warnings"):
        fix = "Install OpenSSH's client on this computer."
        checks.append(Check("configuration", Health.NOTE, connection["warnings"], fix))
    if connection.get("unused"):
        unused = Text(
            "these lines of your SSH configuration are not used: {names}",
            names=connection["unused"],
        )
        checks.append(Check("configuration", Health.NOTE, unused))
    return tuple(checks)


def _system(facts: Mapping[str, Any]) -> Check:
    system = facts["system"]
    where = Text(" in a container") if system["container"] else ""
    finding = Text(
        "{name}, kernel {kernel}, {machine}{where}; {cpus} CPUs, {memory_gb} GB, load {load:.1f}",
        name=system["name"],
        kernel=system["kernel"],
        machine=system["machine"],
        where=where,
        cpus=system["cpus"],
        memory_gb=system["memory_mb"] >> 10,
        load=system["load"],
    )
    return Check("system", Health.OK, finding)


def _job_server(host: DetachedHost, facts: Mapping[str, Any]) -> Check:
    kind = facts["file_system"]
    finding = Text(
        "Python {python} in {base} on {kind}",
        python=facts["job_server"]["python"],
        base=facts["job_server"]["base"],
        kind=kind,
    )
    if host.settings.scheduler:
        finding = Text("{found}; every node of the site must see it", found=finding)
    elif kind.startswith("nfs") or kind in ("afs", "cifs", "fuse.sshfs"):
        fix = Text(
            "Name a folder on a local disk: `sage host add {host} --base /local/…`.",
            host=host.name,
        )
        finding = Text("{found}, which is slow and may lose locks", found=finding)
        return Check("working folder", Health.NOTE, finding, fix)
    return Check("working folder", Health.OK, finding)


def _clock(facts: Mapping[str, Any]) -> Check:
    skew = float(facts["time"]) - time.time()
    if abs(skew) > _MOST_SKEW_S:
        finding = Text(
            "{skew:.0f} s {way} of this computer",
            skew=abs(skew),
            way="ahead" if skew > 0 else "behind",
        )
        fix = "File times there look odd; SAGE does not depend on them."
        return Check("clock", Health.NOTE, finding, fix)
    finding = Text("within {skew:.0f} s of this computer", skew=max(1.0, abs(skew)))
    return Check("clock", Health.OK, finding)


def _disk(facts: Mapping[str, Any]) -> Check:
    free, inodes = (
        facts["disk"]["base"]["free_bytes"],
        facts["disk"]["base"]["free_inodes"],
    )
    finding = Text(
        "{free:.1f} GB and {inodes} inodes free",
        free=free / 1000000000.0,
        inodes=inodes,
    )
    if 0 <= free < _LEAST_GB << 30 or 0 <= inodes < 10_000:
        fix = Text(
            "Work needs {least} GB; free some, or set another --base.", least=_LEAST_GB
        )
        return Check("disk", Health.FAULT, finding, fix)
    return Check("disk", Health.OK, finding)


def _setup(host: DetachedHost, facts: Mapping[str, Any]) -> tuple[Check, ...]:
    """The user's own line before everything else; its error stops no job, but CANN is then seldom found."""
    problem = facts["setup"]["problem"]
    if not problem:
        return ()
    fix = Text(
        'Fix `{setup}`, or give another: `sage host add {host} --setup "…"`.',
        setup=host.settings.setup,
        host=host.name,
    )
    return (
        Check(
            "set-up",
            Health.NOTE,
            Text("ends with an error: {problem}", problem=problem),
            fix,
        ),
    )


def _python(host: DetachedHost, facts: Mapping[str, Any]) -> Check:
    python = facts["python"]
    name = host.settings.python
    fix = Text(
        "Install torch for it, or name another in Host Settings (`sage host add {host} --python /path/to/python`).",
        host=host.name,
    )
    if python.get("error"):
        finding = Text(
            "{name} cannot be run: {error}", name=name, error=python["error"]
        )
        return Check("Python", Health.FAULT, finding, fix)
    if not python["modules"]["torch"]:
        finding = Text(
            "{executable} {version} has no torch, which computes the expected results",
            executable=python["executable"],
            version=python["version"],
        )
        return Check("Python", Health.FAULT, finding, fix)
    modules = ", ".join(
        f"{module} {version}"
        for module, version in python["modules"].items()
        if version
    )
    finding = Text(
        "{executable} {version}: {modules}",
        executable=python["executable"],
        version=python["version"],
        modules=modules,
    )
    return Check("Python", Health.OK, finding)


def _compiler(facts: Mapping[str, Any]) -> Check:
    if not facts["compilers"]:
        fix = "Install one: `apt-get install g++` (11 or newer) or clang (14 or newer)."
        return Check(
            "C++ compiler", Health.FAULT, "neither g++ nor clang++ is there", fix
        )
    return Check("C++ compiler", Health.OK, "; ".join(facts["compilers"].values()))


def _sandbox(facts: Mapping[str, Any]) -> Check:
    """What would hold a hostile kernel back; the judge tries it out before it relies on it."""
    system = facts["system"]
    layers = ["bubblewrap"] * bool(system["bubblewrap"])
    layers += [f"Landlock {system['landlock']}, seccomp"] * (system["landlock"] > 0)
    if not layers:
        fix = "Install it: `apt-get install bubblewrap`. Until then no kernel is run there."
        return Check(
            "sandbox",
            Health.FAULT,
            "neither bubblewrap nor a kernel with Landlock",
            fix,
        )
    fix = (
        ""
        if system["bubblewrap"]
        else "For a second layer: `apt-get install bubblewrap`."
    )
    return Check("sandbox", Health.NOTE if fix else Health.OK, ", ".join(layers), fix)


def _ascend(
    host: DetachedHost, facts: Mapping[str, Any], npus: NpuTable
) -> tuple[Check, ...]:
    """Devices, CANN, driver and toolchains; a machine without them is a host for the CPU twin."""
    if not facts["npu_smi"]["path"] and not facts["cann"]["path"]:
        nothing = "none: kernels run on the CPU twin, latencies are modelled"
        return (Check("NPU", Health.NOTE, nothing),)
    return (
        *_devices(npus),
        *_cann(host, facts["cann"]),
        *_driver(facts["cann"]),
        *_toolchains(facts, npus),
        *_task_submit(facts),
    )


def _devices(npus: NpuTable) -> tuple[Check, ...]:
    """What the devices are, which are in use, and each that is not healthy."""
    if not npus.devices:
        fix = "Check that the driver is loaded and the devices are mapped in."
        return (Check("NPU", Health.NOTE, npus.problem, fix),)
    finding = Text(
        "{devices} devices on {cards} cards: {names}",
        devices=len(npus.devices),
        cards=len(npus.cards),
        names=", ".join(sorted({npu.soc for npu in npus.devices})),
    )
    in_use = [str(npu.device) for npu in npus.devices if npu.processes]
    if in_use:
        finding = Text("{found}; in use: {used}", found=finding, used=", ".join(in_use))
    checks = [Check("NPU", Health.OK, finding)]
    for npu in npus.devices:
        if npu.health != "OK":
            report = Text(
                "device {device} reports {health}", device=npu.device, health=npu.health
            )
            checks.append(Check("NPU", Health.NOTE, report))
    return tuple(checks)


def _cann(host: DetachedHost, cann: Mapping[str, Any]) -> tuple[Check, ...]:
    """The toolkit, and what is known of the sandbox with it."""
    if not cann["path"]:
        fix = Text(
            'Install the toolkit, or name it: `sage host add {host} --setup "source …/set_env.sh"`.',
            host=host.name,
        )
        return (Check("CANN", Health.NOTE, "not found in the usual places", fix),)
    version = version_named(cann["version"]) or Text("of unknown version")
    finding = Text("{version} in {path}", version=version, path=cann["path"])
    advice = "Every verdict says what held; docs/ascend.md, what to set when no device opens in it."
    return (
        Check("CANN", Health.OK, finding),
        Check("sandbox with CANN", Health.NOTE, "unverified with a device", advice),
    )


def _driver(cann: Mapping[str, Any]) -> tuple[Check, ...]:
    if not cann["driver"]:
        return ()
    version = version_named(cann["driver"]) or cann["driver"]
    return (Check("driver", Health.OK, version),)


def _task_submit(facts: Mapping[str, Any]) -> tuple[Check, ...]:
    """The command by which some sites hand out devices; where it is there, jobs use it."""
    if not facts["task_submit"]:
        return ()
    finding = Text(
        "the site allocates devices with {task_submit}, which is used",
        task_submit=facts["task_submit"],
    )
    return (Check("task-submit", Health.OK, finding),)


def _toolchains(facts: Mapping[str, Any], npus: NpuTable) -> tuple[Check, ...]:
    """Which toolchains work here, and what CANN lacks."""
    python = facts["python"]
    needs = (
        ("no CANN", facts["cann"]["path"]),
        ("no cmake", facts["setup"]["cmake"]),
        ("no device", npus.devices),
        ("no torch_npu", python["modules"].get("torch_npu")),
    )
    missing = [lack for lack, present in needs if not present]
    if not missing:
        return (Check("toolchains", Health.OK, "twin, cann"),)
    lack = Text("cann cannot be used: {missing}", missing=", ".join(missing))
    fix = Text(
        "Install torch-npu for {executable}, of the version that goes with its torch.",
        executable=python["executable"],
    )
    helps = missing == ["no torch_npu"]
    return (
        Check("toolchains", Health.OK, "twin"),
        Check("toolchains", Health.NOTE, lack, fix if helps else ""),
    )


def _quarantined(host: DetachedHost) -> tuple[Check, ...]:
    return tuple(
        Check(
            "NPU",
            Health.NOTE,
            Text("{unit} is excluded: {why}", unit=unit, why=why),
            Text(
                "`sage host check {host} --release {unit}`", host=host.name, unit=unit
            ),
        )
        for unit, why in host.quarantined.units().items()
    )


def _locks(host: DetachedHost, facts: Mapping[str, Any]) -> Check:
    locks = facts["locks"]
    finding = Text("{path}: {problem}", path=locks["path"], problem=locks["problem"])
    if not locks["usable"]:
        fix = Text(
            "Make it with mode 1777, or name another: `sage host add {host} --locks /path`.",
            host=host.name,
        )
        return Check("lock folder", Health.FAULT, finding, fix)
    if locks["problem"]:
        fix = Text(
            "Choose a folder on a local disk that every user may write to (mode 1777)."
        )
        return Check("lock folder", Health.NOTE, finding, fix)
    return Check(
        "lock folder",
        Health.OK,
        Text("{path}, shared by all users", path=locks["path"]),
    )


async def _site(host: DetachedHost) -> tuple[Check, ...]:
    """What Slurm says of the partitions of the settings. Everything else was looked at on the login node."""
    settings = host.settings
    named = [name for name in (settings.partition, settings.cpu_partition) if name]
    partitions = list(dict.fromkeys(named)) or [""]  # "": all of the site
    checks = [await _partition(host, name) for name in partitions]
    note = Text(
        "Python, compiler and sandbox above are the login node's; the nodes' are seen by the first job."
    )
    return (*checks, Check("nodes", Health.NOTE, note))


async def _partition(host: DetachedHost, name: str) -> Check:
    """What `sinfo` says of a partition; of all where `name` is empty."""
    option = f" -p {shlex.quote(name)}" if name else ""
    sinfo = f"sinfo -h{option} -o '%P %a, %D nodes %T, time limit %l, gres %G'"
    script = f"command -v sbatch >/dev/null || exit {_NO_SBATCH}; {sinfo}"
    answer = await host.machine.ask("run", command=["sh", "-c", script])
    if answer["code"] == _NO_SBATCH:
        fix = Text(
            "Put it on the PATH of logins there, or: `sage host add {host} --scheduler ''`.",
            host=host.name,
        )
        missing = "there is no sbatch on the PATH of the login node"
        return Check("Slurm", Health.FAULT, missing, fix)
    output = "; ".join(str(answer["output"]).split("\n")).strip("; ")
    if answer["code"] == 0 and output:
        return Check("Slurm", Health.OK, output)
    fix = Text(
        "`sage host add {host} --partition …`; `sinfo` on the login node lists them.",
        host=host.name,
    )
    # sinfo says nothing, and does not fail, where it knows no partition of that name.
    unknown = Text("there is no partition {name}", name=name)
    finding = output if answer["code"] else unknown
    return Check("Slurm", Health.FAULT, finding, fix)


def _lingering(facts: Mapping[str, Any]) -> tuple[Check, ...]:
    if facts["lingering"] != "no":
        return ()
    finding = (
        "the system ends a user's processes with the last session (KillUserProcesses)"
    )
    return (
        Check(
            "detached jobs",
            Health.FAULT,
            finding,
            "Run there once: `loginctl enable-linger`.",
        ),
    )
