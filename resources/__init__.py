"""Data files of SAGE Desktop, read through `importlib.resources`."""
