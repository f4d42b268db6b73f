"""Recorded runs: the session file, the recorder, and what plays one again."""
