"""The true cause of a failed build or run, read from its log.

The rules are families of messages (`families.toml`), weighed by how much a line explains;
device exceptions are folded over cores first. Symptoms (CPack, gmake, "Opc tool compile failed") are never
taken for the cause, and a log that has nothing else says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from remote.diagnostics.device_exceptions import DeviceException, device_exceptions
from remote.diagnostics.error_codes import find_code
from remote.diagnostics.families import (
    COMPILER,
    COMPILER_GENERAL,
    NEWS,
    OTHER_GENERAL,
    WARNING,
    Family,
    Fault,
    Stage,
    Weight,
    family_of,
    raised,
    tiling_files,
)
from remote.diagnostics.log_lines import (
    LogLine,
    read_lines,
    shown_path,
    with_short_paths,
)

_PLACE = re.compile(
    r"(?P<file>[\w./+@~-]*(?:op_kernel|op_host|csrc)/[\w./+-]+?):(?P<line>\d+)(?::\d+)?:"
)
_CLANG_SAYS = re.compile(
    r"error: (?:use of undeclared|no (?:matching|member|viable)|unknown type name|static_assert failed"
    r"|static assertion failed due to requirement|variable has incomplete type|'\w+' does not refer to)"
)
_GCC_SAYS = re.compile(
    r"error: .*(?:was not declared|has no member named|does not name a type)"
)
_OF_KERNELS = (
    r"op_kernel|kernels?/|auto_gen_|tikcfw|tikcpp|/asc/|dav_c\d+|kernel_operator|CompileStage|TBE\(|ccec"
    r"|bisheng|opc"
)
# A bare code, and the word of a core that stopped for a reason told elsewhere.
_REFUSED = re.compile(
    r"(?:error code(?: is)?|errno:?) ?\[?(?:(?:161\d{3}|\d{1,2})\]?\.?|\d+\[Error\]:?)$"
    r"|^timeout or trap error \("
)
_CLANG_COUNTS = re.compile(
    r"^\s*\d+ (?:warnings? and \d+ )?errors? generated\.", re.MULTILINE
)
_OPERATOR_NAMED = (
    r"working operator name is (\w+)",
    r"opType: ([A-Za-z_]\w*)",
    r"Optype \[(\w+)\]",
    r"^\s*(\w+) ADD_TO_LAUNCHER_LIST_AICORE failed",
    r"\bbin(?:ary)? (?:of|for) op (\w+)",
    r"\bOp (\w+) does not has any binary",
    r"does not support opType \[(\w+)\]",
)
_PLACE_OF_MESSAGE = re.compile(r"^\S+?:\d+(?::\d+)?: (?:fatal )?error: ")
_LONG = 400  # characters of a cause line that are shown
_MISSING_OF_OPERATOR = (
    "tiling-function-missing",
    "infershape-missing",
    "unsupported-operator",
    "kernel-of-soc-missing",
    "kernel-binary-missing",
)
_TELLING = 100  # characters by which two messages differ


@dataclass(frozen=True)
class Cause:
    """One thing a log blames.

    Attributes:
        stage: Where it happened.
        kind: Name of the family, stable.
        line: The message, with paths as the candidate knows them.
        hint: What to do about it; may be empty.
        environment: Whether the machine is at fault: the round does not count.
        file: File at fault, as in the candidate where it is one of its files; empty when unknown.
        line_number: 1-based line in `file`, 0 when unknown.
        count: How many distinct places said the same.
        log_line: 1-based line of the log.
        weight: How much it explains.
        of_cores: Whether the cores of the device reported it.
        unclear: Whether the log does not tell whose fault it is.
    """

    stage: Stage
    kind: str
    line: str
    hint: str = ""
    environment: bool = False
    file: str = ""
    line_number: int = 0
    count: int = 1
    log_line: int = 0
    weight: Weight = Weight.CAUSE
    of_cores: bool = False
    unclear: bool = False

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        if self.environment:
            return Fault.MACHINE
        return (
            Fault.UNCLEAR
            if self.unclear or self.weight is Weight.SYMPTOM
            else Fault.CANDIDATE
        )


@dataclass(frozen=True)
class Diagnosis:
    """What a log says.

    Attributes:
        cause: What explains the failure best; its stage is `unknown` when the log says nothing.
        others: Further causes of about the same weight, folded, in the order of the log.
    """

    cause: Cause
    others: tuple[Cause, ...] = ()


def diagnose(output: str, errors: str = "", operator: str = "") -> Diagnosis:
    """The diagnosis of a log.

    Args:
        output: Standard output, or both streams as they came.
        errors: Standard error, when it was kept apart.
        operator: OpDef name of the candidate's operator; a missing function of any other operator is then
            known to be the machine's.

    Example:
        >>> diagnose("ld.lld: error: undefined symbol: expf").cause.kind
        'libm-in-kernel'
    """
    log = f"{output.rstrip()}\n{errors}" if errors else output
    lines = read_lines(log)
    causes = [_of_exception(each) for each in device_exceptions(log)[:3]]
    causes += _folded(_blamed(lines))
    if all(
        cause.weight is Weight.SYMPTOM for cause in causes
    ):  # a warning then says more than nothing
        causes += _folded(_blamed(lines, warnings=True))
    if not causes:
        return Diagnosis(_nothing(lines))
    best = min(causes, key=lambda cause: _rank(cause, causes))
    if best.weight is Weight.SYMPTOM:
        return Diagnosis(_symptom(best))
    if (
        best.stage is Stage.UNKNOWN
        and COMPILER.match(best.line)
        and _CLANG_COUNTS.search(log)
    ):
        best = replace(
            best, stage=Stage.KERNEL
        )  # of the two compilers only that of kernels is a clang
    best = _with_operator(best, log, operator)
    other_causes = tuple(
        cause
        for cause in causes
        if cause.log_line != best.log_line
        and cause.weight <= max(best.weight, Weight.CAUSE)
    )
    return Diagnosis(best, other_causes[:8])


def _blamed(lines: list[LogLine], *, warnings: bool = False) -> Iterable[Cause]:
    """What the lines blame; with `warnings`, what the warnings among them blame."""
    place: tuple[str, int] | None = None
    tiling, ends = tiling_files(lines), raised(lines)
    for index, line in enumerate(lines):
        included = re.match(
            r"In file included from (\S*(?:op_kernel|op_host|csrc)/\S+?):(\d+)[,:]",
            line.text,
        )
        if included:
            place = (shown_path(included[1]), int(included[2]))
            continue
        cause = (
            family_of(line, tiling, ends)
            if bool(WARNING.match(line.text)) is warnings
            else None
        )
        if cause is None or (warnings and not cause.pattern.pattern):
            continue
        yield _located(cause, line, lines[index + 1 : index + 12], place)


def _located(
    family: Family,
    line: LogLine,
    following: list[LogLine],
    place: tuple[str, int] | None,
) -> Cause:
    """A cause with its place: the message's own, else the line of the candidate that led there."""
    text = with_short_paths(line.text)
    compiler = COMPILER.match(line.text)
    file, number = (
        (shown_path(compiler["file"]), int(compiler["line"])) if compiler else ("", 0)
    )
    stage = family.stage or _stage_of(line)
    hint = family.hint
    if compiler and not _of_candidate(file):
        led = next(filter(None, (_PLACE.search(each.text) for each in following)), None)
        if led and ": note:" in led.string:
            file, number = shown_path(led["file"]), int(led["line"])
        elif place:
            file, number = place
    code = re.search(r"(?:error code is|runtime result =) (\d{6})\b", text)
    entry = find_code(code[1]) if code else None
    environment = family.environment
    if entry and family.kind == "code":
        text, hint = f"{text} ({entry.name}: {entry.meaning})", entry.hint
        environment = entry.environment
    # An error of no known family in the candidate's own file is as good a cause as one of a known family.
    weight = (
        Weight.CAUSE
        if family is COMPILER_GENERAL and _of_candidate(file)
        else family.weight
    )
    return Cause(
        stage,
        family.kind,
        _cut(text),
        hint,
        environment,
        file,
        number,
        1,
        line.number,
        weight,
        unclear=family.unclear,
    )


