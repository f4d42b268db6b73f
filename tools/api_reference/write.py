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
    blocks = re.split(
        r"^== ", EXAMPLES.read_text(encoding="utf-8"), flags=re.MULTILINE
    )[1:]
    return {
        name.strip(): code.strip("\n")
        for name, _, code in (block.partition("\n") for block in blocks)
    }


@cache
def newer() -> frozenset[str]:
    """Names that CANN 8.1 does not have."""
    lines = (HERE / "newer.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def text() -> str:
    """The whole document."""
    every = entries()
    unused = sorted(set(examples()) - {entry.names[0] for entry in every})
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
    lines = [f"### {', '.join(entry.names)}", "", entry.words, ""]
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
    depth = 0
    for place, character in enumerate(
        form if form.startswith("template <") and len(form) > _LONG else ""
    ):
        depth += (character == "<") - (character == ">")
        if character == ">" and depth == 0:
            return f"{form[: place + 1]}\n    {form[place + 1 :].strip()};"
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


def _facts(entry: Entry) -> list[str]:
    facts = []
    if entry.types:
        facts.append(f"Element types: {'; '.join(dict.fromkeys(entry.types))}")
    host = entry.side == "host"
    where, limits = "host" if host else "", []
    bodies = "\n".join(entry.bodies)
    for pattern, core, limit in () if host or entry.kind != "function" else _PIPES:
        if re.search(pattern, bodies):
            where, limits = core, [limit] if limit else []
            break
    forms = "\n".join(entry.forms)
    if "repeatTime" in forms and entry.kind == "function" and "vector" in where:
        limits.append(
            "a repeat is 256 bytes, at most 255 repeats a call; mask is a number of elements or two words of "
            "bits"
        )
    if "sharedTmpBuffer" in forms:
        limits.append(
            "sharedTmpBuffer is scratch in UB; its size is given on the host by the TmpSize functions"
        )
    if size := _WORK_SIZES.get(entry.names[0]):
        limits.append(size)
    if limits:
        facts.append(f"Limits: {'; '.join(limits)}")
    facts.append(
        f"Runs on: {where}"
        if host
        else f"Runs on: {modelled()}{f'; {where}' if where else ''}"
    )
    if newer() & set(entry.names):
        facts.append("Since: newer than CANN 8.1")
    facts.append(f"Header: `{entry.include}`")
    return facts


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
