"""The loop of the paper: a trajectory of episodes, an episode of rounds, every step stored before the next."""
