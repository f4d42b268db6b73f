-- Everything the first release stores.

CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO meta VALUES ('seq', '0'), ('episodes_applied', '0'), ('session_id', '1'), ('index_seq', '0'),
  ('bank_id', lower(hex(randomblob(8))));
CREATE TABLE blob(sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE engine_owner(only_row INTEGER PRIMARY KEY CHECK (only_row = 1), host TEXT NOT NULL,
  pid INTEGER NOT NULL, since TEXT NOT NULL) STRICT;

-- the cold store C; residents of H are the rows with hot_region = 1
CREATE TABLE item(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  category TEXT NOT NULL,
  error_message TEXT NOT NULL DEFAULT '',
  code_diff TEXT NOT NULL DEFAULT '{}',            -- {"wrong_code": ..., "correct_code": ...}
  summary TEXT NOT NULL DEFAULT '',
  scope TEXT NOT NULL DEFAULT '{}',                -- {"soc": [...], "cann": [...], "dtype": [...]}
  origin TEXT NOT NULL DEFAULT 'user',             -- seed | distilled | mined | user | import
  source TEXT NOT NULL DEFAULT '',                 -- where it comes from, for a reader
  state TEXT NOT NULL DEFAULT 'active'
    CHECK (state IN ('pending', 'active', 'quarantined', 'disabled', 'archived')),
  sigma TEXT NOT NULL DEFAULT 'normal' CHECK (sigma IN ('normal', 'validated', 'consolidated')),
  u_m REAL NOT NULL DEFAULT 0.0,
  n_ret INTEGER NOT NULL DEFAULT 0,
  n_ado INTEGER NOT NULL DEFAULT 0,
  rule_text TEXT NOT NULL DEFAULT '',
  rule_example TEXT NOT NULL DEFAULT '',
  auto_title INTEGER NOT NULL DEFAULT 0,           -- 1: the title serves as the rule, no model wrote one
  L_m INTEGER NOT NULL DEFAULT 0,                  -- tokens of the rendered rule line
  tokenizer_id TEXT NOT NULL DEFAULT '',
  hot_region INTEGER NOT NULL DEFAULT 0,
  hot_admitted_seq INTEGER,                        -- admission order, for a byte-stable hot block
  hot_last_used_episode INTEGER,                   -- seq of the episode
  ever_hot INTEGER NOT NULL DEFAULT 0,             -- once promoted, p_hat stays an EMA
  p_hat_ema REAL,                                  -- the EMA; NULL until first promoted
  elig_acc INTEGER NOT NULL DEFAULT 0,             -- eligible episodes up to elig_mark
  elig_mark INTEGER,                               -- episode count when eligibility last began; NULL: not now
  elig_since_seq INTEGER NOT NULL DEFAULT 0,       -- seq at which it began; earlier episodes do not count
  elig_foreign TEXT NOT NULL DEFAULT '{}',         -- part of elig_acc counted elsewhere: {"bank id": n}
  pinned INTEGER NOT NULL DEFAULT 0,
  barred INTEGER NOT NULL DEFAULT 0,               -- never admitted to H
  state_reason TEXT NOT NULL DEFAULT '',           -- why it is pending, quarantined, disabled or archived
  superseded_by INTEGER REFERENCES item(id),       -- set by a merge
  rev INTEGER NOT NULL DEFAULT 0,                  -- seq of the event that wrote the content
  created_seq INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  content_hash TEXT NOT NULL
) STRICT;
CREATE INDEX item_by_state ON item(state, rev);
CREATE INDEX item_with_evidence ON item(n_ado) WHERE n_ado > 0;
CREATE INDEX item_with_rule ON item(id) WHERE rule_text <> '';
CREATE INDEX item_was_hot ON item(ever_hot) WHERE ever_hot = 1;
CREATE INDEX item_by_eligibility ON item(elig_since_seq);
CREATE INDEX item_resident ON item(hot_region) WHERE hot_region = 1;
-- the sparse index: one document per active item and revision; postings are arrays of documents and counts
CREATE TABLE document(doc INTEGER PRIMARY KEY, item_id INTEGER NOT NULL UNIQUE REFERENCES item(id),
  rev INTEGER NOT NULL, length INTEGER NOT NULL) STRICT;
CREATE TABLE posting(term TEXT PRIMARY KEY, docs BLOB NOT NULL, counts BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE item_operator(item_id INTEGER NOT NULL REFERENCES item(id), operator TEXT NOT NULL,
  first_seq INTEGER NOT NULL, PRIMARY KEY (item_id, operator)) STRICT, WITHOUT ROWID;
-- what was written to an item and when: a set that only grows, so that memories can be merged by union
CREATE TABLE content_change(item_id INTEGER NOT NULL REFERENCES item(id), at TEXT NOT NULL,
  fields TEXT NOT NULL, PRIMARY KEY (item_id, at, fields)) STRICT, WITHOUT ROWID;
-- names of items that were merged into one before they came here
CREATE TABLE item_alias(uid TEXT PRIMARY KEY,
  item_id INTEGER NOT NULL REFERENCES item(id)) STRICT, WITHOUT ROWID;
-- credit earned in memories that were merged into this one
CREATE TABLE foreign_episode(uid TEXT PRIMARY KEY, finished_at TEXT NOT NULL,
  data TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE memory_event(seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, item_id INTEGER REFERENCES item(id),
  payload TEXT NOT NULL DEFAULT '{}', inverse TEXT NOT NULL DEFAULT '{}', actor TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, undone_by INTEGER) STRICT;
CREATE TABLE embedding(item_id INTEGER NOT NULL REFERENCES item(id), model_id TEXT NOT NULL,
  text_hash TEXT NOT NULL, dim INTEGER NOT NULL, vec BLOB NOT NULL,
  PRIMARY KEY (item_id, model_id)) STRICT, WITHOUT ROWID;

-- trajectories: corr episode then opt episode of one operator
CREATE TABLE queue_entry(
  id INTEGER PRIMARY KEY,
  operator TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'catalogue',        -- catalogue, or the folder of a user's own operator
  label TEXT NOT NULL DEFAULT '',
  position REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  reason TEXT NOT NULL DEFAULT '',
  cancel_requested INTEGER NOT NULL DEFAULT 0,     -- set by a reader process; the engine obeys
  trajectory_uid TEXT,
  enqueued_at TEXT NOT NULL
) STRICT;
CREATE TABLE trajectory(
  uid TEXT PRIMARY KEY,
  queue_id INTEGER REFERENCES queue_entry(id),
  operator TEXT NOT NULL,
  operator_digest TEXT NOT NULL,
  parameters TEXT NOT NULL,                        -- method parameters as JSON, stored with every trajectory
  provider TEXT NOT NULL,
  provider_origin TEXT NOT NULL,
  evaluator TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'finished', 'cancelled', 'void')),
  stop_reason TEXT NOT NULL DEFAULT '',
  rounds_used INTEGER NOT NULL DEFAULT 0,
  t_first REAL,
  t_best REAL,
  latency_origin TEXT NOT NULL DEFAULT '',
  first_correct_round INTEGER,
  best_round INTEGER,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE TABLE episode(
  uid TEXT PRIMARY KEY,
  seq INTEGER UNIQUE,                              -- set when applied
  trajectory_uid TEXT NOT NULL REFERENCES trajectory(uid),
  operator TEXT NOT NULL,
  objective TEXT NOT NULL CHECK (objective IN ('corr', 'opt')),
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'applied', 'void')),
  t_first REAL,
  t_best REAL,
  z REAL,
  parameters TEXT NOT NULL,
  memory_seq_at_start INTEGER NOT NULL,
  hot_snapshot_seq INTEGER,
  hot_block TEXT NOT NULL,                         -- blob sha256 of the rendered H, frozen for the episode
  residents TEXT NOT NULL DEFAULT '[]',            -- uids in the order of the block
  effect TEXT NOT NULL DEFAULT '{}',               -- {"validated": [uid], "promoted": [], "demoted": []}
  started_at TEXT NOT NULL,
  finished_at TEXT,
  void_reason TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX episode_by_trajectory ON episode(trajectory_uid);
CREATE TABLE candidate(digest TEXT PRIMARY KEY,
  files TEXT NOT NULL                              -- {"path": blob sha256}
) STRICT;
CREATE TABLE round(
  trajectory_uid TEXT NOT NULL REFERENCES trajectory(uid),
  round INTEGER NOT NULL,
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  step TEXT NOT NULL CHECK (step IN ('started', 'diagnosed', 'retrieved', 'replied', 'gated', 'evaluated')),
  diagnosis TEXT NOT NULL DEFAULT '',
  query TEXT NOT NULL DEFAULT '',
  candidate TEXT REFERENCES candidate(digest),
  verdict TEXT NOT NULL DEFAULT '',
  cause TEXT NOT NULL DEFAULT '',
  latency_us REAL,
  latency_origin TEXT NOT NULL DEFAULT '',
  evaluation TEXT,                                 -- blob sha256 of the whole Evaluation as JSON
  retrieval_pinned INTEGER NOT NULL DEFAULT 0,     -- 1: R_t came from a recording
  started_at TEXT NOT NULL,
  finished_at TEXT,
  PRIMARY KEY (trajectory_uid, round)
) STRICT, WITHOUT ROWID;
CREATE TABLE model_call(
  id INTEGER PRIMARY KEY,
  trajectory_uid TEXT REFERENCES trajectory(uid),
  round INTEGER NOT NULL,
  purpose TEXT NOT NULL,
  subject TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  prompt TEXT NOT NULL,                            -- blob sha256 of the messages as JSON
  reply TEXT NOT NULL,                             -- blob sha256
  reasoning TEXT NOT NULL DEFAULT '',              -- blob sha256 or empty
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  cached_tokens INTEGER,
  seconds REAL NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX model_call_by_round ON model_call(trajectory_uid, round);
CREATE TABLE trace(                                -- adoption records, one per retrieved item and round
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  round INTEGER NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id),
  rank INTEGER NOT NULL,
  rank_before INTEGER,                             -- by relevance alone; NULL when R_t was pinned
  coverage REAL,
  cosine REAL,
  s_rel REAL,
  u_at REAL NOT NULL,
  s REAL,
  state TEXT NOT NULL DEFAULT 'unresolved' CHECK (state IN ('adopted', 'not_adopted', 'unresolved')),
  rationale TEXT NOT NULL DEFAULT '',
  counted INTEGER NOT NULL DEFAULT 0,              -- 1: its round reached an evaluation, it earned credit
  PRIMARY KEY (episode_uid, round, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trace_by_item ON trace(item_id);
CREATE TABLE hot_use(
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  round INTEGER NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id),
  rationale TEXT NOT NULL,
  counted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (episode_uid, round, item_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE credit_event(
  seq INTEGER NOT NULL,
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  item_id INTEGER NOT NULL REFERENCES item(id),
  rule TEXT NOT NULL,
  adopted INTEGER NOT NULL,
  xi REAL NOT NULL,
  eta REAL NOT NULL,
  u_before REAL NOT NULL,
  u_after REAL NOT NULL,
  PRIMARY KEY (episode_uid, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX credit_by_item ON credit_event(item_id, seq);
CREATE TABLE hot_snapshot(
  seq INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  budget INTEGER NOT NULL,
  n_ops INTEGER NOT NULL,
  tokens INTEGER NOT NULL,                         -- Tok(H) of the rendered block
  episode_uid TEXT REFERENCES episode(uid),
  completes INTEGER NOT NULL DEFAULT 0,            -- 1: the episode was the last of its trajectory
  hot_entries TEXT NOT NULL                        -- [{"id","title","c_tokens","u","p_hat","density"}]
) STRICT;
CREATE TABLE job(                                  -- persisted model jobs: abstraction, distillation
  uid TEXT PRIMARY KEY,                            -- purpose + item or trajectory uid: idempotent
  purpose TEXT NOT NULL,
  subject TEXT NOT NULL,
  episode_uid TEXT,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
  detail TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

-- the views below are for people with sqlite3, sqlite-utils or Datasette; names are the paper's
CREATE VIEW memory_statistics AS SELECT id, CASE WHEN elig_mark IS NULL THEN elig_acc ELSE elig_acc + MAX(0,
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'episodes_applied') - elig_mark) END AS n_elig
  FROM item;
CREATE VIEW memory_item AS SELECT item.id, uid, title, type, category, error_message, code_diff, summary, u_m,
    n_ret, n_ado, (SELECT json_group_array(operator) FROM (SELECT operator FROM item_operator AS o
      WHERE o.item_id = item.id
      ORDER BY first_seq, operator)) AS adopted_operators, sigma, L_m, hot_region, hot_last_used_episode,
    COALESCE(p_hat_ema, MIN(1.0, CAST(n_ret AS REAL) / MAX(1, n_elig))) AS p_hat, n_elig,
    CASE WHEN L_m > 0 THEN u_m * COALESCE(p_hat_ema, MIN(1.0, CAST(n_ret AS REAL) / MAX(1, n_elig))) / L_m
      ELSE 0.0 END AS density, rule_text, state, pinned, barred, origin, source, created_at
  FROM item JOIN memory_statistics USING (id);
CREATE VIEW credit_history AS SELECT c.seq, item.uid AS item, item.title, e.operator, e.objective, c.rule,
    c.adopted, e.z, c.xi, c.eta, c.u_before, c.u_after, e.finished_at AS at, c.episode_uid
  FROM credit_event AS c JOIN item ON item.id = c.item_id JOIN episode AS e ON e.uid = c.episode_uid;
CREATE VIEW adoption_record AS SELECT e.operator, e.objective, t.round, t.rank, item.uid AS item, item.title,
    t.s_rel, t.u_at, t.s, t.state, t.rationale, t.counted, t.episode_uid
  FROM trace AS t JOIN item ON item.id = t.item_id JOIN episode AS e ON e.uid = t.episode_uid;
