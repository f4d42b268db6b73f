"""The SQLite workspace file: opening, schema, lock, transactions, content-addressed blobs."""
