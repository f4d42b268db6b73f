"""Which compute unit and architecture a SoC version belongs to, and how a host tells its own.

Sources: CANN's platform_config; `aclrtGetSocName`; `npu-smi info` and `npu-smi info -t board`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import InvalidInput

# Version names, the same as a pattern of the shell, compute unit, architecture; the first that fits counts.
_FAMILIES = (
    (r"Ascend910B(?:1|2|2C|3|4|4-1)", "Ascend910B*", "ascend910b", "dav-2201"),
    (r"Ascend910_93\d\d", "Ascend910_93*", "ascend910_93", "dav-2201"),
    (r"Ascend310P\d", "Ascend310P*", "ascend310p", "dav-2002"),
    (r"Ascend910_95\w*", "Ascend910_95*", "ascend910_95", "dav-3510"),
    (r"Ascend950\w*", "Ascend950*", "ascend950", "dav-3510"),
)
# A 910C is only `Ascend910` in the table of npu-smi; its board knows more.
_ASK = """\
if [ -z "$SAGE_SOC" ]; then
    SAGE_SOC="$(python3 -c 'import acl; print(acl.get_soc_name() or "")' 2>/dev/null | tail -n 1)"
fi
if [ -z "$SAGE_SOC" ] && command -v npu-smi > /dev/null; then
    row="$(npu-smi info 2>/dev/null |
        sed -n 's/^| *\\([0-9]\\{1,\\}\\) *\\([0-9]*[A-Z][^ |]*\\) *|.*/\\1 \\2/p' | head -n 1)"
    SAGE_SOC="Ascend${row#* }" && SAGE_SOC="Ascend${SAGE_SOC##*Ascend}"
    if [ "$SAGE_SOC" = Ascend910 ]; then
        board="$(npu-smi info -t board -i "${row%% *}" -c 0 2>/dev/null)"
        SAGE_SOC="Ascend910_$(printf '%s\\n' "$board" | sed -n 's/^[[:space:]]*NPU Name *: *//p' | tr -d ' ')"
    fi
fi
"""


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
    for pattern, _, unit, architecture in _FAMILIES:
        if re.fullmatch(pattern, name):
            return Soc(name, unit, architecture)
    raise InvalidInput(
        "toolchain",
        "soc",
        "{name!r} is not a SoC version",
        "Name it as acl.get_soc_name() does, e.g. Ascend910B1 or Ascend910_9382.",
        name=name,
    )


FOUND_ON_HOST = Soc("$SAGE_SOC", "$SAGE_COMPUTE_UNIT", "$SAGE_ARCH")


def soc_or_found(name: str) -> Soc:
    """The SoC of that name; without a name, the one the host finds, as variables of `soc_script`.

    Raises:
        InvalidInput: No SoC is called so.
    """
    return soc_named(name) if name else FOUND_ON_HOST


def soc_script(name: str) -> str:
    """Shell text that exports SAGE_SOC, SAGE_COMPUTE_UNIT and SAGE_ARCH of `name`, or of the host's cards."""
    cases = "\n".join(
        f"    {glob}) SAGE_COMPUTE_UNIT={unit} SAGE_ARCH={architecture} ;;"
        for _, glob, unit, architecture in _FAMILIES
    )
    problem = "No SoC version can be told from the cards of this host; name it, e.g. --soc Ascend910B3."
    return (
        f'SAGE_SOC={name}\n{"" if name else _ASK}case "$SAGE_SOC" in\n{cases}\n'
        f'    *) echo "{problem} ($SAGE_SOC)" >&2; exit 1 ;;\nesac\n'
        "export SAGE_SOC SAGE_COMPUTE_UNIT SAGE_ARCH"
    )
