"""How much the on-chip memories of a core hold, to draw beside how much of them was in use."""

from __future__ import annotations

from collections.abc import Mapping

# Bytes; `twin/soc_data.h` has the same numbers and where they come from.
MEMORY_BYTES: Mapping[str, int] = {
    "UB": 196_608, "L1": 524_288, "L0A": 65_536, "L0B": 65_536, "L0C": 131_072, "BT": 1024, "FB": 2048,
}  # fmt: skip
