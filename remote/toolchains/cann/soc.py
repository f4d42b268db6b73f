"""Which compute unit and architecture a SoC version belongs to (CANN platform_config)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import InvalidInput

_FAMILIES = (
    (r"Ascend910B(?:1|2|2C|3|4|4-1)", "ascend910b", "dav-2201"),
    (r"Ascend910_93\d\d", "ascend910_93", "dav-2201"),
    (r"Ascend310P\d", "ascend310p", "dav-2002"),
    (r"Ascend910_95\w*", "ascend910_95", "dav-3510"),
    (r"Ascend950\w*", "ascend950", "dav-3510"),
)


@dataclass(frozen=True)
class Soc:
    """A SoC as the tools name it.

    Attributes:
        name: SoC version, e.g. `Ascend910B1`; what msopgen and the simulator take.
        compute_unit: What CMake takes, e.g. `ascend910b`.
        architecture: What bisheng takes, e.g. `dav-2201`.
    """

    name: str
    compute_unit: str
    architecture: str


def soc_named(name: str) -> Soc:
    """The SoC of that version name.

    Raises:
        InvalidInput: No SoC is called so.
    """
    for pattern, unit, architecture in _FAMILIES:
        if re.fullmatch(pattern, name):
            return Soc(name, unit, architecture)
    raise InvalidInput(
        "toolchain", "soc", f"{name!r} is not a SoC version",
        "Name it as acl.get_soc_name() does, e.g. Ascend910B1 or Ascend910_9382.",
    )  # fmt: skip
