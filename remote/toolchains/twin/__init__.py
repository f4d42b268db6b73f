"""The CPU twin as a toolchain: a C++ compiler, our headers, a simulated processor, modelled latency."""

from remote.toolchains.twin.toolchain import TwinToolchain

__all__ = ["TwinToolchain"]
