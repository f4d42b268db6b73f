"""Profiles of real models, and the operators in them that matter; see docs/workload.md."""
