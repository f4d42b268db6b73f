-- Samples of adoption records and how people rated them.

CREATE TABLE audit_sample(                         -- adoption records drawn for a person to rate
  id INTEGER PRIMARY KEY,
  seed INTEGER NOT NULL,
  population INTEGER NOT NULL,                     -- records labelled adopted when it was drawn
  drawn_at TEXT NOT NULL
) STRICT;
CREATE TABLE audit_record(
  sample INTEGER NOT NULL REFERENCES audit_sample(id),
  place INTEGER NOT NULL,                          -- 1, 2, ... in the order drawn
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  round INTEGER NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id),
  rating TEXT NOT NULL DEFAULT '' CHECK (rating IN ('', 'full', 'partial', 'unrelated')),
  comment TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (sample, place)
) STRICT, WITHOUT ROWID;
