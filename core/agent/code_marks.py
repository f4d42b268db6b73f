"""What tells a piece of kernel code whatever its variables are called: its API names and its structure.

Names a writer chooses (variables, members, constants, the usual methods of a kernel class) say nothing: two
kernels that follow one lesson rarely share any. The structure is the set of runs of three tokens in which
such names are all alike; runs that stand in any code are left out.
"""

from __future__ import annotations

import itertools
import re

from core.cpp_text import without_comments

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
_COMMON, _KEYWORDS = frozenset(_SAMPLES.split()), frozenset(_LANGUAGE.split())
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
    return _TOKEN.findall(without_comments(text))


def _is_api(name: str) -> bool:
    return (
        _API.fullmatch(name) is not None and not name.startswith("Kernel")
    ) or _API_CONSTANT.fullmatch(name) is not None


def _alike(token: str) -> str:
    """A token with what a writer chooses taken out."""
    if token[0].isdigit() or (token[0] == "." and len(token) > 1):
        if token.startswith("0x"):
            return "0"
        if token.endswith(("f", "F")):
            return "0f"
        return "0." if "." in token else "0"
    if token[0].isalpha() or token[0] == "_":
        return (
            token
            if token in _KEYWORDS or (_is_api(token) and token not in _COMMON)
            else "v"
        )
    return token
