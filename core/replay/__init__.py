"""Recorded runs: the session file, the recorder, and the provider and memory order that play one again."""
