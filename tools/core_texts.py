"""Texts of `core` and `remote` that the window translates, read from their source.

These are the arguments of `Text`, of every `SageError`, of `Table.fault`, and of what
is shown as it is (checks, stops, answers of tools), where they are literals or names of
literals. Other texts are words of models, compilers and hosts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from core.workload.ranking import Worth

ROOT = Path(__file__).resolve().parents[1]
_SHOWN = {
    "Check",
    "progress",
    "_abandon",
    "Stop",
    "Tool",
    "DiagnosticResult",
}
_DATA_FIRST = {
    "InvalidInput": 2,
    "UnreadableOutput": 1,
    "fault": 1,
    "_abandon": 1,
}  # are no words
_TEXTS = {"detail", "found", "fix", "summary"}
_DATA = {
    "HostKeyUnknown",
    "NoSuchItem",
    "UnknownOperator",
}  # take no texts: make their own
WORDS = (
    "this computer",
    "not checked against CANN",
    "loading the text encoder",
    *(f"CPU twin (modelled Ascend910B{number})" for number in range(1, 5)),
    "edited by a person",
    "live",
    "recorded",
    "scripted",
    "stand-in",
    "manual",
    "scripted demonstration",
    "measured",
    "modelled",
    "replayed",
    "language models",
    "twin cycle model",
    "twin cycle model, warm L2",
    "Ascend910B1 model",
    "Ascend910B2 model",
    "Ascend910B3 model",
    "Ascend910B4 model",
    "original",
    "removed",
    "shuffled",
    "corrupted",
    "irrelevant",
    "masked",
    "declared adoption",
    "given",
    "waiting",
    "new",
    "begun",
    "done",
    "prepared",
    "starting",
    "pending",
    "building",
    "running",
    "timeout",
    "cancelled",
    "no-lease",
    "not-started",
    "lost-preempted",
    "lost-node",
    "lost-reboot",
    "lost-killed",
    "lost-nostart",
    "absent",
    "Resources",
    "Priority",
    "Dependency",
    "BeginTime",
    "JobHeldUser",
    "JobHeldAdmin",
    "pass",
    "wrong-result",
    "wrong-shape",
    "wrong-dtype",
    "run-error",
    "skipped",
    "engine",
    "user",
    *(worth.value for worth in Worth),
)
"""Words that workspaces, recordings and results hold, states of jobs, and reasons Slurm gives."""


def sources() -> Iterator[tuple[str, str]]:
    """(template, place) of everything with words to translate."""
    for word in WORDS:
        yield word, "core/models"
    for name, call, text in texts():
        said = (
            text.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str)
            else ""
        )
        if any(words for words, *_gap in Formatter().parse(_escaped(said))):
            yield said, f"{name}:{call.lineno}"


@cache
def texts() -> tuple[tuple[str, ast.Call, ast.expr], ...]:
    """(module, call, expression) of everything shown: literals and other expressions."""
    errors = _errors()
    return tuple(
        (name, call, text)
        for name, tree in _trees().items()
        for scopes, owner, call in _calls(tree, (), "")
        for argument in _said(call, owner, errors)
        for text in _literals(argument, scopes)
    )


@cache
def _trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for room in ("core", "remote", "sage_desktop")
        for path in sorted((ROOT / room).rglob("*.py"))
        if "commands" not in path.parts  # the command line speaks English
    }


def _errors() -> set[str]:
    """Names of `SageError` and everything that derives from it."""
    known, found = set[str](), {"SageError"}
    classes = [
        node
        for tree in _trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    while known != found:
        known = found
        found = known | {
            node.name
            for node in classes
            if any(_name(base) in known for base in node.bases)
        }
    return known


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


_Scopes = tuple[ast.AST, ...]


def _calls(
    node: ast.AST, scopes: _Scopes, owner: str
) -> Iterator[tuple[_Scopes, str, ast.Call]]:
    """Every call with the functions it is in, innermost first, and the class."""
    if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
        scopes = (node, *scopes)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield scopes, owner, child
        yield from _calls(
            child, scopes, child.name if isinstance(child, ast.ClassDef) else owner
        )


def _said(call: ast.Call, owner: str, errors: set[str]) -> list[ast.expr]:
    name = _name(call.func)
    if name == "__init__" and owner in errors:
        name = "InvalidInput" if owner == "UnknownOperator" else "SageError"
    if name == "Text":
        return call.args[:1]
    if name in errors - _DATA or name == "fault":
        first = _DATA_FIRST.get(name, 0)
        return call.args[first : first + 2]
    if name in _SHOWN:
        return [
            *call.args[_DATA_FIRST.get(name, 0) :],
            *(keyword.value for keyword in call.keywords if keyword.arg in _TEXTS),
        ]
    return []


def _literals(argument: ast.expr, scopes: _Scopes) -> Iterator[ast.expr]:
    """What an argument may be: itself, or what stands behind its name or its condition."""
    if isinstance(argument, ast.IfExp):
        choices = [argument.body, argument.orelse]
    elif isinstance(argument, ast.BoolOp):
        choices = argument.values
    elif isinstance(argument, ast.Subscript) and isinstance(
        argument.value, ast.Name
    ):  # a table of texts
        choices = [
            value
            for table in _assigned(argument.value.id, scopes)
            if isinstance(table, ast.Dict)
            for value in table.values
        ]
    elif isinstance(argument, ast.Name):
        choices = [
            value
            for value in _assigned(argument.id, scopes)
            if not isinstance(value, ast.Name)
        ]
    else:
        choices = []
        yield argument
    for choice in choices:
        yield from _literals(choice, scopes)


def _assigned(name: str, scopes: _Scopes) -> list[ast.expr]:
    """Values a name is given in the innermost scope that gives it any."""
    for scope in scopes:
        nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
        found = [
            value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            for key, value in _pairs(target, node.value)
            if isinstance(key, ast.Name) and key.id == name
        ]
        if found:
            return found
    return []


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _escaped(text: str) -> str:
    """`text`, if it is no template, as one."""
    try:
        list(Formatter().parse(text))
    except ValueError:
        return text.replace("{", "{{").replace("}", "}}")
    return text
