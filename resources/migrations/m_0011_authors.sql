-- Who shared an item of a team's memory first.

CREATE TABLE item_author(uid TEXT PRIMARY KEY, author TEXT NOT NULL) STRICT;
