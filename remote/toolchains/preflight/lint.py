"""One candidate, all rules."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from core.evaluation.integrity.tree import Fact
from core.evaluation.records import CompilerMessage, Finding, Severity
from core.operators.spec import dtype_columns
from remote.judge.building.glue import (
    GLUE_NAME,
    core_sides,
    host_sources,
    kernel_glue,
    kernel_source,
    kernel_text,
)
from remote.judge.job import Interface

from .facts import FactsOfUnit
from .language import KernelWalk
from .parsing import ADDRESSES, Parser
from .project import (
    check_addresses,
    check_entry,
    check_messages,
    check_operator_definition,
    tiling_classes,
)
from .report import LintReport
from .rules import rules

_THREADS = 2
_SOURCES = (".cpp", ".cc")
_MOST_SIGNATURES = 3
_MOST_MESSAGES = 12


def lint(parser: Parser, operator: Interface, files: Mapping[str, str]) -> LintReport:
    """Apply every rule to a candidate.

    Args:
        parser: libclang, ready.
        operator: What it takes and gives.
        files: The candidate, path -> text.

    Raises:
        LintUnavailable: libclang cannot parse on this computer.
    """
    findings = list(check_operator_definition(operator, files))
    messages: list[tuple[str, int, int, str]] = []
    facts: list[Fact] = []
    misread: list[tuple[Mapping[str, str], CompilerMessage]] = []
    kernel = kernel_source(files, operator.snake)
    classes = tiling_classes(files)
    with (
        tempfile.TemporaryDirectory(prefix="sage-preflight-") as name,
        _inside(Path(name)),
        ThreadPoolExecutor(_THREADS) as threads,
    ):
        hosts = [
            path
            for path in sorted(files)
            if path.startswith("op_host/") and path.endswith(_SOURCES)
        ]
        _write(files)
        signatures = [] if kernel is None else _signatures(operator, files)
        glues = (
            [] if kernel is None else _write_glues(operator, files, kernel, signatures)
        )
        of_unit = {
            path: signatures[number // len(core_sides(files))]
            for number, path in enumerate(glues)
        }
        # The aclnn interface beside op_host is not even compiled.
        judged = {
            *glues,
            *host_sources(files),
        }
        sides = [
            *(("host", path) for path in hosts),
            *(("kernel", path) for path in glues),
        ]
        units = [
            (side, path, threads.submit(parser.parse, path, side))
            for side, path in sides
        ]
        # Of one column of dtypes: pointers are the same in all of them.
        apart = {
            path: threads.submit(parser.parse, path, ADDRESSES)
            for path in glues[: len(core_sides(files))]
        }
        for side, path, parsing in units:
            parsed = parsing.result()
            if kernel is not None and path == glues[0]:
                findings += check_entry(operator, files, kernel, parsed)
            findings += check_messages(parsed.errors, side, classes)
            messages += parsed.errors
            if path in judged:
                misread += [
                    (of_unit.get(path, {}), message)
                    for message in _further(parsed.errors, ())[:1]
                ]
            glue = (path, Path(path).read_text()) if side == "kernel" else ("", "")
            unit = FactsOfUnit(
                parser.clang, parsed.unit, files, parser.places, parser.macros, glue
            )
            facts += unit.read()
            if side == "kernel":
                walk = KernelWalk(
                    parser.clang, parsed.unit, files, operator.snake, parser.macros
                )
                findings += walk.run()
            if path in apart:
                findings += check_addresses(
                    parsed, apart[path].result(), files, operator.snake, parser.macros
                )
    if kernel is None:
        what = f"`{operator.snake}' not implement: op_kernel/{operator.snake}.cpp is missing"
        findings.append(rules()["entry-name"].finding(what))
    return LintReport(
        _folded(findings),
        _further(messages, findings),
        tuple(misread),
        facts=tuple(dict.fromkeys(facts)),
    )


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in the candidate's folder: libclang names files as they were given to it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _write(files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(kernel_text(text) if path.startswith("op_kernel/") else text)


def _write_glues(
    operator: Interface,
    files: Mapping[str, str],
    kernel: str,
    signatures: Sequence[Mapping[str, str]],
) -> list[str]:
    """Write the translation units of the kernel, for each dtype signature one for each side; their paths."""
    paths = []
    for number, signature in enumerate(signatures):
        for side in core_sides(files):
            paths.append(f"{number}{side}_{GLUE_NAME}")
            Path(paths[-1]).write_text(_glue(operator, files, kernel, signature, side))
    return paths


def _signatures(operator: Interface, files: Mapping[str, str]) -> list[dict[str, str]]:
    """Dtypes to look at, name -> dtype: the first columns of the interface, one when none is asked for."""
    tensors = (*operator.inputs, *operator.outputs)
    columns = dtype_columns(
        {tensor.name: tensor.dtypes or ("float32",) for tensor in tensors}
    ) or [{}]
    if not any(
        "DTYPE_" in text
        for path, text in files.items()
        if path.startswith("op_kernel/")
    ):
        columns = columns[:1]
    signatures: list[dict[str, str]] = []
    for row in columns:
        if row not in signatures:
            signatures.append(row)
    return signatures[:_MOST_SIGNATURES]


def _glue(
    operator: Interface,
    files: Mapping[str, str],
    kernel: str,
    signature: Mapping[str, str],
    side: str,
) -> str:
    inputs = [(tensor.name, signature[tensor.name]) for tensor in operator.inputs]
    outputs = [(tensor.name, signature[tensor.name]) for tensor in operator.outputs]
    return kernel_glue(operator, files, kernel, inputs, outputs, side)


def _folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Each finding once per rule and line, errors first, then by place."""
    unique = {
        (finding.rule, finding.file, finding.line): finding
        for finding in reversed(findings)
    }
    return tuple(
        sorted(
            unique.values(),
            key=lambda entry: (
                entry.severity is not Severity.ERROR,
                entry.file,
                entry.line,
            ),
        )
    )


def _further(
    errors: Sequence[tuple[str, int, int, str]], findings: Sequence[Finding]
) -> tuple[CompilerMessage, ...]:
    """Errors of clang in the candidate on lines that have no finding."""
    places = {(finding.file, finding.line) for finding in findings}
    messages = dict.fromkeys(
        CompilerMessage("error", text, file, line, column)
        for file, line, column, text in errors
        if file.startswith(("op_kernel/", "op_host/")) and (file, line) not in places
    )
    return tuple(messages)[:_MOST_MESSAGES]
