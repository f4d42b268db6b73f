"""The judge: self-contained scripts that run next to the kernel. Standard library and torch only.

Started as `python -m remote.judge --serve` (or with a job and a result file); nothing here imports the
application.
"""
