"""The operators being worked on: list, progress, order."""
