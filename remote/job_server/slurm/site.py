"""Jobs of a site whose devices belong to Slurm: sent as arrays, seen by one squeue for all, ended by scancel.

The job's own files are the truth: who runs it has claimed it, `alive` changes while it runs, `end.json` is
its end. What Slurm says decides only what no file tells. A job is known by a token of ours, its name in
Slurm, beside Slurm's id: a controller that is killed forgets ids and gives them out again. That squeue cannot
be asked means nothing about a job. Seen with Slurm 22.05.
"""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from ..home import Refused, read_json, write_json
from .sbatch import NOTE, last_line, run, submit_array
from .squeue import FORMAT, UNDER_WAY, WAITING, Row, View, read_rows, rows_of

ALIVE = "alive"
# End of a job that Slurm asked to end; why is in squeue.
STOPPED = "stopped"
# The claim of the job that builds on a CPU partition.
BUILDER = "builder.json"
# Submissions that come within it share an array.
_GATHER_S = 0.1
_MOST_ARRAY = 100
_LEAST_PAUSE_S = 1.0  # between calls of squeue, and
_SHARE = 20.0  # times as long as the last one took
_RETRY_S = 5.0
# For what a job wrote to be seen after Slurm says it ended.
_SETTLED_S = 3.0
# Without a sign of life, of a job Slurm calls ended.
_SILENT_S = 8.0
_FORGOTTEN_S = 30.0  # of one Slurm does not know
_LOST = {
    "PREEMPTED": ("lost-preempted", ""),
    "NODE_FAIL": ("lost-node", ""),
    "BOOT_FAIL": ("lost-node", "It did not start."),
    "TIMEOUT": ("timeout", "It reached the time limit of its partition."),
    "DEADLINE": ("timeout", "It reached its deadline."),
    "OUT_OF_MEMORY": (
        "lost-killed",
        "The job needed more memory than Slurm gave it (--mem).",
    ),
    "CANCELLED": ("lost-killed", "Somebody ended the job with scancel."),
}


class _Waiting(NamedTuple):
    folder: Path
    sent: threading.Event
    problem: List[Exception]


class Slurm:
    """The site as one serving process sees it; its methods may be called by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: List[_Waiting] = []
        self._sending = False
        self._view = View(-1e9, None, "")
        self._looking = False
        self._pause_s = 0.0
        self._partitions: Dict[str, None] = {}
        self._retry_at: Dict[str, float] = {}
        self._signs: Dict[str, Tuple[bytes, float]] = {}
        self._ended: Dict[str, float] = {}

    # ---- submitting

    def submit(self, folder: Path) -> None:
        """Hand a prepared job to Slurm, with others that are handed over at the same time.

        A Slurm that cannot take it now is asked again while a client follows the job.

        Raises:
            Refused: Slurm will not take it, with its words.
        """
        own = _Waiting(folder, threading.Event(), [])
        with self._lock:
            self._waiting.append(own)
            leads = not self._sending
            self._sending = True
        if leads:
            time.sleep(_GATHER_S)
            self._send_all()
        own.sent.wait()
        if own.problem:
            raise own.problem[0]

    def _send_all(self) -> None:
        """Submit all that wait, those that came meanwhile too."""
        while True:
            with self._lock:
                every, self._waiting = self._waiting, []
                self._sending = bool(every)
            if not every:
                return
            # Tasks of one array share options and time limit.
            groups: Dict[str, List[_Waiting]] = {}
            for one in every:
                spec = read_json(one.folder / "spec.json") or {}
                alike = repr((spec.get("slurm"), spec.get("time_limit_s")))
                groups.setdefault(alike, []).append(one)
            for group in groups.values():
                for start in range(0, len(group), _MOST_ARRAY):
                    self._send(group[start : start + _MOST_ARRAY])

    def _send(self, group: List[_Waiting]) -> None:
        try:
            submit_array([one.folder for one in group])
        except Exception as error:  # noqa: BLE001 - told to each who waits
            for one in group:
                one.problem.append(error)
        for one in group:
            self._retry_at[one.folder.name] = time.monotonic() + _RETRY_S
            one.sent.set()

    # ---- looking

    def state(self, folder: Path, claimed: bool) -> Dict[str, Any]:
        """Where a job without an end stands; one that Slurm ended or forgot is given its end here."""
        job, now = folder.name, time.monotonic()
        note = read_json(folder / NOTE) or {}
        view = self.view(str(note.get("partitions", "")))
        row, builds = rows_of(view, note)
        if claimed:
            if self._silence(folder, now) < (
                _FORGOTTEN_S if row is None else _SILENT_S
            ):
                self._ended.pop(job, None)
                return running(folder)
            if view.rows is None or (row is not None and row.state in UNDER_WAY):
                return running(folder)
            return _end(
                folder, row, builds, "The job no longer shows any sign of life."
            )
        if view.rows is None:
            why = view.problem and f"Slurm does not answer: {view.problem}"
            return {"state": "pending", "reason": why}
        if not note.get("id"):
            return self._without_id(folder, note, row, view)
        first = (
            builds
            if builds is not None and builds.state in WAITING + UNDER_WAY
            else row
        )
        if row is not None and row.state in WAITING + UNDER_WAY and first is not None:
            self._ended.pop(job, None)
            if first.state in UNDER_WAY:
                return {"state": "building" if first is builds else "starting"}
            return {"state": "pending", "reason": first.reason, "ahead": first.ahead}
        since = self._ended.setdefault(job, now)
        if now - since < _SETTLED_S or view.asked_at <= since:
            return {"state": "pending", "reason": ""}
        return _end(folder, row, builds, "Slurm no longer knows the job.")

    def _without_id(
        self, folder: Path, note: Dict[str, Any], row: Optional[Row], view: View
    ) -> Dict[str, Any]:
        """A job whose id never arrived: squeue finds it by its token, or it is submitted once more."""
        retry_at = self._retry_at.setdefault(folder.name, time.monotonic() + _RETRY_S)
        if row is not None:
            note["id"] = row.id.partition("_")[0]
            write_json(folder / NOTE, note)
        elif time.monotonic() >= retry_at and view.asked_at > retry_at - _RETRY_S:
            try:
                # Should the other one come up after all, one of both finds the job
                # claimed.
                self.submit(folder)
            except Refused as refused:
                return write_end(folder, "not-started", str(refused))
        return {"state": "pending", "reason": str(note.get("why", ""))}

    def resolved(self, folder: Path, end: Dict[str, Any]) -> Dict[str, Any]:
        """The end of a job that Slurm stopped, with the reason once squeue was asked after that."""
        note, now = read_json(folder / NOTE) or {}, time.monotonic()
        view = self.view(str(note.get("partitions", "")))
        since = self._ended.setdefault(folder.name, now)
        if view.asked_at <= since and now - since < _FORGOTTEN_S:
            return {"state": "running", "device": end.get("device", "")}
        row, _ = rows_of(view, note)
        return _end(folder, row, None, "The job was ended on its node.")

    def _silence(self, folder: Path, now: float) -> float:
        """Seconds since a job's sign of life changed, by this process's own clock."""
        try:
            sign = (folder / ALIVE).read_bytes()
        except OSError:
            sign = b""
        last_sign = self._signs.get(folder.name)
        if last_sign is None or last_sign[0] != sign:
            last_sign = self._signs[folder.name] = (sign, now)
        return now - last_sign[1]

    def view(self, partitions: str) -> View:
        """What squeue said last; it is asked again beside this when that is due, by one thread for all."""
        with self._lock:
            self._partitions[partitions] = None
            view, now = self._view, time.monotonic()
            due = now - view.asked_at >= self._pause_s and not self._looking
            if due:
                self._looking = True
        if due:
            threading.Thread(target=self._look, daemon=True).start()
        return view

    def ask(self, folders: Iterable[Path]) -> None:
        """Ask squeue now, for a list of all jobs; nothing is asked where no job is Slurm's."""
        notes = [note for folder in folders if (note := read_json(folder / NOTE))]
        with self._lock:
            self._partitions.update({str(note["partitions"]): None for note in notes})
        if notes:
            self._look()

    def _look(self) -> None:
        """Ask squeue, and less often the longer it takes: a loaded controller is spared."""
        began = time.monotonic()
        command = ["squeue", "-h", "-r", "-t", "all", "-o", FORMAT]
        # One job without a partition makes all of them of interest.
        if "" not in self._partitions:
            command += ["-p", ",".join(sorted(self._partitions))]
        code, output = run(command)
        took = time.monotonic() - began
        rows = read_rows(output) if code == 0 else None
        with self._lock:
            self._view = View(
                began, rows, "" if rows is not None else last_line(output)
            )
            self._pause_s = max(
                _LEAST_PAUSE_S, _SHARE * took if code == 0 else _RETRY_S
            )
            self._looking = False

    # ---- ending

    def cancel(self, folder: Path) -> None:
        """Cancel a job in Slurm; the name keeps scancel from another job that got the same id."""
        note = read_json(folder / NOTE) or {}
        for token, number in (
            (note.get("token"), note.get("id")),
            (note.get("build_token"), note.get("build_id")),
        ):
            if token and number:
                run(
                    [
                        "scancel",
                        "--quiet",
                        "--name=%s" % token,
                        "%s_%s" % (number, note["index"]),
                    ]
                )


