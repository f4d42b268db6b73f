-- Diagnostics as tools of a person.

CREATE TABLE inquiry(                              -- a diagnostic a person asked for, outside any round
  id INTEGER PRIMARY KEY,
  candidate TEXT NOT NULL REFERENCES candidate(digest),
  tool TEXT NOT NULL,
  test_case TEXT NOT NULL DEFAULT '',
  judge TEXT NOT NULL,                             -- label of who answered: host and toolchain
  ok INTEGER NOT NULL,
  summary TEXT NOT NULL,
  result TEXT NOT NULL,                            -- blob sha256 of the whole DiagnosticResult as JSON
  seconds REAL NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX inquiry_by_candidate ON inquiry(candidate, id);
