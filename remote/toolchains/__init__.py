"""Toolchains: how a candidate becomes a verdict. `twin` is the CPU twin; all share the port in `port.py`.

Nothing is imported here: diagnostics need the port, and toolchains need the diagnostics.
"""
