"""Calls of templates that kernels of ours make: `python -m tools.usual_calls` adds them to `usual_calls.inc`.

Every kernel in tests/data/kernels is compiled, which takes half an hour of a processor. What is listed already
stays: a line costs 0.04 s when the twin is prepared, and a call that is not listed half a second of waiting.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from core.operators.catalogue import catalogue_operator, operator_names
from remote.judge.building.wired_calls import usual_symbols, wired_calls
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox.objects import read_object
from remote.judge.serving.guarded import guarded
from remote.toolchains.twin import TwinToolchain
from tests.own_kernels import KERNELS, own_kernel

TWIN = Path(__file__).resolve().parents[1] / "resources" / "twin"
LIST = TWIN / "src" / "usual_calls.inc"
_HEAD = """\
// Calls of templates that many kernels make: symbol of the variable with its number, function and parameters.
// Written by `python -m tools.usual_calls`.
"""
_OF_A_SIMULATOR = "usual_call_count"  # in the name of a variable of it


def list_text(symbols: Iterable[str]) -> str:
    """The text of the list with the calls of these symbols."""
    calls = wired_calls(symbols)
    ordered = sorted(calls, key=lambda call: (call.function, call.parameters))
    lines = [f"USUAL_CALL({call.symbol}, {call.entry})\n" for call in ordered]
    return _HEAD + "".join(lines)


def symbols_of_kernels(names: Iterable[str], cache: Path) -> frozenset[str]:
    """Symbols that the kernels of these operators define, built into a cache with nothing else in it."""
    judge = Judge(cache, TWIN, workers=2)
    toolchain = TwinToolchain(cache, TWIN)
    for name in names:
        request = toolchain.request(catalogue_operator(name), own_kernel(name))
        payload = {**request.payload, "id": request.job, "build_only": True}
        children = ChildGroup(name)
        guarded(lambda _job: judge, payload, children, lambda *_, **__: None)
    of_kernels: set[str] = set()
    for program in cache.rglob("program"):
        symbols = read_object(program).defined
        is_simulator = any(_OF_A_SIMULATOR in symbol for symbol in symbols)
        if not is_simulator:
            of_kernels |= set(symbols)
    return frozenset(of_kernels)


def main() -> None:
    """Build all kernels and write the list."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    own = {folder.name for folder in KERNELS.iterdir()}
    names = sorted(own & set(operator_names()))
    with tempfile.TemporaryDirectory(prefix="sage-usual-calls-") as folder:
        symbols = symbols_of_kernels(names, Path(folder))
    listed = usual_symbols(LIST.read_text())
    LIST.write_text(list_text(symbols | listed))


if __name__ == "__main__":
    main()
