"""Coding agents: SAGE inside one, and one inside SAGE; the real OpenCode where it can be installed."""
