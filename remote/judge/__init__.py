"""The judge: what compiles, runs and compares a candidate, next to the kernel.

It is started as `python -m remote.judge --serve` (or with a job and a result file) and needs Python 3.11,
torch and a compiler. Of the application it imports only the records it shares with it, see `program`.
"""
