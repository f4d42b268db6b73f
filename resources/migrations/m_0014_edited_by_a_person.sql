-- Rounds a person wrote, trajectories forked from others, and what an adoption was worth.

-- who wrote the candidate: `model` is whoever the trajectory names, `person` edited it by hand
ALTER TABLE round ADD COLUMN author TEXT NOT NULL DEFAULT 'model' CHECK (author IN ('model', 'person'));
-- the trajectory whose rounds it begins with, up to the number beside; empty for one of a model alone
ALTER TABLE trajectory ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';
ALTER TABLE trajectory ADD COLUMN forked_round INTEGER NOT NULL DEFAULT 0;
-- a trajectory a person edited earns no credit, whatever program closes its episodes
CREATE TRIGGER edited_earns_nothing BEFORE UPDATE OF status ON episode
WHEN NEW.status = 'applied' AND OLD.status <> 'applied'
  AND (SELECT forked_from FROM trajectory WHERE uid = NEW.trajectory_uid) <> ''
BEGIN SELECT RAISE(ABORT, 'a trajectory that a person edited earns no credit'); END;
CREATE TABLE worth(                                -- an adopted experience's hunk taken out, timed again
  id INTEGER PRIMARY KEY,
  episode_uid TEXT NOT NULL,
  round INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  removed TEXT NOT NULL DEFAULT '',                -- the lines as a patch of the round's candidate
  candidate TEXT REFERENCES candidate(digest),     -- without them; NULL where they could not be taken out
  with_verdict TEXT NOT NULL DEFAULT '',
  without_verdict TEXT NOT NULL DEFAULT '',
  with_us REAL,
  without_us REAL,
  latency_origin TEXT NOT NULL DEFAULT '',
  judge TEXT NOT NULL DEFAULT '',
  why_not TEXT NOT NULL DEFAULT '',                -- why there is no answer, empty when there is one
  at TEXT NOT NULL,
  FOREIGN KEY (episode_uid, round, item_id) REFERENCES trace(episode_uid, round, item_id)
) STRICT;
CREATE INDEX worth_of_item ON worth(item_id, id);
