"""Calibration of a host: fit, folder, and the whole over a real SSH server."""
