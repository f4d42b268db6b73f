"""CANN's environment of a host: what `set_env.sh` exports, and which versions are installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remote.judge.faults import EnvironmentFault
from remote.judge.processes.children import ChildGroup, Limits

_MARK = "SAGE-ENVIRONMENT"
_LOADING = Limits(wall_s=60, cpu_s=60, memory_mb=0)
_INSTALL_INFO = "*-linux/ascend_toolkit_install.info"
_VERSION_FILES = (
    "version.cfg",
    "version.info",
    "compiler/version.info",
    "toolkit/version.info",
    "runtime/version.info",
)
# Packages have numbers of their own (7.7.0.1.238); what people call the version of CANN (8.1.RC1) comes after
# it in version.cfg, and as a folder's name in version.info. The first form that is there counts.
_VERSIONS = (
    re.compile(r"running_version\s*=\s*\[[^:\]]*:\s*([\w.+-]+)\]"),
    re.compile(r"(?:^|\s)version_dir\s*=\s*(?:cann-)?([\w.+-]+)"),
    re.compile(r"(?:^|[_\s])version\s*=\s*\[?\s*([\w.+-]+)", re.IGNORECASE),
)
_DRIVER = Path("/usr/local/Ascend/driver/version.info")


@dataclass(frozen=True)
class CannEnvironment:
    """What a process that uses CANN needs and what is installed.

    Attributes:
        variables: Environment variables after `set_env.sh`.
        home: `ASCEND_HOME_PATH`.
        cann: Version of the toolkit, empty when no file tells.
        driver: Version of the driver, empty when no file tells.
    """

    variables: Mapping[str, str]
    home: Path
    cann: str
    driver: str

    @property
    def facts(self) -> dict[str, str]:
        """The part that goes into every result."""
        return {
            "cann": self.cann,
            "driver": self.driver,
            "soc": self.variables.get("SAGE_SOC", ""),
        }


def load_environment(
    script: str, folder: Path, children: ChildGroup
) -> CannEnvironment:
    """Run `script` (shell text that sources `set_env.sh`) and read what it exports.

    Raises:
        EnvironmentFault: There is no CANN, or the script fails.
        Cancelled: The job was cancelled.
    """
    text = f"{script}\nprintf '\\n{_MARK}\\n'; env -0"
    finished = children.run(["bash", "-c", text], folder, _LOADING)
    output, mark, exported = finished.output.partition(f"\n{_MARK}\n")
    if finished.code or not mark:
        last = (
            " ".join(output.split())[-400:]
            or f"bash ended with exit code {finished.code}"
        )
        raise EnvironmentFault(f"CANN's environment cannot be loaded: {last}")
    variables = dict(
        entry.split("=", 1) for entry in exported.split("\0") if "=" in entry
    )
    home = Path(variables.get("ASCEND_HOME_PATH", ""))
    if not variables.get("ASCEND_HOME_PATH") or not home.is_dir():
        raise EnvironmentFault(
            f"ASCEND_HOME_PATH is {str(home)!r} after set_env.sh, which is no folder."
        )
    return CannEnvironment(
        variables, home, _toolkit_version(home), _version_in(_DRIVER)
    )


def _toolkit_version(home: Path) -> str:
    files = [
        *sorted(home.glob(_INSTALL_INFO)),
        *(home / name for name in _VERSION_FILES),
    ]
    return next((version for path in files if (version := _version_in(path))), "")


def _version_in(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # one of several places; the version is then unknown
        return ""
    return version_named(text)


def version_named(text: str) -> str:
    """The version a file of CANN or of the driver names; empty when it names none."""
    return next(
        (match[1] for pattern in _VERSIONS if (match := pattern.search(text))), ""
    )
