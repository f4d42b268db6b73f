"""Write the built-in reference from the twin's headers: `python -m tools.api_reference.write`.

One Markdown file, read by people and by `core.references`. It is written at development time and committed,
not at set-up: the same for every user, without g++ and libclang, and a difference is seen in review.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tools.api_reference.entries import HERE, Entry, entries, modelled

TARGET = Path(__file__).parents[2] / "resources" / "references" / "ascend-c-api.md"
EXAMPLES = HERE / "examples.txt"
FILE_SCOPE = "// at file scope"
_PREFACE = (
    "What the CPU twin simulates, generated from its headers; names and signatures are those of Ascend C. "
    "Names are in the namespace AscendC unless written with another one. Lengths and offsets count elements "
    "unless said otherwise."
)
_LONG = 100  # characters of a line that is broken
_ALIGNED = (
    "local tensors begin on 32 bytes: offsets are multiples of 32 / sizeof(T) elements"
)
_PIPES = (  # what the body of a function says -> core, unit, limit
    (r"runs_matrix|Pipe :: (M|FIX|MTE1)\b", "cube core (AIC)", ""),
    (
        r"copy_in|copy_out|Transfer|contiguous \(",
        "copies: MTE2 into the core, MTE3 out of it; UB only on a vector core (AIV)",
        "local addresses begin on 32 bytes; at most 4095 blocks, of at most 65535 units each in DataCopyParams",
    ),
    (
        r"Frame ::|make_frame|issue_vector|composite_|Pipe :: V\b|map_(unary|binary)|twin :: merge\b",
        "vector core (AIV), operands in UB",
        _ALIGNED,
    ),
)


@cache
def examples() -> dict[str, str]:
    """First name of an entry -> its example."""
    text = EXAMPLES.read_text(encoding="utf-8")
    _comment, *blocks = re.split(r"^== ", text, flags=re.MULTILINE)
    code_by_name = {}
    for block in blocks:
        name, _newline, code = block.partition("\n")
        code_by_name[name.strip()] = code.strip("\n")
    return code_by_name


@cache
def newer() -> frozenset[str]:
    """Names that CANN 8.1 does not have."""
    lines = (HERE / "newer.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def text() -> str:
    """The whole document."""
    every = entries()
    first_names = {entry.names[0] for entry in every}
    unused = sorted(set(examples()) - first_names)
    assert not unused, f"{EXAMPLES.name} has examples of no entry: {', '.join(unused)}"
    parts = [
        "# Ascend C API",
        _PREFACE,
    ]
    chapter = ""
    for entry in every:
        if entry.chapter != chapter:
            chapter = entry.chapter
            parts.append(f"## {chapter}")
        parts.append(_entry_text(entry))
    return "\n\n".join(parts) + "\n"


def _entry_text(entry: Entry) -> str:
    """An entry in Markdown: names, words, forms, facts, example."""
    title = ", ".join(entry.names)
    lines = [f"### {title}", "", entry.words, ""]
    if entry.forms:
        lines += ["```cpp", *map(_line, entry.forms), "```", ""]
    lines += [f"- {fact}" for fact in _facts(entry)]
    example = examples().get(entry.names[0])
    if example:
        lines += ["", "Example:", "```cpp", example, "```"]
    return "\n".join(lines).rstrip()


def _line(form: str) -> str:
    """A form as it stands in the document: a long template head on a line of its own."""
    if "// macro" in form:
        return form
    if not form.startswith("template <") or len(form) <= _LONG:
        return f"{form};"
    depth = 0
    for place, character in enumerate(form, 1):
        depth += (character == "<") - (character == ">")
        if character == ">" and depth == 0:
            head = form[:place]
            rest = form[place:].strip()
            return f"{head}\n    {rest};"
    return f"{form};"


# Elements of the tensor `work`: pages ReduceSum, ReduceMax and ReduceMin of CANN's API reference.
_EXTREME_WORK = (
    "work holds 2 elements for each repeat (256 bytes of src), rounded up to 32 bytes; with calIndex, 2 more for "
    "each repeat of those, and so on, each round rounded up; as many as src are always enough"
)
_WORK_SIZES = {
    "ReduceMax": _EXTREME_WORK,
    "ReduceMin": _EXTREME_WORK,
    "ReduceSum": (
        "work holds 1 element for each repeat (256 bytes of src), rounded up to 32 bytes; the form with a count "
        "takes any on Ascend910B"
    ),
}


_REPEATS = (
    "a repeat is 256 bytes, at most 255 repeats a call; mask is a number of elements or two words of "
    "bits"
)
_SCRATCH = "sharedTmpBuffer is scratch in UB; its size is given on the host by the TmpSize functions"


def _facts(entry: Entry) -> list[str]:
    """What stands below the forms of an entry, one line each."""
    facts = []
    if entry.types:
        types = "; ".join(dict.fromkeys(entry.types))
        facts.append(f"Element types: {types}")
    core, limit = _core_and_limit(entry)
    limits = _limits(entry, core, limit)
    if limits:
        facts.append(f"Limits: {'; '.join(limits)}")
    places = ["host"] if entry.side == "host" else [modelled()]
    if core:
        places.append(core)
    facts.append(f"Runs on: {'; '.join(places)}")
    if newer() & set(entry.names):
        facts.append("Since: newer than CANN 8.1")
    facts.append(f"Header: `{entry.include}`")
    return facts


def _core_and_limit(entry: Entry) -> tuple[str, str]:
    """Core and unit that a function of kernels runs on, and a limit of it; both may be empty."""
    if entry.side == "host" or entry.kind != "function":
        return "", ""
    bodies = "\n".join(entry.bodies)
    for pattern, core, limit in _PIPES:
        if re.search(pattern, bodies):
            return core, limit
    return "", ""


def _limits(entry: Entry, core: str, limit: str) -> list[str]:
    """What an entry's arguments are bound to; `core` and `limit` as of `_core_and_limit`."""
    limits = [limit] if limit else []
    forms = "\n".join(entry.forms)
    if "repeatTime" in forms and "vector" in core:
        limits.append(_REPEATS)
    if "sharedTmpBuffer" in forms:
        limits.append(_SCRATCH)
    work_size = _WORK_SIZES.get(entry.names[0])
    if work_size:
        limits.append(work_size)
    return limits


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
