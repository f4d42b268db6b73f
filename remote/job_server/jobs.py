"""Requests about jobs. Starting twice runs once; looking from an old offset gives the same bytes again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from .home import Home, Refused, disk_facts, disk_refusal, read_json, remove, write_json
from .processes import boot_id, born, end_job
from .requests import FollowRequest, JobRequest, ReadRequest, StartRequest
from .slurm.sbatch import NOTE
from .slurm.site import SITE, STOPPED, running
from .store import lay_out, missing, touch_tree, tree_path
from .supervisor import END_BYTES, claim, cookie_of, launch

FINAL = (
    "done",
    "timeout",
    "cancelled",
    "no-lease",
    "not-started",
    "lost-reboot",
    "lost-killed",
    "lost-nostart",
    "lost-preempted",
    "lost-node",
    "absent",
)
_NOSTART_S = 20.0
_LOOKS_S = (0.02, 0.2)
_FRESH_S = 3.0
# What is new about a job that waits for Slurm comes from squeue, which is asked less
# often.
_QUEUED_S = 1.0
_KEEPER_PAUSE_S = 60.0
_KEEPERS: Dict[Tuple[str, ...], float] = {}  # when each was started last


def start(home: Home, request: StartRequest) -> Dict[str, Any]:
    """Prepare and launch a job; one that is there is left alone, or launched when it never was.

    Raises:
        Refused: `missing` with what is to be sent first; or the disk is full.
    """
    folder = home.job(request["job"])
    fresh = not folder.is_dir()
    if fresh:
        shas = missing(home, request["files"].values())
        trees = [
            digest
            for digest in request["trees"].values()
            if not touch_tree(home, digest)
        ]
        if shas or trees:
            raise Refused(
                "missing", "files are to be sent first", shas=shas, trees=trees
            )
        _prepare(home, folder, request)
    if not (folder / "supervisor.json").exists() and not (folder / "end.json").exists():
        if request.get("slurm"):
            if fresh:
                _submit(folder)
            return {"started": fresh}
        if request.get("keeper"):
            start_keeper(home, folder, request)
        launch(folder)
    return {"started": fresh}


def _submit(folder: Path) -> None:
    try:
        SITE.submit(folder)
    except Refused:
        # A job left behind would answer the next request as if Slurm had taken it.
        remove(folder)
        raise


def start_keeper(home: Home, folder: Path, request: StartRequest) -> None:
    """Start the warm helper process jobs of this kind share; one that is there makes a second one end itself.

    It belongs to no job, so it is started from here, away from all supervisors.
    """
    command = _filled(request["keeper"], home, folder, request["trees"])
    now = time.monotonic()
    if now - _KEEPERS.get(tuple(command), -_KEEPER_PAUSE_S) < _KEEPER_PAUSE_S:
        # Without a keeper jobs start their own judge, so a lost one can wait.
        return
    _KEEPERS[tuple(command)] = now
    env = _filled(request["env"], home, folder, request["trees"])
    subprocess.Popen(
        ["sh", "-c", '"$@" &', "sh", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
        cwd=str(home.base),
        env={**os.environ, **env},
    ).wait()


def _prepare(home: Home, folder: Path, request: StartRequest) -> None:
    """Make the folder of a job beside its place, then move it there in one step."""
    free = disk_facts(home.base)
    free_mb, free_inodes = free["free_bytes"] >> 20, free["free_inodes"]
    least_mb = int(request.get("min_free_mb", 64))
    # A negative number stands for a file system that tells none.
    if 0 <= free_mb < least_mb or 0 <= free_inodes < 100:
        text = "the disk of %s is full: %d MB and %d inodes are free, a job needs %d MB"
        what = text % (home.base, free_mb, free_inodes, least_mb)
        raise Refused("disk", what, full=True, **free)
    partial = home.jobs / (".new-%s" % uuid.uuid4().hex)
    try:
        (partial / "work").mkdir(mode=0o700, parents=True)
        lay_out(home, partial / "work", request["files"])
        # Ids follow from what is judged, so another folder of this machine may hold a job of the same id.
        cookie = "%s-%s" % (folder.name, uuid.uuid4().hex[:8])
        trees = request["trees"]
        spec: Dict[str, Any] = {
            **request,
            "work": str(folder / "work"),
            "cookie": cookie,
            "command": _filled(request["command"], home, folder, trees),
            "env": _filled(request["env"], home, folder, trees),
        }
        own = request.get("slurm")
        if own:
            builds = own.get("build_command") or []
            filled = _filled(builds, home, folder, trees)
            spec["slurm"] = {**own, "build_command": filled}
            write_json(partial / NOTE, {})
        write_json(partial / "spec.json", spec)
        (partial / "out").touch()
        # Room for the end is taken now: a disk that is full by then cannot lose it.
        with open(str(partial / "end.pre"), "wb") as file:
            file.write(b" " * END_BYTES)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.rename(str(partial), str(folder))
        except OSError:
            # The same request on another connection may have been faster.
            if not folder.is_dir():
                raise
    except OSError as error:
        raise disk_refusal(error, home.base) from error
    finally:
        remove(partial)


def _filled(value: Any, home: Home, folder: Path, trees: Dict[str, str]) -> Any:
    """Put this host's paths in place of their names."""
    if isinstance(value, list):
        return [_filled(part, home, folder, trees) for part in value]
    if isinstance(value, dict):
        return {
            name: _filled(part, home, folder, trees) for name, part in value.items()
        }
    text = (
        str(value)
        .replace("{work}", str(folder / "work"))
        .replace("{cache}", str(home.cache))
    )
    text = text.replace("{job_server}", sys.argv[0]).replace("{python}", sys.executable)
    for name, digest in trees.items():
        text = text.replace("{tree:%s}" % name, str(tree_path(home, digest)))
    return text


