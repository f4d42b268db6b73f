"""What CANN's build puts around a kernel, as one source for each dtype signature, or one for all.

The unit holds what `glue.kernel_prelude` gives for the CPU twin too: tiling structs, DTYPE_* and the kernel
source. The headers in `kernel_side` stand before those of CANN: they give the tiling structs of op_host as
plain ones, as CANN's own build does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.cpp_text import code_in_place
from remote.judge.building.glue import (
    FORMATS,
    GLUE_NAME,
    declared_outputs,
    entry_parameters,
    kernel_prelude,
    kernel_text,
)
from remote.judge.job import Names

# What a candidate's files define for the preprocessor; and what guards a file by its name.
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b.*$", re.MULTILINE)
# A kernel that adds to a namespace of others cannot be put into a namespace of its own.
_OTHERS_NAMESPACE = re.compile(r"\bnamespace\s+(?:AscendC|matmul|std)\b[^;{]*\{")
_KERNEL_SIDE = Path(__file__).parent / "kernel_side"
# Of `kernel_side_texts`: what is precompiled and stands before a kernel. The first brings in kernel_operator.h.
_PRELUDE, _MATMUL_PRELUDE = PRELUDES = ("sage_kernel.h", "sage_matmul.h")
_MATMUL = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"lib/matmul_intf\.h"', re.MULTILINE)

# The form for a CPU, on vector and cube cores of Ascend910B; the flags are those of
# CANN's own build for a CPU. A kernel is compiled once for all of its tiling keys, so
# the key is a constant, as on the device.
KERNEL_DEFINES = (
    "__CCE_AICORE__=220",
    "__DAV_C220__",
    "__CCE_KT_TEST__=1",
    "ASCENDC_CPU_DEBUG=1",
    "ASCENDC_DEBUG=1",
    "TILING_KEY_VAR=0",
)

_ADDRESS_CALL = re.compile(r"(?P<arrow>\.|->)\s*GetPhyAddr\s*\((?P<empty>\s*\))?")
_NAME_BEFORE = re.compile(r"[A-Za-z_]\w*\Z")
_MEMBER_BEFORE = re.compile(r"(?:\.|->|::)(?:\s*template)?\s*\Z")
_STATEMENT_WORDS = frozenset({"return", "case", "else", "co_return", "throw"})
_OPENING = {")": "(", "]": "[", ">": "<"}


def kernel_side_texts() -> dict[str, str]:
    """Our headers that stand before those of CANN: relative path -> text."""
    return {
        path.relative_to(_KERNEL_SIDE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(_KERNEL_SIDE.rglob("*.h"))
    }


def prelude_of(sources: Mapping[str, str]) -> str:
    """Which of `PRELUDES` a kernel begins with: that of the matrix library where it includes that.

    Args:
        sources: Path -> text, of a candidate or of its unit.
    """
    includes_matmul = any(
        _MATMUL.search(code_in_place(text))
        for path, text in sources.items()
        if path.startswith("op_kernel/")
    )
    return _MATMUL_PRELUDE if includes_matmul else _PRELUDE


def kernel_unit(
    operator: Names,
    files: Mapping[str, str],
    kernel: str,
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
) -> dict[str, str]:
    """The sources of one signature: path -> text, among them `GLUE_NAME`, which is compiled.

    Args:
        operator: What it is called.
        files: The candidate.
        kernel: Path of its kernel source.
        inputs: (name, dtype) of the operator's inputs, in call order.
        outputs: The same for its outputs.
    """
    dtypes = dict(outputs)
    parameters = entry_parameters(files[kernel], operator.snake)
    declared = declared_outputs(
        files, [name for name, _ in inputs], list(dtypes), parameters
    )
    typed_names = [(name, dtypes[name]) for name in declared]
    prelude = kernel_prelude(operator, files, kernel, inputs, typed_names)
    text = "\n".join(line for line in prelude if line != FORMATS) + "\n"
    # The names by which the twin finds the struct are those of its own macros.
    text = text.replace("TwinTilingData", "RegisteredTiling")
    text = text.replace("twin_tiling_of_", "tiling_of_")
    return {**_readable_sources(files), GLUE_NAME: text}


def shared_unit(units: Sequence[Mapping[str, str]]) -> dict[str, str] | None:
    """All signatures of a kernel as one source, which is accepted only where each of them is.

    Most of a compile is what the headers instantiate at its end, whatever the kernel is: that is done once. The
    first signature stands where it stands by itself, each other one in a namespace of its own, with the macros
    that were there before the first. Only acceptance means something: a kernel may be refused for standing in
    a namespace, and messages have other lines.

    Args:
        units: `kernel_unit` of every signature.

    Returns:
        None where there is one signature, or the kernel adds to a namespace of CANN's.
    """
    if len(units) < 2:
        return None
    sources = {path: text for path, text in units[0].items() if path != GLUE_NAME}
    if any(_OTHERS_NAMESPACE.search(code_in_place(text)) for text in sources.values()):
        return None
    guarded = {
        path: _with_guard(text, f"SAGE_FILE_{number}")
        for number, (path, text) in enumerate(sources.items())
    }
    texts = [unit[GLUE_NAME] for unit in units]
    macros = _macros_of((*guarded.values(), *texts))
    remembered = [f'#pragma push_macro("{name}")' for name in macros]
    restored = [f'#pragma pop_macro("{name}")' for name in macros]
    lines: list[str] = []
    for number, text in enumerate(texts):
        spaced = [f"namespace signature_{number} {{", text, "}"] if number else [text]
        lines += [*remembered, *spaced, *restored]
    return {**guarded, GLUE_NAME: "\n".join([*lines, ""])}


def _macros_of(texts: Iterable[str]) -> list[str]:
    """Names that texts define for the preprocessor."""
    return sorted({name for text in texts for name in _MACRO.findall(text)})


def _with_guard(text: str, macro: str) -> str:
    """`text` with a macro in place of `#pragma once`, which cannot be taken back."""
    if not _ONCE.search(code_in_place(text)):
        return text
    return f"#ifndef {macro}\n#define {macro}\n{_ONCE.sub('', text)}\n#endif\n"


def _readable_sources(files: Mapping[str, str]) -> dict[str, str]:
    """The candidate's files that a kernel may include, as a C++ compiler of the machine takes them.

    Kernel entries lose `extern "C"`: on the device they share no names with the C
    library, so an entry called `sqrt` is no second declaration of its `sqrt`.
    """
    kernel_files = {
        path: with_device_addresses(kernel_text(text))
        for path, text in files.items()
        if path.startswith("op_kernel/")
    }
    host_headers = {
        path: text
        for path, text in files.items()
        if path.startswith("op_host/") and not path.endswith((".cpp", ".cc"))
    }
    return {**kernel_files, **host_headers}


def with_device_addresses(text: str) -> str:
    """`text` with `x.GetPhyAddr(…)` written as `sage_physical_address(x, …)`, lines kept.

    In headers in the form for a CPU, the address of a LocalTensor is a pointer; on the device it is a
    number. The function gives the type of the device, see `kernel_side/sage_kernel.h`.
    """
    position = 0
    while match := _ADDRESS_CALL.search(code := code_in_place(text), position):
        begin = _expression_start(code, match.start())
        position = match.end()
        if begin == match.start():
            continue  # nothing it would be a member of
        tensor = text[begin : match.start()]
        tensor = f"*({tensor})" if match["arrow"] == "->" else tensor
        end = ")" if match["empty"] is not None else ", "
        call = f"sage_physical_address({tensor}{end}"
        text = text[:begin] + call + text[match.end() :]
        position = begin + len(call)
    return text


def _expression_start(code: str, end: int) -> int:
    """Where the expression begins whose member is named at `end`; `end` when there is none."""
    start, place = end, end
    while True:
        place = len(code[:place].rstrip())
        while place and code[place - 1] in _OPENING:
            if code[place - 1] == ">" and not (place == start < end):
                return start  # a comparison, not template arguments of a call
            opened = _opening_before(code, place - 1)
            if opened < 0:
                return start
            start = place = opened
            place = len(code[:place].rstrip())
        name = _NAME_BEFORE.search(code, max(0, place - 256), place)
        if name is None or name[0] in _STATEMENT_WORDS:
            return start
        start = name.start()
        member = _MEMBER_BEFORE.search(code, max(0, start - 32), start)
        if member is None:
            return start
        start = place = member.start()


def _opening_before(code: str, closing: int) -> int:
    """Place of the bracket that the one at `closing` closes; -1 when there is none."""
    waiting: list[str] = []
    for place in range(closing, -1, -1):
        letter = code[place]
        if letter == ">" and code[place - 1 : place] == "-":
            continue
        if letter in _OPENING:
            waiting.append(_OPENING[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place
        elif letter in ";{}":
            return -1
    return -1
