"""Kernels of a trajectory, any two versions side by side, with what was adopted and what the tools said."""
