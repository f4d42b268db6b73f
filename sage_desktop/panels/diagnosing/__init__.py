"""Diagnostics a person asks about a kernel."""
