-- Find what a person tagged without reading every event.

CREATE INDEX memory_event_tag ON memory_event(item_id, seq) WHERE kind = 'tag';
