"""What a trajectory works with and keeps: the journal, its records, limits, turns and the stop rule."""