def _of_exception(exception: DeviceException) -> Cause:
    kind = (
        exception.entries[0].name.replace("_", "-")
        if exception.entries
        else "core-exception"
    )
    hint = exception.hint or "Run msSanitizer memcheck to find the instruction."
    return Cause(
        Stage.RUN,
        kind,
        exception.sentence,
        hint,
        count=len(exception.cores),
        log_line=exception.line,
        weight=Weight.CAUSE if exception.message else Weight.GENERAL,
        of_cores=True,
    )


def _stage_of(line: LogLine) -> Stage:
    """Stage of a message whose family follows from its place."""
    text = f"{line.raw} {line.text}"
    compiler = COMPILER.match(line.text)
    if compiler:
        text = compiler["file"]
    stages = (
        (Stage.RUN, r"\[FUNC:\w+\]\[FILE:"),
        (
            Stage.HOST,
            r"op_host|autogen|op_proto|cust_op|optiling|/tiling/|opbuild|register/",
        ),
        (Stage.KERNEL, _OF_KERNELS),
        (
            Stage.BINDING,
            r"/?csrc/|CppExtension|pybind|torch_extensions|pytorch_npu_helper",
        ),
        (Stage.PACKAGE, r"CPack|makeself|custom_opp|\.run\b|cmake_install"),
        (Stage.BINDING, r"extension|wheel|setup\.py"),
        (Stage.PROJECT, r"CMake|msopgen"),
        (Stage.RUN, r"NPU function error|aclnn|\bacl\w+|E[EZ]\d{4}|\[FAIL\]|ERR\d{5}"),
    )
    for stage, pattern in stages:
        if re.search(pattern, text):
            return stage
    if line.stage_of_compiler or _CLANG_SAYS.search(line.text):
        return Stage.KERNEL
    return Stage.HOST if _GCC_SAYS.search(line.text) else Stage.UNKNOWN


