"""Who writes the kernels: profiles, choice, checks, and what they cost."""
