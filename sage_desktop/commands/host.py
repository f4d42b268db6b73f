"""`sage host`: add, trust and examine machines reached over SSH."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tabulate import tabulate

from core.records_json import to_json
from sage_desktop.commands.command_group import CommandGroup

if TYPE_CHECKING:
    from remote.calibration.record import Calibration
    from remote.hosts.doctor import Diagnosis
    from remote.hosts.registry import HostRegistry

WORKS, FAULTY = 0, 1


@click.group(cls=CommandGroup)
def host() -> None:
    """Machines reached over SSH, by their names in your ~/.ssh/config."""


@host.command("list")
def list_hosts() -> None:
    """Show the hosts that were added and their settings."""
    columns = (
        "host",
        "python",
        "folder",
        "evaluations at a time",
        "scheduler",
        "CPU twin",
    )
    rows = []
    for name, settings in _registry().settings().items():
        scheduler = settings.scheduler or "none"
        if settings.partition:
            scheduler = f"{scheduler} {settings.partition}"
        row = (
            name,
            settings.python,
            settings.base or "~/.sage/<name>",
            settings.slots or "half the cores",
            scheduler,
            _calibrated(name) or "as shipped",
        )
        rows.append(row)
    click.echo(tabulate(rows, columns) if rows else "no hosts yet")


@host.command()
@click.argument("alias")
@click.option("--python", help="Interpreter with torch on the host.")
@click.option("--base", help="Folder for SAGE's files there.")
@click.option(
    "--setup", help="Shell line run before the judge, e.g. source …/set_env.sh."
)
@click.option("--locks", help="Folder of lock files shared by all users there.")
@click.option(
    "--slots",
    type=click.IntRange(0, 256),
    help="Evaluations run at the same time; 0: half the cores.",
)
@click.option("--devices", help="Logical devices to use, e.g. 0,1,2; empty for all.")
@click.option(
    "--scheduler",
    type=click.Choice(("", "slurm")),
    help="Who owns the devices there, if not the users.",
)
@click.option("--partition", help="Slurm partition with the devices.")
@click.option(
    "--cpu-partition",
    help="Slurm partition for builds and for the CPU twin; empty for the same one.",
)
@click.option("--gres", help="What a job on a device asks Slurm for, e.g. npu:1.")
@click.option(
    "--device-map",
    help="How a job learns its device; needed with --gres. env:NAME: a variable Slurm or the site's prolog "
    "sets; scontrol: the indices of the gres; fixed:0: its node is the job's alone.",
)
@click.option(
    "--sbatch", help="Further options of sbatch, e.g. '--account=team --qos=short'."
)
@click.option(
    "--passphrase",
    "key_file",
    metavar="KEYFILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Ask for the passphrase of this private key and keep it in the system's keyring; an empty one removes it.",
)
def add(alias: str, devices: str | None, key_file: Path | None, **values: Any) -> None:
    """Add ALIAS, or change its settings."""
    # An option that was left out keeps its setting; an empty text clears it.
    changes = {name: value for name, value in values.items() if value is not None}
    if devices is not None:
        changes["devices"] = _numbers(devices)
    settings = _registry().change(alias, **changes)
    descriptions = []
    for field in fields(settings):
        value = getattr(settings, field.name)
        if value != field.default:
            descriptions.append(f"{field.name} {value!r}")
    click.echo(f"{alias}: {', '.join(descriptions) or 'added, everything as usual'}")
    if key_file is not None:
        _keep_passphrase(key_file)


def _keep_passphrase(key_file: Path) -> None:
    from remote.connection.ssh.authentication import store_passphrase

    typed = click.prompt("Passphrase", hide_input=True, default="", show_default=False)
    store_passphrase(key_file.expanduser().absolute(), typed)
    change = "stored in" if typed else "removed from"
    click.echo(f"{key_file}: {change} the keyring of this system.")


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not part.isdigit():
            fault = f"{part!r} is no device number, e.g. 0,1,2."
            raise click.BadParameter(fault, param_hint="--devices")
    return tuple(map(int, parts))


@host.command()
@click.argument("alias")
def remove(alias: str) -> None:
    """Remove ALIAS; nothing changes on the machine itself."""
    was_there = _registry().remove(alias)
    click.echo(f"{alias} removed" if was_there else f"{alias} was not there")


@host.command()
@click.argument("alias")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option(
    "--cancel-jobs", is_flag=True, help="Cancel all jobs that still run there."
)
@click.option(
    "--release",
    "unit",
    metavar="DEVICE",
    default="",
    help="Only take this device, e.g. npu3, out of quarantine.",
)
def check(alias: str, as_json: bool, cancel_jobs: bool, unit: str) -> None:
    """Connect to ALIAS and report what was found, what is missing and how to fix it, and the jobs it keeps.

    Exit code 0: kernels can be judged there. 1: something must be fixed first.
    """
    if unit:
        released = _registry().quarantined(alias).release(unit)
        state = "is used again" if released else "was not in quarantine"
        click.echo(f"{unit} of {alias} {state}")
        return
    diagnosis, jobs = asyncio.run(_examined(alias, cancel_jobs=cancel_jobs))
    if as_json:
        twin = {"calibrated": _calibrated(alias)}
        click.echo(to_json({**asdict(diagnosis), "jobs": jobs, "twin": twin}))
    else:
        click.echo(render(diagnosis))
        click.echo(f"  {'':6}{'CPU twin':<15}{_calibrated(alias) or 'as shipped'}")
        if jobs:
            columns = ("job", "state", "on", "waits for")
            click.echo("\n" + tabulate([row.values() for row in jobs], columns))
    raise SystemExit(WORKS if diagnosis.works else FAULTY)


async def _examined(
    alias: str, *, cancel_jobs: bool
) -> tuple[Diagnosis, list[dict[str, str]]]:
    """What the doctor says of a host, and its jobs: running ones, and finished ones not cleaned up yet."""
    from remote.hosts.doctor import examine
    from remote.job_server.jobs import FINAL

    registry = _registry()
    machine_host = registry.host(alias)
    try:
        diagnosis = await examine(machine_host, registry.ssh.report)
        if not diagnosis.works:
            return diagnosis, []
        await machine_host.connect()
        jobs = await machine_host.machine.jobs()
        if cancel_jobs:
            for job in jobs:
                if job["state"] not in FINAL:
                    await machine_host.machine.cancel(job["job"])
            # Listed again, so that the table shows what became of them.
            jobs = await machine_host.machine.jobs()
        return diagnosis, [_job_row(job) for job in jobs]
    finally:
        await machine_host.close()


def _job_row(job: Mapping[str, Any]) -> dict[str, str]:
    from remote.hosts.slurm import waits

    return {
        "job": job["job"],
        "state": job["state"],
        "on": str(job.get("device", "")),
        "waits_for": waits(job.get("reason"), job.get("ahead")),
    }


@host.command()
@click.argument("alias")
@click.option("--soc", default="", help="Its processor; left out, the host is asked.")
def calibrate(alias: str, soc: str) -> None:
    """Measure some 60 micro kernels on ALIAS with CANN and fit the CPU twin to them.

    Takes some minutes. What is found is used for ALIAS alone, by evaluations with the CPU twin for its processor.
    An earlier calibration stays until this one is complete. Tested with simulated hosts only: it has never met
    hardware.
    """
    from sage_desktop.services.wiring import calibrate_host, calibrations

    # A calibration that cannot be read shows before the minutes of work, not after.
    calibrations().of(alias)

    def progress(line: str) -> None:
        click.echo(line, err=True)

    calibration = asyncio.run(calibrate_host(alias, soc, progress))
    path = calibrations().keep(calibration)
    click.echo(render_calibration(calibration))
    click.echo(f"\nkept in {path}, picture in {path.with_suffix('.svg')}")


@host.command()
@click.argument("alias")
@click.option(
    "--fingerprint",
    default="",
    help="Trust only a key with this SHA256 fingerprint, without asking.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Forget another key that is known for the host, in your known_hosts files too.",
)
def trust(alias: str, fingerprint: str, replace: bool) -> None:
    """Show the key of ALIAS and, when you confirm it, remember it in a file of SAGE's own."""
    from core.errors import SageError
    from remote.connection.faults import HostKeyChanged, HostKeyUnknown

    registry = _registry()

    async def work() -> HostKeyUnknown | HostKeyChanged | None:
        machine_host = registry.host(alias)
        try:
            await machine_host.connect()
        except HostKeyUnknown as unknown:
            return unknown
        except HostKeyChanged as changed:
            if not replace:
                raise
            return changed
        finally:
            await machine_host.close()
        return None

    # Each jump host on the way may show a key of its own.
    while (unknown := asyncio.run(work())) is not None:
        if fingerprint and unknown.fingerprint != fingerprint:
            raise SageError(
                "{host} shows another key: {kind} {fingerprint}.",
                "Ask its administrator which one is right.",
                host=unknown.host,
                kind=unknown.kind,
                fingerprint=unknown.fingerprint,
            )
        question = f"{unknown.what}\nDo you trust this key?"
        if not fingerprint and not click.confirm(question, default=False):
            raise SystemExit(FAULTY)
        if isinstance(unknown, HostKeyChanged):
            for path in registry.replace_key(alias, unknown):
                click.echo(f"the old key was taken out of {path}")
        else:
            registry.trust(unknown.host, unknown.kind, unknown.key)
    click.echo(f"{alias} is trusted and lets us in")


