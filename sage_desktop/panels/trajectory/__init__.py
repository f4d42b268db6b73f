"""The rounds of a trajectory as a time line."""
