-- Template and fields of texts that columns hold in English, so that a window can translate them.

CREATE TABLE sentence(text TEXT PRIMARY KEY, made TEXT NOT NULL) STRICT, WITHOUT ROWID;
