"""Toolchains: how a candidate becomes a verdict. `twin` is the CPU twin; all share the port in `port.py`."""

from remote.toolchains.port import Toolchain
from remote.toolchains.twin import TwinToolchain

__all__ = ["Toolchain", "TwinToolchain"]
