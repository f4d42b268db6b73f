-- What a recording said of a round that is played again: its verdict and, beside R_t, ours.

-- uids our retrieval finds where a recording prescribes R_t, as a JSON list; empty where none does
ALTER TABLE round ADD COLUMN retrieved_here TEXT NOT NULL DEFAULT '';
-- how the round was judged when it was recorded, empty and NULL where that is not known
ALTER TABLE round ADD COLUMN recorded_verdict TEXT NOT NULL DEFAULT '';
ALTER TABLE round ADD COLUMN recorded_us REAL;
