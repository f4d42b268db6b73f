-- Comments of reviewers, and candidates they accept or reject.

CREATE TABLE candidate_review(                     -- what a person said; the last row of a candidate holds
  id INTEGER PRIMARY KEY,
  candidate TEXT NOT NULL REFERENCES candidate(digest),
  decision TEXT NOT NULL CHECK (decision IN ('open', 'accepted', 'rejected')),
  comment TEXT NOT NULL DEFAULT '',
  actor TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX review_by_candidate ON candidate_review(candidate, id);
