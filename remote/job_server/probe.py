"""What a host is and has: facts for the doctor and for choosing devices. Says what it saw, judges nothing."""

from __future__ import annotations

import glob
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

from . import leases
from .home import Home, disk_facts
from .processes import run

_COMPILERS = ("g++", "clang++")
_VERSION_FILES = (
    "version.cfg",
    "version.info",
    "compiler/version.info",
    "toolkit/version.info",
)
_MARK = "SAGE-SET-UP"
_SMI_S = 25.0  # a loaded host needs more than ten seconds
_TORCH = (
    "import json,sys\n"
    "facts={'version':sys.version.split()[0],'executable':sys.executable,'modules':{}}\n"
    "from importlib import metadata\n"
    "for name,dist in (('torch','torch'),('torch_npu','torch-npu'),('numpy','numpy')):\n"
    "    try: facts['modules'][name]=metadata.version(dist)\n"
    "    except metadata.PackageNotFoundError: facts['modules'][name]=''\n"
    "print(json.dumps(facts))\n"
)


def facts(home: Home, request: Dict[str, Any]) -> Dict[str, Any]:
    """Everything the doctor asks for.

    Request fields: `python` (interpreter of the judge), `setup` (shell line run before, e.g. sourcing
    set_env.sh), `locks` (lock folder).
    """
    setup = str(request.get("setup") or "")
    loaded = _loaded(setup)
    return {
        "time": time.time(),
        "system": _system(),
        "job_server": {"python": platform.python_version(), "base": str(home.base)},
        "disk": {"base": disk_facts(home.base)},
        "file_system": _file_system(home.base),
        "compilers": {
            name: _first_line([name, "--version"])
            for name in _COMPILERS
            if shutil.which(name)
        },
        "python": _python(str(request.get("python") or "python3"), setup),
        "setup": loaded,
        "cann": _cann(loaded["home"]),
        "npu_smi": npu_smi(),
        "task_submit": task_submit(),
        "locks": _locks(Path(str(request.get("locks") or leases.DEFAULT_LOCKS))),
        "lingering": _lingering(),
    }


def task_submit() -> str:
    """Path of the program with which some sites hand out devices, empty where there is none."""
    return shutil.which("task-submit") or ""


def npu_smi() -> Dict[str, Any]:
    """Output of npu-smi, as it is; empty where there is none."""
    path = shutil.which("npu-smi") or next(
        iter(glob.glob("/usr/local/sbin/npu-smi")), ""
    )
    return {"path": path, "info": _output([path, "info"], _SMI_S) if path else ""}


def _output(command: List[str], limit_s: float) -> str:
    return run(command, limit_s)[1]


def _first_line(command: List[str]) -> str:
    return (_output(command, 10).splitlines() or [""])[0]


def _system() -> Dict[str, Any]:
    name = ""
    try:
        for line in Path("/etc/os-release").read_text().splitlines():
            if line.startswith("PRETTY_NAME="):
                name = line.partition("=")[2].strip('"')
    except OSError:
        name = platform.system()
    return {
        "name": name,
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "container": Path("/.dockerenv").exists() or "container" in os.environ,
        "bubblewrap": shutil.which("bwrap") or "",
        "landlock": _landlock(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
    }


def _landlock() -> int:
    """Version of the kernel's Landlock interface, 0 when it has none. Source: landlock_create_ruleset(2)."""
    import ctypes

    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)))


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def _file_system(path: Path) -> str:
    """Type of the file system of a folder, e.g. `nfs4`."""
    best, kind = "", "unknown"
    try:
        for line in Path("/proc/mounts").read_text().splitlines():
            fields = line.split()
            mount = fields[1]
            holds_path = (str(path) + "/").startswith(mount.rstrip("/") + "/")
            # The deepest mount counts, and of several on one folder the last.
            if holds_path and len(mount) >= len(best):
                best, kind = mount, fields[2]
    except OSError:
        return kind
    return kind


