"""The digest of all texts that ship for a model to read: what an experiment is made with stays what it is run with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable

from core.experiments.plans.plan import Plan
from core.operators.catalogue import find_operator

FOLDERS = ("prompts", "skills", "references")


def texts_digest(plan: Plan) -> str:
    """sha256 over prompts, skills, references, and the files of every operator of a plan.

    The first memory has a digest of its own; reference folders of the user are not among them.
    """
    total = hashlib.sha256()
    for name in FOLDERS:
        for path, data in _files(resources.files("resources") / name, name):
            total.update(f"{path}\0{len(data)}\0".encode())
            total.update(data)
    named = {pair for arm in plan.arms for pair in plan.operators_of(arm)}
    for source, operator in sorted(named):
        digest = find_operator(source, operator).digest
        total.update(f"{operator}\0{digest}\0".encode())
    return total.hexdigest()


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file below a folder, by name."""
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        place = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _files(entry, place)
        else:
            yield place, entry.read_bytes()
