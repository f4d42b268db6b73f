"""Integrity rules: what a candidate may not do, decided from its text before anything is compiled."""
