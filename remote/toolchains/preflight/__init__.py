"""Preflight: what the device compiler refuses although g++ accepts it, found before anything is sent.

Used by every toolchain. The rules are data (`rules.toml`); the checks read the syntax tree libclang makes
of the candidate against the headers of the CPU twin, in a child process of their own.
"""
