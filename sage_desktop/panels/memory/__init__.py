"""The experiences: table, one item in full, hot memory, curation."""
