-- What the model looked up, and which references a trajectory could read.

CREATE TABLE look_up(                              -- asked for by the model within a round, costing none
  trajectory_uid TEXT NOT NULL REFERENCES trajectory(uid),
  round INTEGER NOT NULL,
  number INTEGER NOT NULL,                         -- of the exchange within the round, diagnostics included
  queries TEXT NOT NULL,                           -- JSON list, as asked
  answer TEXT NOT NULL,                            -- blob sha256 of what the model was told
  references_digest TEXT NOT NULL,                 -- sha256 over all that could be looked up
  at TEXT NOT NULL,
  PRIMARY KEY (trajectory_uid, round, number)
) STRICT, WITHOUT ROWID;
-- sha256 over all the model may read beside memory; empty in what older releases stored
ALTER TABLE trajectory ADD COLUMN references_digest TEXT NOT NULL DEFAULT '';
