-- When a trajectory lay still: stopped, failed or just forked, and not yet taken up again.

CREATE TABLE pause(
  trajectory_uid TEXT NOT NULL REFERENCES trajectory(uid),
  began_at TEXT NOT NULL,
  ended_at TEXT,                                   -- NULL while it lies still
  PRIMARY KEY (trajectory_uid, began_at)
) STRICT, WITHOUT ROWID;
