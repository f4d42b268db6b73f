-- Find what was merged into an item without reading all of them, once for each.

CREATE INDEX item_merged ON item(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX item_alias_of ON item_alias(item_id);
