"""Which compute unit and architecture a SoC version belongs to, and how a host tells its own.

Names and families are in `resources/twin/processors.toml`. Sources: CANN's platform_config;
`aclrtGetSocName`; `npu-smi info` and `npu-smi info -t board`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from core.errors import InvalidInput
from remote.judge.building.processors import Processors, processors

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


@cache
def _table() -> Processors:
    return processors(
        Path(str(resources.files("resources") / "twin" / "processors.toml"))
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
    family = _table().family(name)
    if family is not None:
        return Soc(name, family.compute_unit, family.architecture)
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
        f"    {one.glob}) SAGE_COMPUTE_UNIT={one.compute_unit} SAGE_ARCH={one.architecture} ;;"
        for one in _table().families
    )
    problem = "No SoC version can be told from the cards of this host; name it, e.g. --soc Ascend910B3."
    return (
        f'SAGE_SOC={name}\n{"" if name else _ASK}case "$SAGE_SOC" in\n{cases}\n'
        f'    *) echo "{problem} ($SAGE_SOC)" >&2; exit 1 ;;\nesac\n'
        "export SAGE_SOC SAGE_COMPUTE_UNIT SAGE_ARCH"
    )