def render(diagnosis: Diagnosis) -> str:
    """Findings for a terminal, each fix below its finding."""
    lines = [f"{diagnosis.host}: {'ready' if diagnosis.works else 'not ready'}"]
    for entry in diagnosis.checks:
        lines.append(f"  {entry.health.value:<6}{entry.subject:<15}{entry.found}")
        if entry.fix:
            lines.append(f"{'':23}→ {entry.fix}")
    for npu in diagnosis.npus.devices:
        used, whole = npu.memory_mb
        parts = (
            f"device {npu.device:<3} card {npu.card} chip {npu.chip}",
            npu.soc,
            npu.health,
            f"AI core {npu.busy_percent} %",
            f"memory {used}/{whole} MB",
            f"processes {len(npu.processes)}",
        )
        lines.append("        " + "  ".join(parts))
    return "\n".join(lines)


def _calibrated(alias: str) -> str:
    """When the twin of a host was calibrated, in words; empty when it was not."""
    from sage_desktop.services.wiring import calibrations

    calibration = calibrations().of(alias)
    if calibration is None:
        return ""
    when = f"calibrated {calibration.date} ({calibration.part})"
    if calibration.is_current:
        return when
    return f"{when}, for time model {calibration.time_model}: calibrate again"


def render_calibration(calibration: Calibration) -> str:
    """Constants and micro kernels before and after, as tables for a terminal."""
    cann = f", CANN {calibration.cann}" if calibration.cann else ""
    head = (
        f"{calibration.host}: {calibration.part}{cann}, {calibration.date}, "
        f"time model {calibration.time_model}. This command has never met hardware."
    )
    constants = []
    for constant in calibration.constants:
        # The micro kernels do not say enough of every constant.
        remark = "" if constant.is_determined else "not determined, as shipped"
        values = (f"{constant.shipped:.4g}", f"{constant.calibrated:.4g}")
        spread = f"±{constant.spread:.0%}"
        constants.append((constant.name, *values, spread, remark))
    constant_columns = ("constant", "before", "after", "spread", "")
    kernels = []
    for kernel in calibration.kernels:
        measured = kernel.measured_us
        before = f"{kernel.shipped_us / measured:.2f}"
        after = f"{kernel.calibrated_us / measured:.2f}"
        kernels.append((kernel.name, f"{measured:.2f}", before, after))
    kernel_columns = (
        "micro kernel",
        "measured us",
        "before / measured",
        "after / measured",
    )
    parts = [
        head,
        tabulate(constants, constant_columns),
        tabulate(kernels, kernel_columns),
    ]
    parts += [f"left out: {name}: {why}" for name, why in calibration.left_out.items()]
    return "\n\n".join(parts)


def _registry() -> HostRegistry:
    from sage_desktop.services.wiring import data_dir, registry

    return registry(data_dir())
