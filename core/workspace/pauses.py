"""When a trajectory lay still: time that is no work on it.

A process that was killed stores no stop; then the trajectory has lain still since the
last step that was stored.
"""

from __future__ import annotations

import sqlite3

# of a trajectory `t`: ISO time of the last thing stored of its work, or when it was
# taken up again
LAST_STEP = """
max(t.started_at,
  coalesce((SELECT max(max(r.started_at, coalesce(r.finished_at, ''))) FROM round r
    WHERE r.trajectory_uid = t.uid), ''),
  coalesce((SELECT max(c.at) FROM model_call c WHERE c.trajectory_uid = t.uid), ''),
  coalesce((SELECT max(p.ended_at) FROM pause p WHERE p.trajectory_uid = t.uid), ''))
"""
# of a trajectory `t`: ISO time since when it lies still; NULL while it is in work, and
# where it could not be stored that it stopped
LIES_STILL_SINCE = """
(SELECT p.began_at FROM pause p WHERE p.trajectory_uid = t.uid AND p.ended_at IS NULL)
"""
# of a trajectory `t`: seconds it lay still before it went on or ended
PAUSED_S = """
coalesce((SELECT sum(julianday(coalesce(p.ended_at, t.finished_at)) - julianday(p.began_at))
  FROM pause p WHERE p.trajectory_uid = t.uid) * 86400, 0.0)
"""


def paused_before(db: sqlite3.Connection, trajectory: str, moment: str) -> float:
    """Seconds a trajectory had lain still before an ISO time."""
    row = db.execute(
        "SELECT coalesce(sum(julianday(ended_at) - julianday(began_at)) * 86400, 0.0) "
        "FROM pause WHERE trajectory_uid = ? AND ended_at <= ?",
        (trajectory, moment),
    ).fetchone()
    return float(row[0])


def pause(db: sqlite3.Connection, trajectory: str) -> None:
    """Store that work on an open trajectory pauses from now on; harmless when it is stored."""
    from core.workspace import now

    db.execute(
        "INSERT INTO pause(trajectory_uid, began_at) SELECT t.uid, ? FROM trajectory t "
        f"WHERE t.uid = ? AND t.state = 'open' AND {LIES_STILL_SINCE} IS NULL",
        (now(), trajectory),
    )


def resume(db: sqlite3.Connection, trajectory: str) -> None:
    """Store that an open trajectory is in work again."""
    from core.workspace import now

    db.execute(
        "INSERT INTO pause(trajectory_uid, began_at) "
        f"SELECT t.uid, {LAST_STEP} FROM trajectory t "
        f"WHERE t.uid = ? AND {LIES_STILL_SINCE} IS NULL",
        (trajectory,),
    )
    db.execute(
        "UPDATE pause SET ended_at = ? WHERE trajectory_uid = ? AND ended_at IS NULL",
        (now(), trajectory),
    )
