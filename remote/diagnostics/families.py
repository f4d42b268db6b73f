"""Families of messages: what a line of a build or run log means, and how much it explains.

A family is named after what happened, never after one log. The weight says how far a line may be taken for
the cause: the smallest weight in a log wins, so a family needs no knowledge of the others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from importlib import resources

from remote.diagnostics.log_lines import LogLine

_LIBM = (
    r"(?:exp|log|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|pow|sqrt|rsqrt|erf|erfc|floor|ceil|round|"
    r"trunc|rint|fmod|fabs|fmax|fmin|fma|cbrt|hypot|log2|log10|log1p|exp2|expm1|lgamma|tgamma|isnan|isinf)[fl]?"
)
# How libraries and samples of CANN introduce a number: "error code is", "errorCode = ", "runtime result = ".
_CODE = (
    r"\b(?:error ?code(?: is)?|err(?:no|or|code|orcode)?|ret(?:code|val)?|result|status|failed)"
    r"\s*[:=,]?\s*\[?"
)

COMPILER = re.compile(
    r"^(?P<file>[^\s:][^:]*?):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error:? (?P<text>.*)$"
)
_BUILD_SCRIPTS = re.compile(
    r"/(?:tikcpp|ascendc_kernel_cmake|msopgen|op_gen|cmake/util|opbuild)\b"
)
_OPBUILD = re.compile(r"\b(?:opbuild|build) ops (?:lib )?error:\s*\S")
# Lines of asc_op_compile_base, and of opc where it does not repeat others.
_KERNEL_TOOL = re.compile(
    r"^\[[-\d: ]+\] \[ERROR\] \[ascend\w+\]\s+\S"
    r"|\[ERROR\].*\[op\w+\.py:\d+\](?!\[(?:_log_error|opc_log_full)\])"
)
_CPU_MODE = re.compile(r"\[ERROR\]\[(?:core|ai[cv])_\d+\]\[[^\]]*:\d+\]", re.IGNORECASE)
_TOOLS = (
    (_OPBUILD, "opbuild-refuses"),
    (_KERNEL_TOOL, "kernel-tool-refuses"),
    (_CPU_MODE, "cpu-mode-check"),
)
# Tiling and InferShape sign by function and file; in plog and in older messages by a tag of their own.
_FROM_TILING = re.compile(
    r"\[FUNC:\w*tiling\w*\]|\[FILE:\w*tiling\w*\.(?:cpp|cc|h)\]"
    r"|\[(?:op_)?tiling\]|\[\w*tiling\w*\.(?:cpp|cc|h):\d+\]|\[\w*tiling\w*\]\[\d+\]",
    re.IGNORECASE,
)
_FROM_SHAPES = re.compile(
    r"\[FUNC:\w*infer_?(?:shape|data_?type)\w*\]|\[(?:op_proto|infer_?shape)\]",
    re.IGNORECASE,
)
_IN_FILE = re.compile(r"\[FUNC:(\w+)\]\[FILE:([\w.]+)\]")
_SUMMARY = re.compile(
    r"(?:tiling|process|infer ?shape\w*|shapes?)\b.{0,40}\bfail(?:ed|ure)?\b\W*(?:ret\b.*|\d*\W*)$"
    r"|^(?:failed to|call) infer|\[COMP\]\[PRE_OPT\]",
    re.IGNORECASE,
)
_PYTHON_ERROR = re.compile(
    r"^(?:(?:\w+\.)*\w*(?:Error|Exception)|(?:[a-z_]\w*\.)+[A-Z]\w*): \S"
)
_RAISED = re.compile(
    r"^(?:\w+\.)*[A-Z]\w*: \S"
)  # a class of any name; only where a traceback ends
_FRAME = re.compile(r'^File "(?P<file>[^"]+)", line \d+')
_FRAME_LINES = 6  # of a frame: the code, its marks, and notes on variables
_LOOSE_ERROR = re.compile(r"\b(?:error|fatal|failed|failure|\[fail\])\b", re.IGNORECASE)
_NARRATION = re.compile(  # of builds, and the source lines that a Python traceback quotes
    r"^(?:-- |(?:Building|Linking|Generating) C|Built target|Scanning dependencies|Consolidate compiler)|"
    r'^(?:File "|Traceback|TraceBack|Solution:|Possible Cause|Note:|In file included)|^\s*\^+$|'
    r"^[\w./+-]*g?(?:cc|\+\+) |^raise [\w.]+(?:\(|$)|^return self\._op\("
)
WARNING = re.compile(r"^\[?WARN")
NEWS = re.compile(r"^\s*\[?(?:INFO|DEBUG|EVENT)\b")


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

    Those of the table `told` have no pattern: what else is in a line tells them, see `family_of`.
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


_TOLD = {family.kind: family for family in families("told")}
COMPILER_GENERAL, OTHER_GENERAL = _TOLD["compile-error"], _TOLD["error"]


def tiling_files(lines: list[LogLine]) -> set[str]:
    """Files of CANN that have a tiling function in them, as far as the log names functions."""
    messages = (match for line in lines for match in _IN_FILE.findall(line.raw))
    return {file for function, file in messages if "tiling" in function.lower()}


def raised(lines: list[LogLine]) -> dict[int, str]:
    """Lines that end a Python traceback, by number, with the file of the last frame.

    Classes of exceptions need not be called `…Error`; the place behind the last frame tells them.
    """
    ends: dict[int, str] = {}
    file, left = "", 0
    for line in lines:
        frame = _FRAME.match(line.text)
        if frame:
            file, left = frame["file"], _FRAME_LINES
        elif left and _RAISED.match(line.text):
            ends[line.number], left = file, 0
        else:
            left = max(0, left - 1)
    return ends


def family_of(
    line: LogLine, tiling: set[str], ends: Mapping[int, str]
) -> Family | None:
    """The family of a line, or None when it blames nothing.

    Args:
        line: A line.
        tiling: Files with a tiling function; a message that opens a traceback of one is the tiling's too.
        ends: What `raised` found.
    """
    text = line.text
    if (
        NEWS.match(line.raw)
        or _NARRATION.match(text)
        or re.search(r":\d+:\d+: (?:warning|note):", text)
    ):
        return None
    family = _of_host_side(line, tiling) or next(
        (each for each in families() if each.pattern.search(text)), None
    )
    if family is not None:
        return family
    if line.code:
        return _TOLD["library-message"]
    if COMPILER.match(text):
        return COMPILER_GENERAL
    by_tool = next(
        (_TOLD[says] for tool, says in _TOOLS if tool.search(line.raw)), None
    )
    return (
        by_tool
        or _of_python(line, ends)
        or (OTHER_GENERAL if _LOOSE_ERROR.search(text) else None)
    )


def _of_host_side(line: LogLine, tiling: set[str]) -> Family | None:
    """What a tiling function or an InferShape says of its own; their summaries say nothing new."""
    if not _SUMMARY.search(line.text):
        for signature, says in (
            (_FROM_TILING, "tiling-check"),
            (_FROM_SHAPES, "shape-check"),
        ):
            if signature.search(line.raw):
                return _TOLD[says]
    if line.code and any(file in tiling for _, file in _IN_FILE.findall(line.raw)):
        return _TOLD["tiling-check"]
    return None


def _of_python(line: LogLine, ends: Mapping[int, str]) -> Family | None:
    if line.number in ends and _BUILD_SCRIPTS.search(ends[line.number]):
        return _TOLD["build-tool-raises"]
    if (
        line.number in ends
        or _PYTHON_ERROR.match(line.text)
        or line.raw.lstrip().startswith("[FAIL]")
    ):
        return _TOLD["python-error"]
    return None