def follow(
    home: Home, request: FollowRequest, client_gone: Callable[[], bool]
) -> Tuple[Dict[str, Any], bytes]:
    """Wait up to `wait_s` for output beyond `offset`, another `mark` than `state`, or the end; then tell.

    The mark of a job is its state, and of one that waits for Slurm also why and behind how many.

    The reply's `offset` is where to look on from. A final state comes only once all output was handed out.
    """
    folder = home.job(request["job"])
    offset, limit = int(request["offset"]), int(request.get("limit", 1 << 20))
    last_mark = request.get("state")
    deadline = time.monotonic() + float(request.get("wait_s", 0))
    began = time.monotonic()
    while True:
        # The state is read before the output: with a final state the output is complete.
        state = state_of(folder)
        body = _read(folder / "out", offset, limit)
        final = state["state"] in FINAL
        state["mark"] = mark_of(state)
        if (
            body
            or final
            or state["mark"] != last_mark
            or time.monotonic() >= deadline
            or client_gone()
        ):
            break
        young = time.monotonic() - began <= _FRESH_S
        time.sleep(_QUEUED_S if state["state"] == "pending" else _LOOKS_S[not young])
    # More output may follow this piece; the last one brings the end.
    if final and len(body) == limit:
        state["state"] = state["mark"] = "running"
    return {**state, "offset": offset + len(body)}, body


def mark_of(state: Dict[str, Any]) -> str:
    """What of a state is worth telling again: of a place in a long queue only its order of magnitude."""
    ahead = state.get("ahead")
    place = ""
    if ahead is not None and ahead < 4:
        place = str(ahead)
    elif ahead is not None:
        place = str(1 << (int(ahead).bit_length() - 1))
    return " ".join((str(state["state"]), str(state.get("reason", "")), place)).strip()


