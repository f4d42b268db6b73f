"""What every pipe did and when, as the simulator left it in the memory of a launch.

The judge takes it as it is, bytes of a process the candidate's code ran in: `core.trace` checks and reads it.
Its form is documented in `twin/core/trace.h`.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

MOST_TRACE = 64 << 20  # bytes: two million records
ATTACHMENT = "trace"
_HEADER = struct.Struct("=8sQ")  # magic, bytes in use


def left_trace(memory: Any, offset: int) -> bytes:
    """The trace behind the tensors of a launch; empty where the program left none."""
    magic, used = _HEADER.unpack_from(memory, offset)
    return (
        bytes(memory[offset : offset + min(used, MOST_TRACE)])
        if magic == b"SAGETRC1"
        else b""
    )


def packed(trace: bytes) -> str:
    """A trace as text, for the result of a job."""
    return base64.b64encode(zlib.compress(trace, 1)).decode("ascii")
