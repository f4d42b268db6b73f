"""Texts of `core`, `remote` and `sage_desktop` that the window translates, read from their source.

These are the arguments of `Text`, of every `SageError`, of `Table.fault`, and of what
is shown as it is (checks, stops, answers of tools), where they are literals or names of
literals. The command line is left out; other texts are words of models, compilers and hosts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from core.workload.ranking import Worth

ROOT = Path(__file__).resolve().parents[1]
_Scopes = tuple[ast.AST, ...]
# Calls whose arguments the window shows as they are.
_SHOWN = {
    "Check",
    "progress",
    "_abandon",
    "Stop",
    "Tool",
    "DiagnosticResult",
}
# How many arguments of these calls are data; the words follow.
_DATA_ARGUMENTS = {
    "InvalidInput": 2,
    "UnreadableOutput": 1,
    "fault": 1,
    "_abandon": 1,
}
_SHOWN_KEYWORDS = {"detail", "found", "fix", "summary"}
# Errors that take no texts: they make their own of data.
_DATA_ERRORS = {
    "HostKeyUnknown",
    "NoSuchItem",
    "UnknownOperator",
}
# Words that workspaces, recordings and results hold, states of jobs, and reasons Slurm gives.
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


def sources() -> Iterator[tuple[str, str]]:
    """(template, place) of everything with words to translate."""
    for word in WORDS:
        yield word, "core/models"
    for name, call, text in texts():
        template = text.value if isinstance(text, ast.Constant) else ""
        if isinstance(template, str) and _has_words(template):
            yield template, f"{name}:{call.lineno}"


def _has_words(template: str) -> bool:
    """Whether anything stands beside the gaps of a template."""
    parts = Formatter().parse(_escaped(template))
    return any(words for words, *_gap in parts)


@cache
def texts() -> tuple[tuple[str, ast.Call, ast.expr], ...]:
    """(module, call, expression) of everything shown: literals and other expressions."""
    errors = _errors()
    rows = []
    for name, tree in _trees().items():
        for scopes, owner, call in _calls(tree, (), ""):
            for argument in _text_arguments(call, owner, errors):
                rows += [(name, call, text) for text in _literals(argument, scopes)]
    return tuple(rows)


@cache
def _trees() -> dict[str, ast.Module]:
    """Module -> its syntax, of all modules whose texts the window may show."""
    trees = {}
    for package in ("core", "remote", "sage_desktop"):
        for path in sorted((ROOT / package).rglob("*.py")):
            # The command line speaks English.
            if "commands" not in path.parts:
                name = path.relative_to(ROOT).as_posix()
                trees[name] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def _errors() -> set[str]:
    """Names of `SageError` and everything that derives from it."""
    bases: dict[str, set[str]] = {}
    for tree in _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names = {_name(base) for base in node.bases}
                bases.setdefault(node.name, set()).update(names)
    errors = {"SageError"}
    # Until a walk through all classes adds none: one may stand before its base.
    while derived := {name for name in bases if bases[name] & errors} - errors:
        errors |= derived
    return errors


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _calls(
    node: ast.AST, scopes: _Scopes, owner: str
) -> Iterator[tuple[_Scopes, str, ast.Call]]:
    """Every call with the functions it is in, innermost first, and the class."""
    if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
        scopes = (node, *scopes)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield scopes, owner, child
        inner_owner = child.name if isinstance(child, ast.ClassDef) else owner
        yield from _calls(child, scopes, inner_owner)


def _text_arguments(call: ast.Call, owner: str, errors: set[str]) -> list[ast.expr]:
    """The arguments of a call that are shown.

    Args:
        call: In a module.
        owner: Class it is in.
        errors: Names of all errors.
    """
    name = _name(call.func)
    # An error hands its texts to its base.
    if name == "__init__" and owner in errors:
        name = "InvalidInput" if owner == "UnknownOperator" else "SageError"
    if name == "Text":
        return call.args[:1]
    if name in errors - _DATA_ERRORS or name == "fault":
        first = _DATA_ARGUMENTS.get(name, 0)
        return call.args[first : first + 2]
    if name in _SHOWN:
        first = _DATA_ARGUMENTS.get(name, 0)
        keywords = [word.value for word in call.keywords if word.arg in _SHOWN_KEYWORDS]
        return [*call.args[first:], *keywords]
    return []


def _literals(argument: ast.expr, scopes: _Scopes) -> Iterator[ast.expr]:
    """What an argument may be: itself, or what stands behind its name or its condition."""
    choices: list[ast.expr] = []
    match argument:
        case ast.IfExp(body=body, orelse=otherwise):
            choices = [body, otherwise]
        case ast.BoolOp(values=values):
            choices = values
        case ast.Subscript(value=ast.Name(id=name)):
            # A table of texts.
            for table in _assigned(name, scopes):
                if isinstance(table, ast.Dict):
                    choices += table.values
        case ast.Name(id=name):
            values = _assigned(name, scopes)
            # A name of a name is an argument that was handed on.
            choices = [value for value in values if not isinstance(value, ast.Name)]
        case _:
            yield argument
    for choice in choices:
        yield from _literals(choice, scopes)


def _assigned(name: str, scopes: _Scopes) -> list[ast.expr]:
    """Values a name is given in the innermost scope that gives it any."""
    for scope in scopes:
        nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
        values = []
        for node in nodes:
            if isinstance(node, ast.Assign):
                values += _values_of(name, node)
        if values:
            return values
    return []


def _values_of(name: str, assignment: ast.Assign) -> list[ast.expr]:
    """What an assignment gives to a name."""
    values = []
    for target in assignment.targets:
        for key, value in _pairs(target, assignment.value):
            if isinstance(key, ast.Name) and key.id == name:
                values.append(value)
    return values


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets with their values; those of a tuple one by one."""
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
