"""How a workspace comes into a window: created, opened, backed up, one window for each."""
