"""The settings dialog, made from one table."""
