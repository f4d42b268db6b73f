"""What a trajectory leaves in memory: experiences, rules, and what is mined from expert kernels."""
