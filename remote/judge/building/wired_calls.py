"""Which calls of the API a kernel makes, read from its object, and the two units generated from them.

A kernel whose simulator is another process (`twin/wire/call.h`) sends the number of each call and its
arguments. Every function of the API that is a template has a variable `twin_call` in each instance, whose
symbol names the instance. Calls that many kernels make are listed in `usual_calls.inc`: kernels and simulators
know their numbers. For others of a kernel one unit, linked with it, gives these variables their numbers; the
other, linked with its simulator, lists the same instances. It is compiled from the twin's headers alone, so
names are all a candidate brings into it: only names of the API, of its types and of numbers are taken, and a
call that is named otherwise has no number. A kernel can define a symbol that names any function of the twin;
its unit then lacks the symbol, which only functions of the API have (`unmarked_function`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

_SYMBOL = r"_ZZNK?(?:7AscendC|4twin)\w+E9twin_call"
_CALL = re.compile(_SYMBOL, re.ASCII)
_USUAL = re.compile(rf"^USUAL_CALL\(({_SYMBOL}),", re.ASCII | re.MULTILINE)
_ENDING = "::twin_call"
_BUILT_IN = frozenset(
    {
        *("void", "bool", "char", "short", "int", "long", "signed", "unsigned"),
        *("float", "double", "half", "bfloat16_t", "int4b_t"),
        *("const", "true", "false"),
    }
)
# Of kernel_tiling.h, which declares them in no namespace.
_TILINGS = frozenset(
    {
        *("SoftMaxTiling", "LogSoftMaxTiling", "LayerNormTiling", "RmsNormTiling"),
        *("PadTiling", "UnPadTiling", "LayerNormGradTiling"),
        *("LayerNormGradBetaTiling", "DeepNormTiling", "BatchNormTiling"),
        "GroupNormTiling",
    }
)
_TOKEN = re.compile(
    r"\s+|(?P<name>(?:AscendC|twin)(?:::[A-Za-z_]\w*)+)|(?P<word>[A-Za-z_]\w*)"
    r"|(?:-?\d+)[ul]*|[<>,&*()]",
    re.ASCII,
)
_PLAIN = _BUILT_IN | _TILINGS
_MOST_CALLS = 4096
# Characters of a symbol, four times the longest of a kernel of ours; what it names can
# be longer by any factor.
_LONGEST_SYMBOL = 1024
_AT_ONCE = 512  # symbols that one command gets


@dataclass(frozen=True)
class WiredCall:
    """One instance of a function of the API.

    Attributes:
        symbol: Of its variable `twin_call`.
        function: Its name with all template arguments.
        parameters: The types of its parameters.
    """

    symbol: str
    function: str
    parameters: str

    @property
    def entry(self) -> str:
        """How `TWIN_MADE` takes it."""
        parameters = f", {self.parameters}" if self.parameters else ""
        return f"({self.function}){parameters}"


def usual_symbols(listed: str) -> frozenset[str]:
    """Symbols of the calls in the text of `usual_calls.inc`."""
    return frozenset(_USUAL.findall(listed))


def run_command(command: Sequence[str]) -> str:
    """What a command writes, with nothing around it: for symbols of our own kernels."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wired_calls(
    defined: Iterable[str],
    usual: Container[str] = frozenset(),
    run: Callable[[Sequence[str]], str] = run_command,
) -> list[WiredCall]:
    """The calls an object makes that are not `usual`, in a fixed order.

    Args:
        defined: The names it defines.
        usual: Symbols that are left out.
        run: Runs a command and gives what it wrote; it may bound that, and what then
            lacks a line names no call.
    """
    symbols = sorted(
        name
        for name in defined
        if len(name) <= _LONGEST_SYMBOL and _CALL.fullmatch(name) and name not in usual
    )[:_MOST_CALLS]
    calls: list[WiredCall] = []
    for first in range(0, len(symbols), _AT_ONCE):
        some = symbols[first : first + _AT_ONCE]
        names = run(["c++filt", *some]).splitlines()
        if len(names) == len(some):
            made = map(_call, some, names)
            calls += [call for call in made if call is not None]
    return calls


def unmarked_function(calls: Iterable[WiredCall], defined: Container[str]) -> str:
    """The first of `calls` that is none of the API's, of the names the simulator's unit defines; or empty."""
    names = (call.function for call in calls if call.symbol not in defined)
    return next(names, "")


def _call(symbol: str, text: str) -> WiredCall | None:
    text = text.removesuffix(_ENDING)
    opening = _last_group(text)
    if opening < 0 or not _is_plain(text):
        return None
    return WiredCall(symbol, text[:opening], text[opening + 1 : -1])


def _last_group(text: str) -> int:
    """Where the parenthesis that ends `text` was opened; -1 where it ends in none."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return at if text[at] == "(" else -1
    return -1


def _is_plain(text: str) -> bool:
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or (token["word"] and token["word"] not in _PLAIN):
            return False
        at = token.end()
    return text.startswith(("AscendC::", "twin::"))


def numbering_unit(calls: Sequence[WiredCall]) -> str:
    """The unit that gives the variables of `calls` their numbers, behind those of usual calls."""
    lines = ["namespace twin {", "namespace wire {"]
    lines += [
        f'extern unsigned call_{at} asm("{call.symbol}");'
        for at, call in enumerate(calls)
    ]
    lines += ["void number_further_calls(unsigned first) {"]
    lines += [f"    call_{at} = first + {at};" for at in range(len(calls))]
    return "\n".join([*lines, "}", "}", "}", ""])


def replay_unit(calls: Sequence[WiredCall]) -> str:
    """The unit by which a simulator makes `calls`."""
    lines = ['#include "twin/wire/replay.h"', "namespace twin {", "namespace wire {"]
    lines += ["const MadeCall further_calls[] = {"]
    lines += [f"    TWIN_MADE({call.entry})," for call in calls]
    lines += ["    nullptr};", f"const uint32_t further_call_count = {len(calls)};"]
    return "\n".join([*lines, "}", "}", ""])
