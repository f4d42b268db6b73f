"""The environment E: hosts, toolchains, judge scripts and diagnostics. Knows core types only."""
