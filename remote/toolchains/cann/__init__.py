"""Candidates built by CANN for a real NPU: the project, the commands, the environment they need."""

from __future__ import annotations

from remote.toolchains.cann.toolchain import CannToolchain

__all__ = ["CannToolchain"]
