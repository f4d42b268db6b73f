"""What the user says of a site whose devices belong to Slurm, and the options of sbatch it means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import InvalidInput

SLURM = "slurm"
# Login nodes differ from time to time, the home they share does not.
BASE = "~/.sage/slurm"
# Evaluations that wait or run at a time, unless the settings say otherwise.
SLOTS = 32
_MAP = re.compile(r"env:[A-Za-z_]\w*|scontrol|fixed:\d+(,\d+)*")
_WORD = re.compile(r"[\w.,:=/+@-]*")
_TIME = re.compile(r"(\d{1,5}-)?\d{1,7}(:\d{1,3}){0,2}")
_SHORTEST_LIMIT = 300  # seconds
_OPTION = re.compile(r"--[a-z-]+(=\S+)?")


@dataclass(frozen=True)
class SiteSettings:
    """The part of a host's settings that concerns a scheduler.

    Attributes:
        scheduler: `slurm` where devices belong to Slurm and jobs go through it; empty otherwise.
        partition: Of Slurm, with the devices.
        cpu_partition: Of Slurm, for builds and for the CPU twin; empty for the same one.
        gres: What a job on a device asks Slurm for, e.g. `npu:1`; of several kinds, the device first.
        device_map: How a job learns its device: `env:NAME`, `scontrol` or `fixed:IDS`. Needed with `gres`.
        sbatch: Further options of sbatch, e.g. `--account=team --qos=short`.
    """

    scheduler: str = ""
    partition: str = ""
    cpu_partition: str = ""
    gres: str = ""
    device_map: str = ""
    sbatch: str = ""


@dataclass(frozen=True)
class SlurmWish:
    """How one job is submitted.

    Attributes:
        options: Of sbatch.
        partitions: Those squeue is asked for, commas between them; empty for all.
        build: Options of the job that builds first, on a CPU partition; empty where one job does both.
        build_command: What that job runs.
    """

    options: Sequence[str]
    partitions: str
    build: Sequence[str] = ()
    build_command: Sequence[str] = ()


def check(settings: SiteSettings) -> None:
    """Refuse settings no job could be submitted with.

    Raises:
        InvalidInput: Says which, and what to give instead.
    """
    site = ("partition", "cpu_partition", "gres", "device_map", "sbatch")
    if settings.scheduler not in ("", SLURM):
        raise InvalidInput(
            "host",
            "scheduler",
            "{name!r} is not a scheduler",
            "Use slurm, or leave it out.",
            name=settings.scheduler,
        )
    site_values = [name for name in site if getattr(settings, name)]
    if site_values and not settings.scheduler:
        raise InvalidInput(
            "host",
            site_values[0],
            "it has no effect without a scheduler",
            "Add --scheduler slurm.",
        )
    for name in site[:3]:
        if not _WORD.fullmatch(value := getattr(settings, name)):
            raise InvalidInput(
                "host",
                name,
                "{value!r} is not a name of Slurm's",
                "For example: npu, npu:1",
                value=value,
            )
    if settings.gres and not settings.device_map:
        raise InvalidInput(
            "host",
            "device_map",
            "Slurm tells a job of a gres no device by itself, and none is ever guessed",
            "Say how a job learns its device: --device-map env:SLURM_JOB_GPUS (or the variable your site's "
            "prolog sets), scontrol (indices of the gres), or fixed:0 (the node is the job's alone).",
        )
    if settings.device_map and not _MAP.fullmatch(settings.device_map):
        raise InvalidInput(
            "host",
            "device_map",
            "{value!r} is not a mapping",
            "Use env:NAME, scontrol, or fixed:0,1.",
            value=settings.device_map,
        )
    if wrong := [
        word for word in settings.sbatch.split() if not _OPTION.fullmatch(word)
    ]:
        raise InvalidInput(
            "host",
            "sbatch",
            "{wrong!r} is not an option",
            "Give options of sbatch as words of the form --account=NAME.",
            wrong=wrong[0],
        )
    for word in settings.sbatch.split():
        option, _, value = word.partition("=")
        seconds = _time_limit(value) if option == "--time" else None
        if seconds is not None and seconds < _SHORTEST_LIMIT:
            raise InvalidInput(
                "host",
                "sbatch",
                "{word} ends a job after {seconds} s; its first one on a node compiles "
                "the twin, which takes minutes",
                "Give it ten minutes: --time=10:00.",
                word=word,
                seconds=seconds,
            )


def _time_limit(text: str) -> int | None:
    """Seconds of a time limit of sbatch (its page, --time); None where it is no time.

    Minutes, minutes:seconds or hours:minutes:seconds; behind days the hours come first.
    """
    if not _TIME.fullmatch(text):
        return None
    days, dash, rest = text.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if dash:
        hours, minutes, seconds = (*parts, 0, 0)[:3]
    elif len(parts) == 3:
        hours, minutes, seconds = parts
    else:
        hours, minutes, seconds = (0, *parts, 0)[:3]
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


def wish_of(
    settings: SiteSettings,
    quarantined: Iterable[str],
    build_command: Sequence[str],
    *,
    on_device: bool,
) -> SlurmWish:
    """How a job is submitted: with a card, after its build on a CPU partition, or with CPUs alone.

    Args:
        settings: Of the site.
        quarantined: Units that are not used, e.g. `node7:npu2`; their nodes are left out.
        build_command: What builds a job that runs on a device.
        on_device: Whether it runs on one.
    """
    nodes = sorted({unit.partition(":")[0] for unit in quarantined if ":" in unit})
    common = [
        *settings.sbatch.split(),
        *([f"--exclude={','.join(nodes)}"] if nodes else []),
    ]
    cpus = settings.cpu_partition or settings.partition
    on_cpus = [*([f"--partition={cpus}"] if cpus else []), *common]
    if not on_device:
        return SlurmWish(on_cpus, cpus)
    options = [
        *([f"--partition={settings.partition}"] if settings.partition else []),
        *common,
    ]
    options += [f"--gres={settings.gres}"] if settings.gres else []
    options += ["--exclusive"] if settings.device_map.startswith("fixed:") else []
    if not settings.cpu_partition:
        return SlurmWish(options, settings.partition)
    both = f"{settings.partition},{cpus}" if settings.partition else ""
    return SlurmWish(options, both, on_cpus, build_command)


def device_map_of(settings: SiteSettings) -> str:
    """How a job of the site learns its device, as the job server takes it: `scontrol` with the gres meant.

    A job may ask for several kinds, `npu:1,nic:1`; the first is the device.
    """
    if settings.device_map != "scontrol":
        return settings.device_map
    first = settings.gres.partition(",")[0]
    return f"scontrol:{re.sub('^gres[:/]', '', first).partition(':')[0]}"


def waits(reason: str | None, ahead: int | None) -> str:
    """Why a job has not begun, for people: Slurm's reason and how many go before it; empty for no reason."""
    if ahead is None:
        return reason or ""
    place = "next in line" if ahead == 0 else f"{ahead} before it"
    return f"{reason} · {place}" if reason else place