SITE = Slurm()


def running(folder: Path) -> Dict[str, Any]:
    """The state of a job under a supervisor, as that last wrote it."""
    phase = read_json(folder / "phase") or {"phase": "starting"}
    return {"state": phase["phase"], "device": phase.get("device", "")}


def _end(
    folder: Path, row: Optional[Row], builds: Optional[Row], otherwise: str
) -> Dict[str, Any]:
    """Write the end of a job that has no supervisor to do so, and keep it from running later."""
    ends = [one for one in (row, builds) if one is not None and one.state in _LOST]
    last_row = ends[0] if ends else row
    claimed = (folder / "supervisor.json").exists()
    state, why = "lost-killed" if claimed else "lost-nostart", otherwise
    if last_row is not None:
        unknown = f"Slurm calls the job {last_row.state} ({last_row.reason})."
        state, why = _LOST.get(last_row.state, (state, unknown))
    output = "" if claimed else _script_output(folder)
    if (folder / "cancel").exists():
        state, why = "cancelled", ""
    with contextlib.suppress(OSError):
        # Should the job start after all, it sees this file and ends itself.
        (folder / "cancel").touch()
    return write_end(folder, state, why, output)


def _script_output(folder: Path) -> str:
    """What the script printed on the node when it could not even begin."""
    note = read_json(folder / NOTE) or {}
    try:
        text = (
            folder.parent.parent
            / "slurm"
            / ("%s-%s.log" % (note["token"], note["index"]))
        ).read_text()
    except (OSError, KeyError):
        return ""
    return last_line(text)[:300] if text.strip() else ""


def write_end(
    folder: Path, state: str, detail: str, script_output: str = ""
) -> Dict[str, Any]:
    """Write how a job ended and what its script printed, unless it has written that itself meanwhile."""
    own = read_json(folder / "end.json")
    if own is not None and own["state"] != STOPPED:
        facts: Dict[str, Any] = own
        return facts
    end = {
        "state": state,
        "code": 143,
        "detail": detail[:1000],
        "said": script_output,
        "ended": time.time(),
        "device": "",
    }
    write_json(folder / "end.json", end)
    return end
