"""Of which files the judge consists, and how one of its processes is started that sees no others.

The judge shares its records with the application. So it has the same names everywhere: on a host the folder
of its program holds `remote/judge` and the shared modules of `core`, and nothing else of the application.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_JUDGE = "remote/judge"
# Records and readers of C++ that both sides use, in the order of their imports; they need the standard library alone.
_SHARED = (
    "core/evaluation/records.py",
    "core/evaluation/bottleneck.py",
    "core/evaluation/candidate_in_hand.py",
    "core/operators/spec.py",
    "core/cpp_text.py",
    "core/host_code.py",
)
# A package without this file would yield to one of the same name that a host has.
_PACKAGES = ("remote", "core", "core/evaluation", "core/operators")
_SUFFIXES = (".py", ".cpp", ".h")
# Sets up the packages around these files without a look at the folders that hold the application.
_START = f"""
import importlib, importlib.util, sys, types
root, module, *arguments = sys.argv[1:]
def load(name, path, **options):
    spec = importlib.util.spec_from_file_location(name, path, **options)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
for path in {(*_SHARED, _JUDGE)!r}:
    name = path.removesuffix(".py").replace("/", ".")
    parents = name.split(".")[:-1]
    for depth in range(len(parents)):
        parent = types.ModuleType(".".join(parents[:depth + 1]))
        parent.__path__ = []
        sys.modules.setdefault(parent.__name__, parent)
    folder = root + "/" + path
    if path.endswith(".py"):
        load(name, folder)
    else:
        load(name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.exit(importlib.import_module("remote.judge." + module).main(arguments))
"""


def program_files() -> tuple[str, ...]:
    """The judge's files, relative to `ROOT`: all that a host needs beside Python, torch and a compiler."""
    judge = (
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / _JUDGE).rglob("*")
        if path.suffix in _SUFFIXES
    )
    packages = (f"{package}/__init__.py" for package in _PACKAGES)
    return (*packages, *_SHARED, *sorted(judge))


def sources_of(*modules: str) -> dict[str, str]:
    """Path -> text of modules of the judge and of all they import, for who takes a part of it elsewhere.

    Args:
        modules: Whole names, e.g. `remote.judge.job`.
    """
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        base = ROOT / name.replace(".", "/")
        file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        path = file.relative_to(ROOT).as_posix()
        if path in texts or not file.is_file():
            continue
        texts[path] = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(texts[path])):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                inside = [f"{node.module}.{alias.name}" for alias in node.names]
                waiting += [each for each in (node.module, *inside) if _is_ours(each)]
    for path in tuple(texts):
        for folder in list(Path(path).parents)[:-1]:
            texts.setdefault((folder / "__init__.py").as_posix(), "")
    return texts


def _is_ours(module: str) -> bool:
    return module.startswith(("core.", "remote."))


def readable_paths() -> tuple[Path, ...]:
    """What a confined process of the judge has to read of its program."""
    return (*(ROOT / path for path in _SHARED), ROOT / _JUDGE)


def python_folders() -> tuple[Path, ...]:
    """Where Python's own modules and the installed ones lie."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(Path(sysconfig.get_path(name)) for name in names)


def start_command(module: str) -> list[str]:
    """The command that runs `main` of a module of the judge with the words that follow.

    Args:
        module: Its name below `remote.judge`.
    """
    return [sys.executable, "-c", _START, str(ROOT), module]
