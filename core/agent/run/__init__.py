"""What a trajectory works with: journal, records, limits, turns, stop rule."""
