"""A second look at adoption records: does the code revision show what the record claims?

Compares the API names and the structure of an item's code pair with those of the
changed lines. Names a writer chooses (variables, members, constants, the usual methods
of a kernel class) say nothing: two kernels that follow one lesson rarely share any. The
structure is the set of runs of three tokens in which such names are all alike; runs
that stand in any code are left out.

A doubtful record is marked in the window; the record itself, and the credit it leads
to, are never changed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

from core.cpp_text import code_of
from core.diff.lines import changed_blocks, lines_of
from core.memory.records import AdoptionState, CodeDiff

Run = tuple[str, str, str]

_TOKEN = re.compile(
    r"[A-Za-z_]\w*|\d[\w.]*|\.\d\w*|::|->|<<|>>|[-+*/%&|=!<>]=|&&|\|\||\S"
)
_API = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")
_API_CONSTANT = re.compile(
    r"(?:CAST|PIPE|DTYPE|EVENT_ID|TILING|KERNEL_TYPE|GET_TILING|REGISTER|BEGIN_TILING)_?\w+"
    r"|(?:V|S|M|FIX|MTE\d)_(?:V|S|M|FIX|MTE\d)"
)
# Written in nearly every kernel, or names every sample gives its own parts.
_SAMPLES = """
AscendC LocalTensor GlobalTensor AllocTensor FreeTensor EnQue DeQue InitBuffer SetGlobalBuffer TPipe TQue
Init Process CopyIn CopyOut Compute Run Kernel T U V S M
"""
_LANGUAGE = """
auto const constexpr static void bool true false float half double char long unsigned int8_t int16_t int32_t
int64_t uint8_t uint16_t uint32_t uint64_t size_t return else while break continue class struct template
typename using sizeof static_cast reinterpret_cast if for int bfloat16_t do switch case define include
"""
_COMMON = frozenset(_SAMPLES.split())
_KEYWORDS = frozenset(_LANGUAGE.split())
# A run of these alone stands in any code.
_PLAIN = frozenset(
    {
        "v",
        "0",
        "(",
        ")",
        ",",
        ";",
        "=",
        ".",
        "{",
        "}",
        "[",
        "]",
        "+",
        "*",
        "&",
        "#",
        ":",
    }
)

_MOST = 0.8  # share of an item's new API names that, appearing in the change, contradicts `not_adopted`
_FEWEST = 2
_TELLING = 4  # runs of tokens a piece of code needs, for its structure to say anything
_SHOWN = 0.25  # share of them that, appearing in the change, bears out `adopted`


def is_doubtful(
    state: AdoptionState,
    code: CodeDiff,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> bool:
    """Whether the change from `before` to `after` speaks against what a record says of an item.

    An item without code, or with code of too little that is its own, cannot be checked:
    no doubt. Guidance may also show in a diagnosis alone, so a doubt is a question, not
    a finding.

    Args:
        state: What the record says.
        code: The code pair of the item.
        before: Files of the kernel the round began with.
        after: Files of the kernel of the round.
    """
    names, runs = _own(code)
    says_little = not names and len(runs) < _TELLING
    if says_little or state is AdoptionState.UNRESOLVED:
        return False
    added, removed = _changed(before, after)
    if state is AdoptionState.ADOPTED:
        return not _bears_out(code, names, runs, added, removed)
    # The item is said not to be adopted, but the kernel came to call what it teaches.
    whole_before = "\n".join(before.values())
    old = api_names(removed) | api_names(whole_before)
    introduced = names & (api_names(added) - old)
    enough = max(_FEWEST, _MOST * len(names))
    return bool(before) and len(introduced) >= enough


def _bears_out(
    code: CodeDiff,
    names: frozenset[str],
    runs: frozenset[Run],
    added: str,
    removed: str,
) -> bool:
    """Whether the changed lines show an API name or the structure of an item, or undo what it warns of."""
    added_names = api_names(added)
    removed_names = api_names(removed)
    if names & (added_names | removed_names):
        return True
    gone = removed_names - added_names
    if api_names(code.wrong_code) & gone:
        return True
    if _holds_enough(structure(added), runs):
        return True
    dropped = structure(code.wrong_code) - structure(code.correct_code)
    return _holds_enough(structure(removed), dropped)


def _holds_enough(text: frozenset[Run], runs: frozenset[Run]) -> bool:
    """Whether a text, by its structure, has as many of the runs as bear out a record."""
    if len(runs) < _TELLING:
        return False
    shared = runs & text
    return len(shared) >= _SHOWN * len(runs)


def matching_lines(
    code: CodeDiff, before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[tuple[str, int], ...]:
    """Where a revision shows the code of an item: (path, 0-based line of `after`), one for each run of lines.

    A changed line counts when it holds an API name that only the item's correct code
    has; where that has none, when it holds a piece of its structure.
    """
    names, runs = _own(code)
    places = []
    for path in sorted(after):
        old = lines_of(before.get(path))
        new = lines_of(after[path])
        for block in changed_blocks(old, new):
            for line in range(block.new_start, block.new_end):
                if _shows(new[line], names, runs):
                    places.append((path, line))
                    break
    return tuple(places)


def showing_lines(code: CodeDiff, lines: Mapping[int, str]) -> frozenset[int] | None:
    """Which of `lines` (number -> text) show the code of an item.

    None where it has no code to look for.

    Names of the API tell by themselves. A piece of structure is found in any kernel, so
    that lines count only where together, within the length of the item's code, they
    hold as much of it as bears out a record.
    """
    names, runs = _own(code)
    if names:
        return frozenset(
            number for number, line in lines.items() if _shows(line, names, runs)
        )
    if len(runs) < _TELLING:
        return None
    pieces: dict[int, frozenset[Run]] = {}
    for number, line in lines.items():
        piece = runs & structure(line)
        if piece:
            pieces[number] = piece
    reach = max(1, len(code.correct_code.splitlines()))
    least = max(_TELLING, _SHOWN * len(runs))
    numbers: set[int] = set()
    for first in pieces:
        near = [number for number in pieces if first <= number < first + reach]
        together: set[Run] = set()
        for number in near:
            together |= pieces[number]
        if len(together) >= least:
            numbers.update(near)
    return frozenset(numbers)


def _shows(line: str, names: frozenset[str], runs: frozenset[Run]) -> bool:
    """Whether a line holds one of the names; where there are none, one of the runs."""
    if names:
        return not names.isdisjoint(api_names(line))
    return not runs.isdisjoint(structure(line))


def _own(code: CodeDiff) -> tuple[frozenset[str], frozenset[Run]]:
    """API names and structure only the correct code has.

    All of it when that is nothing.
    """
    names = api_names(code.correct_code)
    runs = structure(code.correct_code)
    own_names = names - api_names(code.wrong_code)
    own_runs = runs - structure(code.wrong_code)
    if own_names or own_runs:
        return own_names, own_runs
    return names, runs


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, str]:
    """The added and the removed lines."""
    added: list[str] = []
    removed: list[str] = []
    for path in sorted({*before, *after}):
        old = lines_of(before.get(path))
        new = lines_of(after.get(path))
        for block in changed_blocks(old, new):
            removed += old[block.old_start : block.old_end]
            added += new[block.new_start : block.new_end]
    return "\n".join(added), "\n".join(removed)


# ---- what tells a piece of code


def api_names(text: str) -> frozenset[str]:
    """Names of calls, types and constants of the API in some code."""
    names = (token for token in _tokens(text) if token not in _COMMON)
    return frozenset(name for name in names if _is_api(name))


def structure(text: str) -> frozenset[Run]:
    """Runs of three tokens that tell this code from any other, names a writer chooses being alike."""
    alike = [_alike(token) for token in _tokens(text)]
    runs = zip(
        alike,
        itertools.islice(alike, 1, None),
        itertools.islice(alike, 2, None),
        strict=False,
    )
    return frozenset(run for run in runs if not _PLAIN.issuperset(run))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(code_of(text))


def _is_api(name: str) -> bool:
    if _API_CONSTANT.fullmatch(name):
        return True
    # Samples call their own classes `KernelAdd`.
    return _API.fullmatch(name) is not None and not name.startswith("Kernel")


def _alike(token: str) -> str:
    """A token with what a writer chooses taken out."""
    first = token[0]
    if first.isdigit() or (first == "." and len(token) > 1):
        if token.startswith("0x"):
            return "0"
        if token.endswith(("f", "F")):
            return "0f"
        return "0." if "." in token else "0"
    if first.isalpha() or first == "_":
        is_telling = _is_api(token) and token not in _COMMON
        return token if is_telling or token in _KEYWORDS else "v"
    return token
