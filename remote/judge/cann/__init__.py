"""The judge on a machine with CANN: environment, package build, runs on a device, timing, references.

It runs next to the kernel like the rest of the judge and reports what happened with whole logs. What a log
means is said by `remote.diagnostics` on the side of the person, so that reading improves without a new judge.
"""
