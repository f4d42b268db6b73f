"""The generated translation unit that joins a candidate's kernel with the runner, for one dtype signature.

It does what CANN's build does around a kernel: brings in the tiling structs that op_host declares, defines
DTYPE_* and friends from the operator definition, includes the unmodified kernel source, and calls its entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

GLUE_NAME = "launch_glue.cpp"
KERNEL_SIDE = "-DTWIN_KERNEL_SIDE=1"

_C_TYPES = {
    "float32": ("float", "DT_FLOAT"), "float16": ("half", "DT_FLOAT16"),
    "bfloat16": ("bfloat16_t", "DT_BF16"), "int8": ("int8_t", "DT_INT8"),
    "int16": ("int16_t", "DT_INT16"), "int32": ("int32_t", "DT_INT32"),
    "int64": ("int64_t", "DT_INT64"), "uint8": ("uint8_t", "DT_UINT8"), "bool": ("bool", "DT_BOOL"),
}  # fmt: skip
_TYPE_NUMBERS = {
    "DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6, "DT_UINT16": 7,
    "DT_UINT32": 8, "DT_INT64": 9, "DT_UINT64": 10, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_BF16": 27,
    "DT_INT4": 29,
}  # fmt: skip
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_PARAMETER = re.compile(r"\b(Input|Output)\s*\(\s*\"(\w+)\"\s*\)")
_REGISTERED = re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*([\w:]+)\s*\)")
_STRUCT = re.compile(r"\bBEGIN_TILING_DATA_DEF\b.*?\bEND_TILING_DATA_DEF\b", re.DOTALL)
_CONSTANT = re.compile(
    r"^[ \t]*(?:(?:static|inline)\s+)*(?:constexpr|const)\s+[\w:]+\s+\w+\s*=[^;{}]+;"
    r"|^[ \t]*#define[ \t]+\w+[ \t]+\S.*$",
    re.MULTILINE,
)
_ENTRY_LINKAGE = re.compile(r"extern\s+\"C\"(?=\s+(?:__\w+__\s+)*__global__)")


def strip_comments(text: str) -> str:
    """Blank out comments, keeping strings and the position of every line."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return _COMMENT.sub(blank, text)


def without_c_linkage(text: str) -> str:
    """Blank out `extern "C"` before kernel entries, columns kept: its name may be a C function's."""
    return _ENTRY_LINKAGE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def interface_names(host_sources: Sequence[str], kind: str, given: Sequence[str]) -> list[str]:
    """Names of the inputs (or outputs) as the candidate's OpDef spells them; DTYPE_* macros follow those.

    Args:
        host_sources: Texts of op_host.
        kind: `Input` or `Output`.
        given: Names in the operator's interface, used when the definition cannot be read.
    """
    names: list[str] = []
    for text in host_sources:
        for found_kind, name in _PARAMETER.findall(strip_comments(text)):
            if found_kind == kind and name not in names:
                names.append(name)
    return names if len(names) == len(given) else list(given)


def kernel_source(files: Mapping[str, str], snake: str) -> str | None:
    """Path of the kernel source CANN would compile: `op_kernel/<snake>.cpp`, or the only .cpp there."""
    wanted = f"op_kernel/{snake}.cpp"
    if wanted in files:
        return wanted
    sources = [path for path in files if path.startswith("op_kernel/") and path.endswith(".cpp")]
    return sources[0] if len(sources) == 1 else None


def _tiling_parts(files: Mapping[str, str]) -> list[str]:
    """Lines that declare the tiling structs of op_host in the kernel's translation unit.

    A struct and its registration may stand in different files: operators can share a struct.
    """
    headers: list[str] = []
    sources: list[str] = []
    for path in sorted(files):
        text = strip_comments(files[path]) if path.startswith("op_host/") else ""
        if "BEGIN_TILING_DATA_DEF" not in text and not _REGISTERED.search(text):
            continue
        if path.endswith((".h", ".hpp")):
            headers.append(f'#include "{path}"')
        else:
            sources.extend(_structs_of_source(path, text))
    return headers + sources


def _structs_of_source(path: str, text: str) -> list[str]:
    """Tiling structs written in a .cpp of op_host, with the plain constants they may use."""
    lines = ['#include "register/tilingdata_base.h"', "namespace optiling {"]
    structs = list(_STRUCT.finditer(text))
    bodies = "\n".join(struct[0] for struct in structs)
    for constant in _CONSTANT.finditer(text):
        name = re.search(r"#define[ \t]+(\w+)|(\w+)\s*=", constant[0])
        if name is not None and re.search(rf"\b{name[1] or name[2]}\b", bodies):
            lines += [
                f'#line {text.count(chr(10), 0, constant.start()) + 1} "{path}"',
                constant[0].strip("\n"),
            ]
    for struct in structs:
        lines += [f'#line {text.count(chr(10), 0, struct.start()) + 1} "{path}"', struct[0]]
    lines += [f"REGISTER_TILING_DATA_CLASS({op}, {name})" for op, name in _REGISTERED.findall(text)]
    return [*lines, "}"]


def kernel_glue(
    operator: Mapping[str, object],
    files: Mapping[str, str],
    kernel: str,
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
) -> str:
    """Text of the translation unit.

    Args:
        operator: `name` and `snake`.
        files: The candidate.
        kernel: Path of its kernel source.
        inputs: (name in the OpDef, dtype) in call order.
        outputs: The same for outputs.
    """
    name, snake = operator["name"], operator["snake"]
    host = "\n".join(text for path, text in files.items() if path.startswith("op_host/"))
    tiling = _tiling_parts(files)
    lines = [f"// Generated: {snake} for " + ", ".join(f"{n}={d}" for n, d in (*inputs, *outputs)), *tiling]
    lines += [f'#line {len(lines) + 2} "{GLUE_NAME}"', "namespace optiling {}", "using namespace optiling;"]
    if tiling and any(op == name for op, _ in _REGISTERED.findall(strip_comments(host))):
        lines.append(f"using TwinTilingData = twin_tiling_of_{name};")
    for type_name, number in _TYPE_NUMBERS.items():
        lines += [f"#ifndef {type_name}", f"#define {type_name} {number}", "#endif"]
    lines += ["#ifndef FORMAT_ND", "#define FORMAT_ND 2", "#endif"]
    for parameter, dtype in (*inputs, *outputs):
        c_type, type_name = _C_TYPES[dtype]
        upper = parameter.upper()
        for macro, value in (("DTYPE", c_type), ("ORIG_DTYPE", type_name), ("FORMAT", "FORMAT_ND")):
            lines += [f"#undef {macro}_{upper}", f"#define {macro}_{upper} {value}"]
    count = len(inputs) + len(outputs) + 2
    arguments = ", ".join(f"pointers[{index}]" for index in range(count))
    lines += [
        f'#include "{kernel}"',
        "namespace twin {",
        "LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers) {",
        f"    return run_kernel(launch, [pointers] {{ ::{snake}({arguments}); }});",
        "}",
        "}  // namespace twin",
        "",
    ]
    return '#include "twin/launch.h"\n' + "\n".join(lines)
