"""The loop of the paper: trajectories of episodes, episodes of rounds."""
