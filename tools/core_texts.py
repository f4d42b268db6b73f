"""Sentences that `core` and `remote` may say in the window: templates with gaps, read from their source.

Found are the arguments of every `SageError` and its kinds, of doctor's and model's checks, and of progress
notes. A translation of them is welcome, not demanded: see `sage_desktop.ui.spoken`.
"""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.translations import FOLDER, ROOT

_SPEAKERS = {"Check", "progress", "_abandon", "fault", "Stop", "Tool", "DiagnosticResult"}
_WHOLE = ("remote/hosts/doctor.py", "sage_desktop/services/model_check.py")
_ALSO = (
    "this computer", "CPU twin (modelled {0})", "scripted demonstration", "manual", "Check the path.",
    "scripted", "recorded", "live", "repetition {0}", "{0} (msSanitizer, on the device)",
    "{0}: errors and hazards: {1}, warnings and notes: {2}", "errors and hazards: {0}, warnings: {1}",
    "{0}: nothing was printed",
    *(f"the limit of {{0}} {unit} per {whose} is reached ({{1}} {used})" for whose in ("operator", "run")
      for unit, used in (("tokens", "used"), ("s", "s used"))),
    *(f"the limit of {{0}} per {whose} is reached ({{1}} spent)" for whose in ("operator", "run")),
)  # fmt: skip
_NAMED = {"remedy", "problem", "detail", "found", "fix", "summary"}
_NAMES = {"SageError", "InvalidInput"}


@cache
def sources() -> tuple[str, ...]:
    """Every template, in order."""
    trees = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for room in ("core", "remote", "sage_desktop")
        for path in sorted((ROOT / room).rglob("*.py"))
        if "commands" not in path.parts
    }
    speakers = _SPEAKERS | _errors(list(trees.values()))
    found = set(_ALSO)
    for name, tree in trees.items():
        found |= set(_said(tree, speakers, whole=name in _WHOLE))
    return tuple(sorted(text for text in found if any(map(str.isalpha, text.replace("{", "")))))


def _errors(trees: list[ast.Module]) -> set[str]:
    """Names of `SageError` and everything that derives from it."""
    known = set(_NAMES)
    while True:
        more = {
            node.name
            for tree in trees
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and any(getattr(base, "id", getattr(base, "attr", "")) in known for base in node.bases)
        }
        if more <= known:
            return known
        known |= more


def _said(tree: ast.Module, speakers: set[str], *, whole: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in speakers or (name == "__init__" and isinstance(node.func, ast.Attribute)):
                # the first two arguments of InvalidInput name a file and a field
                named = [keyword.value for keyword in node.keywords if keyword.arg in _NAMED]
                for argument in [*node.args[2 if name == "InvalidInput" else 0 :], *named]:
                    yield from (text for text in _templates(argument) if whole or " " in text)
        elif whole and isinstance(node, ast.Assign):
            yield from _templates(node.value)


def _templates(argument: ast.expr) -> Iterator[str]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value
    elif isinstance(argument, ast.IfExp):
        yield from _templates(argument.body)
        yield from _templates(argument.orelse)
    elif isinstance(argument, ast.Tuple):
        for part in argument.elts:
            yield from _templates(part)
    elif isinstance(argument, ast.JoinedStr):
        text, gaps = "", 0
        for part in argument.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
            else:
                text, gaps = f"{text}{{{gaps}}}", gaps + 1
        yield text


def file_of(language: str) -> Path:
    """The Linguist file with the templates."""
    return FOLDER / f"core_{language}.ts"


def write(language: str, done: dict[str, str]) -> None:
    """Write every template with its translation where there is one."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ET.SubElement(root, "context")
    ET.SubElement(context, "name").text = "Core"
    for text in sources():
        message = ET.SubElement(context, "message")
        ET.SubElement(message, "source").text = text
        words = ET.SubElement(message, "translation", {} if text in done else {"type": "unfinished"})
        words.text = done.get(text)
    ET.indent(root, "  ")
    body = ET.tostring(root, encoding="unicode")
    file_of(language).write_text(
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8"
    )
