"""Families of messages: what a line of a build or run log means, and how much it explains.

A family is named after what happened, never after one log. The weight says how far a line may be taken for
the cause: the smallest weight in a log wins, so a family needs no knowledge of the others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from importlib import resources

_LIBM = (
    r"(?:exp|log|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|pow|sqrt|rsqrt|erf|erfc|floor|ceil|round|"
    r"trunc|rint|fmod|fabs|fmax|fmin|fma|cbrt|hypot|log2|log10|log1p|exp2|expm1|lgamma|tgamma|isnan|isinf)[fl]?"
)
# How libraries and samples of CANN introduce a number: "error code is", "errorCode = ", "runtime result = ".
_CODE = (
    r"\b(?:error ?code(?: is)?|err(?:no|or|code|orcode)?|ret(?:code|val)?|result|status|failed)"
    r"\s*[:=,]?\s*\[?"
)


class Stage(StrEnum):
    """Where on the way from source to verdict something went wrong."""

    PROJECT = "project"  # msopgen, opbuild's set-up, CMake's configuration
    HOST = "host"  # op_host: OpDef, tiling, InferShape
    KERNEL = "kernel"  # op_kernel: bisheng through opc
    LINK = "link"
    PACKAGE = "package"  # making and installing the operator package
    BINDING = "binding"  # the Python extension that calls aclnn
    LOAD = "load"  # import of the extension, look-up of the aclnn functions
    PYTHON = "python"  # the Python program around the call
    RUN = "run"  # tiling at launch, the kernel on the device
    CHECK = "check"  # comparison with the reference
    ENVIRONMENT = "environment"  # the machine, whatever the candidate
    UNKNOWN = "unknown"


class Fault(StrEnum):
    """Whose fault a failure is."""

    CANDIDATE = "candidate"  # the code that was built and run
    MACHINE = "machine"  # installation, driver, card, memory, network: the round does not count
    UNCLEAR = "unclear"  # the log does not tell


class Weight(IntEnum):
    """How far a line explains a failure; smaller explains more."""

    DECISIVE = 0  # says what broke and where, whatever else stands in the log
    CAUSE = 1
    GENERAL = 2  # an error, but of no known family
    CONSEQUENCE = 3  # follows from a cause that is usually in the log too
    SYMPTOM = 4  # printed by whatever stopped last; never a cause


@dataclass(frozen=True)
class Family:
    """One family of messages.

    Attributes:
        kind: Stable name, e.g. `float-unsigned-cast`.
        stage: Stage the message belongs to; None when the place of the message (path, tool) decides.
        pattern: What is searched in an unwrapped line; empty where something else tells it.
        hint: What to do about it, one or two sentences.
        weight: How far the line explains the failure.
        environment: Whether the machine and not the candidate is at fault.
        unclear: Whether the message alone does not tell whose fault it is.
    """

    kind: str
    stage: Stage | None
    pattern: re.Pattern[str]
    hint: str
    weight: Weight = Weight.CAUSE
    environment: bool = False
    unclear: bool = False


@cache
def families(table: str = "family") -> tuple[Family, ...]:
    """All families, from the data file beside this module, in the order in which they are asked.

    Those of the table `told` have no pattern: what else is in a line tells them, see `judging`.
    """
    text = (resources.files(__package__) / "families.toml").read_text(encoding="utf-8")
    return tuple(_family(**entry) for entry in tomllib.loads(text)[table])


def _family(
    kind: str,
    patterns: Sequence[str] = (),
    stage: str = "",
    hint: str = "",
    weight: str = "cause",
    *,
    environment: bool = False,
    unclear: bool = False,
) -> Family:
    pattern = "|".join(patterns).replace("{libm}", _LIBM).replace("{code}", _CODE)
    return Family(
        kind,
        Stage(stage) if stage else None,
        re.compile(pattern, re.IGNORECASE),
        hint,
        Weight[weight.upper()],
        environment,
        unclear,
    )
