"""Coding agents: SAGE's tools for one that a person runs (MCP), and one driven as the generator (ACP)."""
