"""The table of the kernel API in `docs/twin-reference.md`: what the headers declare and the conformance cases call.

`python -m tests.twin.api_table` writes it into the page. Names and overloads come from the headers, data
types and the number of cases from the kernels in `kernels/`: a case counts for every name its kernel calls.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.twin.harness import COMPILER, INCLUDE, KERNELS

DOCUMENT = Path(__file__).parents[2] / "docs" / "twin-reference.md"
BEGIN, END = "<!-- api table: begin -->", "<!-- api table: end -->"
TYPES = (
    "half",
    "bfloat16_t",
    "float",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "bool",
)
_CASE_MARK = "TWIN_CASE"
_INCLUDE_LINE = re.compile(
    r"^\s*#\s*(include|error|pragma|if|ifdef|ifndef|else|elif|endif).*$", re.MULTILINE
)
_FUNCTION = re.compile(r"(\w+)\s*\(")
_CLASS = re.compile(r"^(?:struct|class)\s+(\w+)")
_PARAMETER_CLASS = re.compile(r"(Params?|Para|Info|Config|Pro|V2|V220)$")
# Types of counts and parameters, not of data.
_NUMBER_TYPE = re.compile(
    r"(?:parameter|static_cast)\s*<\w+>|(?:make|load)\s*<uint8_t>|\buint\d+_t\s*(?=[\w(])"
)


@dataclass
class Entry:
    """One name of the API."""

    kind: str
    overloads: int = 0
    cases: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)


def expanded(text: str, *definitions: str) -> str:
    """`text` with its own macros expanded and comments removed; headers stay out."""
    source = (
        "\n".join(f"#define {line}" for line in definitions)
        + "\n"
        + _INCLUDE_LINE.sub("", text)
    )
    command = [COMPILER, "-E", "-P", "-x", "c++", "-"]
    return subprocess.run(
        command, input=source, capture_output=True, text=True, check=True
    ).stdout


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Head and body of every declaration on the top level of `text`; without braces the body is empty."""
    depth, parentheses, start, body = 0, 0, 0, 0
    for at, char in enumerate(text):
        if depth == 0 and char in "()":
            parentheses += 1 if char == "(" else -1
        elif parentheses > 0:
            continue  # the braces of a default argument
        elif char == "{":
            body = at if depth == 0 else body
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                yield text[start:body].strip(), text[body + 1 : at]
                start = at + 1
        elif char == ";" and depth == 0:
            yield text[start:at].strip(), ""
            start = at + 1


def without_template(head: str) -> str:
    """A declaration without `template <...>` in front."""
    while head.startswith("template"):
        depth = 0
        for at, char in enumerate(head):
            depth += (
                {"<": 1, ">": -1}.get(char, 0) if head[at - 1 : at + 1] != "->" else 0
            )
            if char == ">" and depth == 0:
                head = head[at + 1 :].strip()
                break
        else:
            return ""
    return head


def declared() -> dict[str, Entry]:
    """Functions and classes of namespace AscendC in the headers of the kernel API."""
    headers = [
        INCLUDE / "twin" / "lib" / "composite.h",
        INCLUDE / "kernel_operator_list_tensor_intf.h",
    ]
    for folder in ("api", "lib"):
        headers += sorted(
            path
            for path in (INCLUDE / "twin" / folder).glob("*.h")
            if path not in headers
        )
    entries: dict[str, Entry] = {}
    for head, body in blocks(
        expanded(
            "\n".join(
                path.read_text() for path in headers if path.stem != "unsupported"
            )
        )
    ):
        if head != "namespace AscendC":
            continue
        for declaration, inside in blocks(body):
            plain = without_template(declaration)
            of_class = _CLASS.match(plain)
            if of_class is not None and inside:
                entries.setdefault(of_class[1], Entry("class"))
                continue
            name = _FUNCTION.search(plain.split("decltype", maxsplit=1)[0])
            if name is None or re.match(
                r"(using|enum|static_assert|inline constexpr|constexpr \w+ \w+ =)",
                plain,
            ):
                continue
            if plain.startswith("AddressOnly"):
                continue  # a second shape of an overload that is counted
            if "operator" not in plain and not name[1].startswith("twin"):
                forms = (
                    2 if "twin::Mask mask" in plain else 1
                )  # a count of lanes, or bits
                entries.setdefault(name[1], Entry("function")).overloads += forms
    return entries


def count_cases(entries: dict[str, Entry]) -> None:
    """Notes for every name which cases of the suite call it, and with which data types."""
    words = re.compile(
        r"\b("
        + "|".join(sorted(entries, key=len, reverse=True))
        + r")\b(?=\s*[(<>{&\s])"
    )
    types = re.compile(r"\b(" + "|".join(TYPES) + r")\b")
    for path in sorted(KERNELS.glob("*.cpp")):
        if path.stem in ("driver", "model"):
            continue
        text = expanded(
            path.read_text(),
            f"CASE(name, ...) ; {_CASE_MARK} name {_CASE_MARK} __VA_ARGS__ ;",
        )
        bodies: dict[str, tuple[set[str], set[str]]] = {}
        for head, body in blocks(text):
            name = _FUNCTION.search(without_template(head))
            if name is not None and body:
                bodies[name[1]] = (
                    set(words.findall(body)),
                    set(types.findall(_NUMBER_TYPE.sub("", body))),
                )
            elif head.startswith(_CASE_MARK):
                _, case, function = (part.strip() for part in head.split(_CASE_MARK))
                called, inner = bodies.get(
                    function.split("<")[0].strip(), (set(), set())
                )
                for each in called:
                    entries[each].cases.add(f"{path.stem}:{case}")
                    entries[each].types |= set(types.findall(function)) or inner


def table() -> str:
    """The table in Markdown."""
    entries = declared()
    count_cases(entries)
    rows = [
        "| name | overloads | data types in the suite | cases |",
        "|---|---|---|---|",
    ]
    for name, entry in sorted(entries.items(), key=lambda item: item[0].lower()):
        if entry.kind == "class" and (not entry.cases or _PARAMETER_CLASS.search(name)):
            continue  # parameter structures
        shown = ", ".join(f"`{each}`" for each in TYPES if each in entry.types)
        rows.append(
            f"| {name} | {entry.overloads or 'class'} | {shown} | {len(entry.cases)} |"
        )
    return "\n".join(rows)


def page_with(content: str) -> str:
    """The page with `content` between the marks."""
    page = DOCUMENT.read_text()
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{content}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    DOCUMENT.write_text(page_with(table()))
