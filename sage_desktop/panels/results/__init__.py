"""The metrics of the paper over finished trajectories."""
