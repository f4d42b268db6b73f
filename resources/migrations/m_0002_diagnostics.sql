-- Diagnostics as tools of the model.

CREATE TABLE diagnostic(                           -- asked for by the model within a round, costing none
  trajectory_uid TEXT NOT NULL REFERENCES trajectory(uid),
  round INTEGER NOT NULL,
  number INTEGER NOT NULL,                         -- 1, 2, ... within the round
  tool TEXT NOT NULL,
  test_case TEXT NOT NULL DEFAULT '',
  candidate TEXT NOT NULL REFERENCES candidate(digest),
  ok INTEGER NOT NULL,
  summary TEXT NOT NULL,
  result TEXT NOT NULL,                            -- blob sha256 of the whole DiagnosticResult as JSON
  seconds REAL NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (trajectory_uid, round, number)
) STRICT, WITHOUT ROWID;