def _python(python: str, setup: str) -> Dict[str, Any]:
    line = "%s exec '%s' -c \"$SAGE_PROBE\"" % (setup + "\n" if setup else "", python)
    errors = ""
    try:
        process = subprocess.run(
            ["bash" if setup else "sh", "-c", line],
            env={**os.environ, "SAGE_PROBE": _TORCH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=30,
            check=False,
        )
        errors = process.stderr.decode("utf-8", "replace").strip()
        facts: Dict[str, Any] = json.loads(
            process.stdout.decode().strip().splitlines()[-1]
        )
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        problem = errors[-300:] or str(error)
        return {"error": problem, "executable": python, "version": "", "modules": {}}
    return facts


def _loaded(setup: str) -> Dict[str, str]:
    """After the host's set-up: where CANN and cmake are; what was said when it ended with an error."""
    tell = (
        'printf \'%%s\\n\' \'\' %s "$code" "$ASCEND_HOME_PATH" "$(command -v cmake)"'
        % _MARK
    )
    output = _output(["bash", "-c", "%s\ncode=$?\n%s" % (setup or ":", tell)], 30)
    before, mark, after = output.partition("\n%s\n" % _MARK)
    code, home, cmake = after.split("\n")[:3] if mark else ("", "", "")
    reason = "exit code %s" % code if code else "it ends the shell, or takes too long"
    problem = (
        ""
        if code == "0"
        else "%s (%s)" % (before.strip()[-300:] or "it says nothing", reason)
    )
    return {"problem": problem, "home": home, "cmake": cmake}


def _cann(home: str) -> Dict[str, str]:
    """Where CANN is, and the beginnings of the files that name its version and the driver's.

    The home that the host's set-up named comes first.
    """
    places = [
        home,
        os.environ.get("ASCEND_HOME_PATH", ""),
        os.environ.get("ASCEND_TOOLKIT_HOME", ""),
    ]
    places += ["/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann"]
    places += [
        str(Path.home() / "Ascend" / name) for name in ("ascend-toolkit/latest", "cann")
    ]
    facts = {"path": "", "version": "", "driver": ""}
    for place in places:
        if place and Path(place).is_dir():
            facts["path"] = place
            files = [
                Path(name)
                for name in sorted(
                    glob.glob(place + "/*-linux/ascend_toolkit_install.info")
                )
            ]
            files += [Path(place) / name for name in _VERSION_FILES]
            for text in map(_text, files):
                if text:
                    facts["version"] = " ".join(text.split())[:120]
                    break
            break
    facts["driver"] = " ".join(
        _text(Path("/usr/local/Ascend/driver/version.info")).split()
    )[:120]
    return facts


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _locks(folder: Path) -> Dict[str, Any]:
    """Whether the lock folder can be used by this user and others."""
    try:
        leases.prepare(folder)
    except leases.NoLease as error:
        return {"path": str(folder), "usable": False, "problem": str(error)}
    facts_of = folder.stat()
    usable = os.access(str(folder), os.W_OK | os.X_OK)
    shared = bool(facts_of.st_mode & 0o002)
    problem = "" if usable else "it is not writable for this user"
    if usable and not shared:
        problem = (
            "it is not writable for other users (mode %o): their jobs are not kept off"
            % (facts_of.st_mode & 0o7777)
        )
    kind = _file_system(folder)
    if kind.startswith("nfs") or kind in ("afs", "cifs", "fuse.sshfs"):
        problem = "it lies on %s, where locks are not dependable" % kind
    return {"path": str(folder), "usable": usable, "problem": problem}


def _lingering() -> str:
    """`yes`, `no` or `unknown`: whether processes of this user survive the end of its last session."""
    config = _text(Path("/etc/systemd/logind.conf"))
    kills = any(
        line.strip().lower().replace(" ", "")
        in ("killuserprocesses=yes", "killuserprocesses=true")
        for line in config.splitlines()
    )
    if not kills:
        return "yes"
    return "yes" if Path("/var/lib/systemd/linger", _user()).exists() else "no"
