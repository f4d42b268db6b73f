"""What a trajectory leaves in memory: experiences and rules."""
