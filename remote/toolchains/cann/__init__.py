"""Candidates built by CANN for a real NPU: the project, the commands, the environment they need."""
