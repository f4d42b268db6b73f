"""The sandbox around what CANN starts: the build of a package, and the process that has the device.

A candidate brings CMake files that the build runs, a tiling function that runs in the process with the
device, and a kernel. They see what CANN needs to see (its folders, compilers, Python, the device files of the
NPU) and may write into the work folder alone. Whether a driver works inside it was never seen: see
docs/ascend.md.

The host's set-up may say what differs there: `SAGE_CANN_READ` and `SAGE_CANN_WRITE` (paths, separated by
colons) name what CANN needs besides, `SAGE_CANN_VARIABLES` (names) which more variables; `SAGE_CANN_SANDBOX`
is `landlock` to do without bubblewrap, or `none`: allowed by SAGE_ALLOW_UNCONFINED=1 alone, and no credit.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from remote.judge.cann.environment import CannEnvironment
from remote.judge.faults import EnvironmentFault
from remote.judge.processes.children import ChildGroup, Finished, Limits
from remote.judge.processes.passed_variables import is_passed
from remote.judge.program import python_folders, readable_paths
from remote.judge.sandbox import (
    BUBBLEWRAP,
    LANDLOCK,
    UNCONFINED,
    Confinement,
    Isolation,
    Sandbox,
    require_sandbox,
)

UNVERIFIED = "unverified with a device"
READ = "SAGE_CANN_READ"
WRITE = "SAGE_CANN_WRITE"
VARIABLES = "SAGE_CANN_VARIABLES"
CHOICE = "SAGE_CANN_SANDBOX"
_NONE = "none"
_DEVICES = (
    *("davinci*", "devmm_svm*", "hisi_hdc*", "svm[0-9]*", "dvpp_*", "lqdcmi_pcidev"),
)
# Set by the lease, when everything else is known.
_LEASED = ("SAGE_DEVICE", "ASCEND_RT_VISIBLE_DEVICES")
_OPEN_FILES = 1024
_OF_EVERYBODY = (
    *("/", "/etc", "/var", "/home", "/run", "/dev", "/proc"),
    *("/tmp", "/var/tmp"),  # noqa: S108
)
_OF_SYSTEM = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"),
    *("/etc/ascend_install.info", "/etc/hccn.conf"),
    *("/etc/localtime", "/etc/os-release"),
)
# Beside a folder `bin`.
_OF_PROGRAMS = ("lib", "lib64", "libexec", "include", "share/cmake*", "pyvenv.cfg")


@dataclass(frozen=True)
class CannSandbox:
    """Runs CANN's programs confined, as far as this host can.

    Attributes:
        sandbox: The sandbox of this machine.
        isolation: What of it holds with CANN's folders in sight.
        environment: CANN's environment.
    """

    sandbox: Sandbox
    isolation: Isolation
    environment: CannEnvironment

    @property
    def label(self) -> str:
        """What every verdict says of it."""
        return (
            f"{self.isolation.label}, {UNVERIFIED}"
            if self.isolation.holds
            else self.isolation.label
        )

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        limits: Limits,
        children: ChildGroup,
        variables: Mapping[str, str],
        *,
        read: Iterable[Path] = (),
        lease: Sequence[str] = (),
    ) -> Finished:
        """Run `words` in `folder`, where alone it may write, and wait for its end.

        Args:
            words: Program, looked for on the path of `variables`, and arguments.
            folder: Its folder, home and place for temporary files.
            limits: What it may use.
            children: Runs it.
            variables: Its environment.
            read: Files and folders it may read and run besides CANN's.
            lease: Command that borrows a device and then becomes the one behind it.

        Raises:
            Cancelled: The job was cancelled.
            EnvironmentFault: It cannot be started.
        """
        if not self.isolation.holds:
            return children.run([*lease, *words], folder, limits, variables)
        program = shutil.which(words[0], path=variables.get("PATH", os.defpath))
        if program is None:
            raise EnvironmentFault(
                f"{words[0]} cannot be started: it is on no folder of the host's PATH."
            )
        own = dict.fromkeys(("HOME", "TMPDIR"), str(folder))
        own |= {"USER": "sage", "LOGNAME": "sage", "LC_ALL": "C"}
        inside = {**passed(self.environment.variables, variables), **own}
        confinement = Confinement(
            "tools",
            (*_visible(inside), *read, folder),
            (*_listed(inside, WRITE), folder),
            tuple(inside.items()),
            limits.memory_mb,
            limits.cpu_s,
            limits.file_mb,
            _OPEN_FILES,
            _device_files(),
            _LEASED,
            has_system=True,
        )
        command = self.sandbox.wrap(
            [program, *words[1:]], confinement, folder, self.isolation.kind
        )
        return children.run([*lease, *command], folder, limits)


def cann_sandbox(
    sandbox: Sandbox, environment: CannEnvironment, *, allowed: bool
) -> CannSandbox:
    """The strongest sandbox of this host that holds although CANN's folders and devices can be reached.

    Raises:
        EnvironmentFault: None holds, or the set-up asks for none, and it is not `allowed` to go without.
    """
    choice = environment.variables.get(CHOICE, "")
    if choice not in ("", LANDLOCK, _NONE):
        raise EnvironmentFault(
            f"{CHOICE} is {choice!r} in the host's set-up; it can be landlock or none."
        )
    isolation = _strongest(sandbox, environment, choice)
    require_sandbox(isolation, unconfined_allowed=allowed)
    return CannSandbox(sandbox, isolation, environment)


def _strongest(
    sandbox: Sandbox, environment: CannEnvironment, choice: str
) -> Isolation:
    if choice == _NONE:
        return Isolation(UNCONFINED, f"{CHOICE}=none")
    isolation = sandbox.isolation
    if not isolation.holds:
        return isolation
    variables = passed(environment.variables, environment.variables)
    confinement = Confinement(
        "tools",
        tuple(_visible(variables)),
        open_files=_OPEN_FILES,
        devices=_device_files(),
        has_system=True,
    )
    whys = [isolation.why] if isolation.why else []
    kinds = [
        kind
        for kind in (BUBBLEWRAP, LANDLOCK)
        if isolation.kind == BUBBLEWRAP or kind == LANDLOCK
    ]
    for kind in kinds if choice != LANDLOCK else [LANDLOCK]:
        try:
            why = sandbox.weakness(kind, confinement)
        except OSError as error:
            why = str(error)
        if not why:
            return Isolation(kind, "; ".join(whys))
        whys.append(f"{kind} with CANN: {why}")
    return Isolation(UNCONFINED, "; ".join(whys))


def passed(own: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """The variables a confined program gets: those of programs, CANN and torch, and what the set-up names."""
    names = own.get(VARIABLES, "").replace(":", " ").split()
    return {
        name: value
        for name, value in variables.items()
        if (is_passed(name) or name in names) and name not in _LEASED
    }


def keep_plain(folder: Path) -> None:
    """Remove what a reader outside must not open: links that lead out of `folder`, pipes, sockets, devices.

    Called when no process of the candidate is left.
    """
    root = folder.resolve()
    for place, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if (
                stat.S_ISREG(mode)
                or stat.S_ISDIR(mode)
                or (stat.S_ISLNK(mode) and _leads_inside(path, root))
            ):
                continue
            path.unlink()


def _leads_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a link to itself
        return False


def _device_files() -> tuple[Path, ...]:
    """Device files of the NPUs and of what their driver offers."""
    return tuple(
        path for pattern in _DEVICES for path in sorted(Path("/dev").glob(pattern))
    )


def _listed(variables: Mapping[str, str], name: str) -> list[Path]:
    """Paths in a variable, those that are there and no more than a folder of programs."""
    paths = [
        Path(text)
        for text in variables.get(name, "").split(os.pathsep)
        if text.startswith("/")
    ]
    return [path for path in paths if path.exists() and not _too_much(path)]


def _too_much(path: Path) -> bool:
    """Whether a folder holds a person's own files, or those of everybody."""
    resolved = path.resolve()
    return Path.home().is_relative_to(resolved) or str(resolved) in _OF_EVERYBODY


