"""What squeue says: which of our jobs it knows, their states, and how many go before them."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

FORMAT = "%i|%T|%Q|%P|%r|%j"
UNDER_WAY = (
    "CONFIGURING",
    "RUNNING",
    "SUSPENDED",
    "STOPPED",
    "SIGNALING",
    "STAGE_OUT",
    "RESIZING",
)
WAITING = (
    "PENDING",
    "REQUEUED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
    "SPECIAL_EXIT",
    "RESV_DEL_HOLD",
)


class Row(NamedTuple):
    """A job as squeue shows it; `ahead`: jobs of the partition that wait before it, None once it runs."""

    id: str
    state: str
    reason: str
    ahead: Optional[int]


class View(NamedTuple):
    """What squeue said last, and when it was asked. `rows` is None when it gave no answer."""

    asked_at: float
    rows: Optional[Dict[Tuple[str, str], Row]]
    problem: str


def read_rows(text: str) -> Dict[Tuple[str, str], Row]:
    """Jobs of ours by token and index, from what squeue prints; those of others count as ahead."""
    queue: Dict[str, List[Tuple[int, int, int, str]]] = {}
    rows: Dict[Tuple[str, str], Row] = {}
    places: Dict[str, Tuple[str, Tuple[int, int, int, str]]] = {}
    for line in text.splitlines():
        parts = line.split("|", 5)
        if len(parts) < 6:
            continue
        number, state, priority, partition, reason, name = parts
        base, _, index = number.partition("_")
        if state == "PENDING" and base.isdigit() and reason not in _OUT_OF_LINE:
            order = (
                -int(priority or 0),
                int(base),
                int(index or 0) if (index or "0").isdigit() else 0,
                number,
            )
            queue.setdefault(partition, []).append(order)
            places[number] = (partition, order)
        if name.startswith("sage-"):
            earlier = rows.get((name, index))
            if earlier is None or earlier.state not in UNDER_WAY:
                rows[name, index] = Row(
                    number, state, "" if reason == "None" else reason, None
                )
    # Within a partition Slurm starts the highest priority first, then the oldest job.
    for waiting in queue.values():
        waiting.sort()
    ranks: Dict[str, int] = {}
    for waiting in queue.values():
        for rank, (_priority, _job, _task, number) in enumerate(waiting):
            ranks[number] = rank
    return {key: row._replace(ahead=ranks.get(row.id)) for key, row in rows.items()}


_OUT_OF_LINE = (
    "Dependency",
    "DependencyNeverSatisfied",
    "JobHeldUser",
    "JobHeldAdmin",
    "BeginTime",
)


def rows_of(view: View, note: Dict[str, Any]) -> Tuple[Optional[Row], Optional[Row]]:
    """The job of a note and the one that builds for it, where squeue knows them."""
    if view.rows is None:
        return None, None
    index = str(note.get("index", ""))
    job = view.rows.get((str(note.get("token")), index))
    builder = view.rows.get((str(note.get("build_token")), index))
    return job, builder
