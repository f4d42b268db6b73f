"""From `--host` and `--toolchain` to an evaluator; the user's hosts. Qt-free, SSH is imported on use."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SageError
from core.evaluation.port import Evaluator
from sage_desktop.services import places

if TYPE_CHECKING:
    from remote.hosts.registry import HostRegistry
    from remote.toolchains.cann import CannToolchain
    from remote.toolchains.port import Toolchain


def host_names(host: str) -> tuple[str, ...]:
    """Names in a `--host` option: `local`, hosts of the user's SSH configuration, commas between them."""
    return tuple(name.strip() for name in host.split(",") if name.strip())


TOOLCHAINS = ("twin", "cann")
DEFAULT_SOC = "Ascend910B1"
SOC_HELP = f"Processor: what the twin models ({DEFAULT_SOC} when left out), what CANN builds for (that of the host)."


def evaluator_on(names: tuple[str, ...], toolchain: Toolchain) -> Evaluator:
    """A toolchain on one host, or on several that share the work.

    Args:
        names: As `host_names` gives them, at least one.
        toolchain: How they judge.
    """
    from remote.evaluator import HostEvaluator
    from remote.hosts import LocalHost

    if names == ("local",) and toolchain.name == "twin":
        return HostEvaluator(LocalHost(), toolchain)
    from remote.pool import PoolEvaluator

    hosts = registry(places.data_dir())
    made = [
        HostEvaluator(
            LocalHost() if name == "local" else hosts.host(name),
            toolchain,
            versions=hosts.versions(name),
        )
        for name in names
    ]
    return made[0] if len(made) == 1 else PoolEvaluator(made, on_loads=hosts.note_loads)


def toolchain_named(
    name: str,
    cache_dir: Path,
    soc: str = "",
    *,
    run_big: bool = False,
    schedules: int | None = None,
) -> Toolchain:
    """The toolchain a person names, one of `TOOLCHAINS`; arguments as for `wiring.evaluator_for`.

    Raises:
        SageError: There is none of that name, or no such processor.
    """
    if name not in TOOLCHAINS:
        raise SageError(
            "There is no toolchain called {name!r}.",
            "Use one of {known}.",
            name=name,
            known=", ".join(TOOLCHAINS),
        )
    if name == "twin":
        from remote.evaluator import twin_toolchain

        return twin_toolchain(
            cache_dir, soc or DEFAULT_SOC, run_big=run_big, schedules=schedules
        )
    return cann_toolchain(cache_dir, soc)


def cann_toolchain(cache_dir: Path, soc: str) -> CannToolchain:
    """CANN as it is installed on the host; `soc` names the host's processor, empty to ask the host.

    Raises:
        InvalidInput: No processor is called so.
    """
    from remote.hosts.soc import soc_named
    from remote.toolchains.cann import CannToolchain

    name = soc_named(soc).name if soc else ""
    unconfined = os.environ.get("SAGE_ALLOW_UNCONFINED") == "1"
    return CannToolchain(
        cache_dir.resolve(),
        name,
        allow_unconfined=unconfined,
    )


def tools_of(toolchain: str) -> dict[str, str]:
    """The diagnostics of one of `TOOLCHAINS`: name -> what it shows. Asks no host."""
    tools = toolchain_named(toolchain, Path()).diagnostics
    return {name: tool.what for name, tool in tools.items() if tool.offered}


@cache
def registry(data_dir: Path) -> HostRegistry:
    """The user's hosts; one object, so that what a person typed serves every connection.

    Questions are put at the terminal; a window sets `ssh.ask`.
    """
    from remote.hosts.registry import HostRegistry
    from sage_desktop.services.hosts.terminal_questions import ask_at_terminal

    return HostRegistry(data_dir, ask_at_terminal)


async def reach_hosts(host: str, data_dir: Path, toolchain: str) -> None:
    """Connect to every far host of a `--host` option once, so that a fault is told before any work begins.

    A host that will build with CANN and was never looked at is: memory is searched with its version.

    Raises:
        SageError: One cannot be reached, or the person must act first.
    """
    from remote.hosts.doctor import examine

    for name in host_names(host):
        if name != "local":
            found = registry(data_dir).host(name)
            try:
                await found.connect()
                if toolchain != "twin" and not found.versions.cann:
                    await examine(found, {})
            finally:
                await found.close()