def _visible(variables: Mapping[str, str]) -> list[Path]:
    """What CANN, its compilers and Python are read from, apart from the system's folders."""
    paths: list[Path] = [path for name in _OF_SYSTEM if (path := Path(name)).exists()]
    for name in ("LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH", READ):
        paths += _listed(variables, name)
    for place in _listed(variables, "PATH"):
        paths += [place, *_beside(place)]
    for name, value in variables.items():
        if name.startswith(("ASCEND", "TOOLCHAIN_HOME", "SAGE_NPUKERNELBENCH")):
            paths += _listed({name: value}, name)
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix)):
        paths += [Path(prefix, "bin"), *_beside(Path(prefix, "bin"))]
    python = Path(sys.executable)
    paths += [python.resolve().parents[1], *readable_paths()]
    paths += [Path(torch.__file__).parents[1], *python_folders()]
    paths += [one for one in map(_installation, paths) if one is not None]
    paths += [path.resolve() for path in paths]
    return [
        path for path in dict.fromkeys(paths) if path.exists() and not _too_much(path)
    ]


def _beside(place: Path) -> Iterator[Path]:
    """What the programs of a folder `bin` are made of; not all beside it, as with `~/.local`."""
    if place.name in ("bin", "sbin"):
        for pattern in _OF_PROGRAMS:
            yield from place.parent.glob(pattern)


def _installation(path: Path) -> Path | None:
    """The folder `Ascend` that holds all of an installation, whose links lead from version to version."""
    return next(
        (parent for parent in (path, *path.parents) if parent.name == "Ascend"), None
    )