def state_of(folder: Path) -> Dict[str, Any]:
    """Where a job stands. One without a supervisor is ended and called lost, never failed."""
    if not folder.is_dir():
        return {"state": "absent"}
    end: Optional[Dict[str, Any]] = read_json(folder / "end.json")
    if end is not None:
        return end if end["state"] != STOPPED else SITE.resolved(folder, end)
    who = read_json(folder / "supervisor.json")
    if (folder / NOTE).exists():
        return SITE.state(folder, claimed=who is not None)
    if who is None:
        age = time.time() - (folder / "spec.json").stat().st_mtime
        return {"state": "lost-nostart" if age > _NOSTART_S else "prepared"}
    if who["boot"] != boot_id():
        return {"state": "lost-reboot"}
    if born(who["pid"]) == who["born"]:
        return running(folder)
    # It may have ended between the two looks.
    late: Optional[Dict[str, Any]] = read_json(folder / "end.json")
    if late is not None:
        return late
    # Its supervisor is gone, so no one else would end what it started.
    end_job(cookie_of(folder, read_json(folder / "spec.json") or {}), 0, 0.0)
    return {"state": "cancelled" if (folder / "cancel").exists() else "lost-killed"}


def cancel(
    home: Home, request: JobRequest, client_gone: Callable[[], bool]
) -> Dict[str, Any]:
    """End a job with all its processes and wait until it has ended (10 s and its grace at most)."""
    folder = home.job(request["job"])
    if not folder.is_dir():
        return {"state": "absent"}
    try:
        (folder / "cancel").touch()
    except OSError as error:
        raise disk_refusal(error, folder) from error
    at_site = (folder / NOTE).exists()
    never_ran = read_json(folder / "supervisor.json") is None and claim_for_cancel(
        folder
    )
    if at_site:
        SITE.cancel(folder)
    if never_ran:
        return {"state": "cancelled"}
    spec = read_json(folder / "spec.json") or {}
    deadline = time.monotonic() + 10.0 + float(spec.get("grace_s", 0.5))
    while True:
        state = state_of(folder)
        if state["state"] in FINAL or time.monotonic() > deadline or client_gone():
            return state
        time.sleep(0.02)


def claim_for_cancel(folder: Path) -> bool:
    """Claim a job before any supervisor does, so that none will run it; false when one was faster."""
    if not claim(folder):
        return False
    write_json(
        folder / "end.json",
        {"state": "cancelled", "code": 143, "detail": "cancelled before it ran"},
    )
    return True


def forget(home: Home, request: JobRequest) -> Dict[str, Any]:
    """Remove an ended job; a running one stays."""
    folder = home.job(request["job"])
    if not folder.is_dir() or state_of(folder)["state"] not in FINAL:
        return {"removed": False}
    # A rename takes it out of sight at once, however long removing takes.
    away = home.incoming / ("gone-%s" % uuid.uuid4().hex)
    try:
        os.rename(str(folder), str(away))
    except OSError:
        return {"removed": False}
    remove(away)
    return {"removed": True}


def read(home: Home, request: ReadRequest) -> Tuple[Dict[str, Any], bytes]:
    """A piece of a file in a job's `work/`, with the size of the whole.

    Raises:
        Refused: There is no such file.
    """
    work = home.job(request["job"]) / "work"
    path = (work / request["path"]).resolve()
    if work.resolve() not in path.parents:
        raise Refused("bad-request", "%s is not in the job's folder" % request["path"])
    try:
        size = path.stat().st_size
    except OSError as error:
        raise Refused(
            "unknown", "%s: %s" % (request["path"], error.strerror)
        ) from error
    return {"size": size}, _read(path, int(request["offset"]), int(request["limit"]))


def listing(home: Home) -> List[Dict[str, Any]]:
    """All jobs with their states."""
    folders = [
        folder for folder in home.jobs.iterdir() if not folder.name.startswith(".")
    ]
    SITE.ask(folder for folder in folders if not (folder / "end.json").exists())
    return [{"job": folder.name, **state_of(folder)} for folder in folders]


def _read(path: Path, offset: int, limit: int) -> bytes:
    try:
        with open(str(path), "rb") as file:
            file.seek(offset)
            return file.read(limit)
    except OSError:
        return b""
