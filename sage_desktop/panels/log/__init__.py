"""What the engine and the window report: a ring of records and the panel that lists them."""