def _folded(causes: Iterable[Cause]) -> list[Cause]:
    """Equal messages once, at their first place in source order, with the number of distinct places.

    Logs repeat a message with its end cut off; of several messages of one place the longest is kept.
    """
    fullest: dict[str, Cause] = {}
    for cause in causes:
        place = _PLACE_OF_MESSAGE.match(cause.line)
        key = place[0] if place else cause.line
        if key not in fullest or len(cause.line) > len(fullest[key].line):
            fullest[key] = replace(
                cause, log_line=min(cause.log_line, fullest.get(key, cause).log_line)
            )
    groups: dict[tuple[Stage, str], list[Cause]] = {}
    for cause in fullest.values():
        message = _PLACE_OF_MESSAGE.sub("", cause.line)[:_TELLING]
        groups.setdefault((cause.stage, message), []).append(cause)
    folded: list[Cause] = []
    for group in groups.values():
        first = min(
            group, key=lambda cause: (cause.file != group[0].file, cause.line_number)
        )
        folded.append(replace(first, count=len(group)))
    return folded


def _rank(cause: Cause, causes: list[Cause]) -> tuple[int, int, int, int, int, int]:
    """Smallest for the cause: weight, what the cores say, words before codes, own files first, order.

    Build systems print the units of a parallel build in any order, and some harnesses even the messages of
    one unit; within a file the first error by line is the one the others may follow from.
    """
    files = [each.file for each in causes if each.weight == cause.weight and each.file]
    order = files.index(cause.file) if cause.file else cause.log_line
    return (
        int(cause.weight),
        0 if cause.of_cores else 1,
        1 if _REFUSED.search(cause.line) else 0,
        0
        if _of_candidate(cause.file)
        else 2
        if cause.kind == OTHER_GENERAL.kind
        else 1,
        order,
        cause.line_number or cause.log_line,
    )


def _with_operator(cause: Cause, log: str, operator: str) -> Cause:
    """Blame the machine for what is missing of an operator that is not the candidate's, and only then."""
    if cause.kind not in _MISSING_OF_OPERATOR:
        return cause
    matches = filter(
        None, (re.search(pattern, log, re.MULTILINE) for pattern in _OPERATOR_NAMED)
    )
    name = next((match[1] for match in matches), "")
    line = (
        cause.line
        if not name or name in cause.line
        else f"{cause.line} (operator {name})"
    )
    if not (operator and name):
        return replace(cause, line=line)
    return replace(cause, line=line, environment=name != operator, unclear=False)


def _nothing(lines: list[LogLine]) -> Cause:
    candidates = [line for line in lines if not NEWS.match(line.raw)] or lines
    last = candidates[-1] if candidates else LogLine(0, "The log is empty.", "")
    hint = "The log names no error: keep both streams of every command."
    return Cause(
        Stage.UNKNOWN,
        "unexplained",
        _cut(last.text),
        hint,
        log_line=last.number,
        weight=Weight.SYMPTOM,
    )


def _symptom(cause: Cause) -> Cause:
    hint = (
        "Only the step that stopped last is named: keep both streams of every command."
    )
    return replace(
        cause,
        kind="unexplained",
        line=f"The log names no cause; it ends with: {cause.line}",
        hint=hint,
    )


def _of_candidate(file: str) -> bool:
    return file.startswith(("op_kernel/", "op_host/", "csrc/"))


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG].rstrip()} …"
