"""Diagnostic tools of the Ascend side: run and parse. Filled with the CANN toolchain."""
