-- A person's demotions hold, unstated use does not count, one access frequency.

-- seq of the event by which a person demoted the rule; NULL once it is resident again (docs/method.md, H′)
ALTER TABLE item ADD COLUMN demoted_seq INTEGER;
CREATE INDEX item_demoted ON item(demoted_seq) WHERE demoted_seq IS NOT NULL;
-- 1: the reply said which resident rules it used, if any; 0: it did not say; NULL: it was not asked
ALTER TABLE round ADD COLUMN residents_stated INTEGER;
-- 1: every counted round said so; 0: not all, or none counted; NULL: before, silence counted as none
ALTER TABLE episode ADD COLUMN residents_stated INTEGER;
CREATE INDEX episode_by_start ON episode(started_at);
DROP VIEW memory_item;
DROP VIEW memory_statistics;
-- p_hat counts what `frequency_counts` of the latest episode says
CREATE VIEW memory_statistics AS SELECT id, n_elig, COALESCE(p_hat_ema, MIN(1.0, CAST(CASE
      (SELECT json_extract(parameters, '$.frequency_counts') FROM episode
        ORDER BY started_at DESC, rowid DESC LIMIT 1)
      WHEN 'adopted' THEN n_ado ELSE n_ret END AS REAL) / MAX(1, n_elig))) AS p_hat
  FROM (SELECT id, p_hat_ema, n_ret, n_ado, CASE WHEN elig_mark IS NULL THEN elig_acc ELSE elig_acc + MAX(0,
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'episodes_applied') - elig_mark) END AS n_elig
    FROM item);
CREATE VIEW memory_item AS SELECT item.id, uid, title, type, category, error_message, code_diff, summary, u_m,
    n_ret, n_ado, (SELECT json_group_array(operator) FROM (SELECT operator FROM item_operator AS o
      WHERE o.item_id = item.id
      ORDER BY first_seq, operator)) AS adopted_operators, sigma, L_m, hot_region, hot_last_used_episode,
    p_hat, n_elig, CASE WHEN L_m > 0 THEN u_m * p_hat / L_m ELSE 0.0 END AS density,
    rule_text, state, pinned, barred, origin, source, created_at, demoted_seq
  FROM item JOIN memory_statistics USING (id);
