"""The built-in reference against the twin's headers, both ways, and its examples by the compiler."""

from __future__ import annotations

import re
import subprocess

import pytest

from core.references.builtin import builtin_sections
from tools.api_reference.headers import HOST, INCLUDE, KERNEL, OWN
from tools.api_reference.write import FILE_SCOPE, TARGET, text

_EXAMPLE = re.compile(r"Example:\n```cpp\n(.*?)\n```", re.DOTALL)
_CHECK = [
    "g++",
    "-std=c++17",
    "-fsyntax-only",
    "-w",
    "-I",
    str(INCLUDE),
    "-x",
    "c++",
    "-",
]
# families of functions that macros of the headers make, by the macro that makes them
_MADE = re.compile(r"^TWIN_(?!REQUIRE|UNSUPPORTED)[A-Z_0-9]+\((\w+),", re.MULTILINE)
_FUNCTION = re.compile(
    r"^(?:inline |constexpr |static )*[\w:<>&*]+ [*&]?(\w+)\(", re.MULTILINE
)
_TYPE = re.compile(
    r"^(?:class|struct|enum class|enum) (\w+)(?: [:{]| :|$)", re.MULTILINE
)
_WORDS_BEFORE = {"return", "else", "static_assert", "operator"}


def names(side: str) -> set[str]:
    """Names of the entries that the kernel's or the host's headers offer."""
    host = "Runs on: host"
    return {n for s in api() if (host in s.text) == (side == "host") for n in s.names}


def api() -> list[object]:
    return [
        section
        for section in builtin_sections()
        if section.source == "built-in reference"
    ]


def compiled(source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _CHECK, input=source, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_reference_in_the_repository_is_what_the_headers_give() -> None:
    assert TARGET.read_text(encoding="utf-8") == text(), (
        "run `python -m tools.api_reference.write`"
    )


@pytest.mark.slow
@pytest.mark.parametrize("side", ["kernel", "host"])
def test_the_compiler_knows_every_name_of_the_reference(side: str) -> None:
    """Asked of g++, which read none of the reference: a name of it that does not exist is an error."""
    macros = {
        n
        for s in api()
        for n in s.names
        if re.search(rf"^{n}\b.*// macro", s.text, re.MULTILINE)
    }
    lines = [
        f"#ifndef {name}\n#error {name}\n#endif"
        for name in sorted(macros & names(side))
    ]
    wanted = {
        name if "::" in name else f"AscendC::{name}" for name in names(side) - macros
    }
    header = KERNEL if side == "kernel" else HOST
    others = _unknown(header + "\n".join(lines), wanted)
    assert all(name.startswith("AscendC::") for name in others), others
    assert not _unknown(header, {name.removeprefix("AscendC") for name in others}), (
        "nor without a namespace"
    )


def _unknown(header: str, wanted: set[str]) -> set[str]:
    """Those of some names that g++ finds no declaration of."""
    lines = [
        f'#line 1 "{name}"\nnamespace use{number} {{ using {name}; }}'
        for number, name in enumerate(wanted)
    ]
    done = compiled("\n".join([header, *lines]))
    failed = set(re.findall(r"^(\S+?):1:\d+: error:", done.stderr, re.MULTILINE))
    assert (done.returncode == 0) == (not failed), done.stderr[:2000]
    return failed


def test_every_function_and_type_the_headers_declare_is_in_the_reference() -> None:
    """Read from the sources by plain patterns, not by what wrote the reference."""
    known = {name.rpartition("::")[2] for s in api() for name in s.names}
    missing: dict[str, str] = {}
    for folder in ("api", "lib", "host"):
        for header in sorted((INCLUDE / "twin" / folder).glob("*.h")):
            source = header.read_text(encoding="utf-8")
            for part in re.findall(
                r"^namespace (?:AscendC|matmul_tiling|gert|ops|platform_ascendc) \{$(.*?)^\}  // ",
                source,
                re.MULTILINE | re.DOTALL,
            ):
                found = {
                    *_MADE.findall(part),
                    *_FUNCTION.findall(part),
                    *_TYPE.findall(part),
                } - _WORDS_BEFORE
                sized = {
                    name for name in found if f"Get{name}MaxMinTmpSize" in known
                }  # made by name
                ours = {name for name in found if name.startswith("twin_")}
                ours |= {name.rpartition("::")[2] for name in OWN}
                missing |= dict.fromkeys(found - known - sized - ours, header.name)
    assert missing == {}


def test_every_entry_says_what_it_is_where_it_runs_and_shows_its_use() -> None:
    for section in api():
        assert "- Runs on: " in section.text, section.title
        assert "- Header: `" in section.text, section.title
        if "Not simulated" not in section.text and "// macro" not in section.text:
            assert "Example:\n```cpp" in section.text, section.title


def test_each_of_several_constants_is_declared_alone() -> None:
    constants = next(section for section in api() if "F32_NAN" in section.names)
    assert "constexpr uint32_t F32_NAN = 0x7fc00000;" in constants.text
    assert " , " not in constants.text


@pytest.mark.slow
@pytest.mark.parametrize("side", ["kernel", "host"])
def test_every_example_compiles(side: str) -> None:
    """All of a side in one translation unit; the compiler names the entry by the function around it."""
    blocks = [
        (section.names[0], found.group(1))
        for section in api()
        if ("Runs on: host" in section.text) == (side == "host")
        and (found := _EXAMPLE.search(section.text)) is not None
    ]
    assert len(blocks) > 100
    parts = [KERNEL if side == "kernel" else HOST, "using namespace AscendC;"]
    parts.append(
        "struct TwinTilingData { uint32_t length; };"
    )  # what the project's own tiling data would be
    argument = "gert::TilingContext* context" if side == "host" else ""
    for number, (name, code) in enumerate(blocks):
        line = f'#line 1 "{name}"'
        if code.startswith(FILE_SCOPE):
            parts.append(f"{line}\n{code}")
        else:
            parts.append(f"void example{number}({argument}) {{\n{line}\n{code}\n}}")
    done = compiled("\n".join(parts))
    assert done.returncode == 0, done.stderr[:4000]
