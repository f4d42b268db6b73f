"""Entries of the reference: declarations of the headers, grouped and with the words of `words.txt`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from remote.judge.building.processors import processors
from tools.api_reference.headers import OWN, TWIN, Declaration, declarations

HERE = Path(__file__).parent
_INTERNAL = re.compile(r"\btwin::|AddressOnly|TBufHandle")
# Takes the tiling data of either side.
_FILLED = re.compile(r"twin::host::Filled<::(\w+)>")
_STANDARD_LIBRARY = (
    "Type traits, tuples and helpers of the standard library in a kernel."
)
_NOT_SIMULATED = re.compile(
    r'"[^"]*"\s*": not simulated by the CPU twin \(" "([^"]*)" "\)"'
)
# Names that need no line in `words.txt` -> their words.
_TMP = (
    (
        r"Get(\w+?)(?:Max|Min)+TmpSize|Get(\w+)TmpSize",
        "Bytes of the temporary buffer (sharedTmpBuffer) that {} needs, on the host.",
    ),
    (
        r"Get(\w+)TmpBufferFactorSize",
        "Elements of temporary space that {} needs for each live element, on the host.",
    ),
    (r"Get(\w+?)(?:ND)?TilingInfo", "Fill the tiling of {} on the host."),
)
# Beginning of a header's path -> chapter and the header a project includes.
_CHAPTERS = (
    ("twin/api/tensor", "Tensors", "kernel_operator.h"),
    ("twin/api/pipe_memory", "Memory, queues and buffers", "kernel_operator.h"),
    ("twin/api/queue", "Memory, queues and buffers", "kernel_operator.h"),
    (
        "kernel_operator_list_tensor_intf",
        "Copies and atomics",
        "kernel_operator_list_tensor_intf.h",
    ),
    ("twin/api/data_copy", "Copies and atomics", "kernel_operator.h"),
    ("twin/api/global_fill", "Copies and atomics", "kernel_operator.h"),
    ("twin/api/sync", "Synchronisation", "kernel_operator.h"),
    ("twin/api/core_order", "Synchronisation", "kernel_operator.h"),
    ("twin/api/vector_sort", "Sorting, gathering, transposing", "kernel_operator.h"),
    ("twin/api/vector_gather", "Sorting, gathering, transposing", "kernel_operator.h"),
    (
        "twin/api/vector_transpose",
        "Sorting, gathering, transposing",
        "kernel_operator.h",
    ),
    ("twin/api/vector_reduce", "Reductions", "kernel_operator.h"),
    ("twin/api/vector", "Vector instructions", "kernel_operator.h"),
    ("twin/api/compare_register", "Vector instructions", "kernel_operator.h"),
    ("twin/api/cube", "Matrix instructions of the cube core", "kernel_operator.h"),
    ("twin/api/tiling_access", "Kernel, tiling data and cores", "kernel_operator.h"),
    ("twin/api/system", "Kernel, tiling data and cores", "kernel_operator.h"),
    ("twin/api/language", "Kernel, tiling data and cores", "kernel_operator.h"),
    ("twin/api/dump", "Kernel, tiling data and cores", "kernel_operator.h"),
    ("twin/api/unsupported", "Not simulated", "kernel_operator.h"),
    ("twin/api/legacy", "Older and raw names", "kernel_operator.h"),
    ("twin/api/raw", "Older and raw names", "kernel_operator.h"),
    ("twin/api", "Types and constants of kernels", "kernel_operator.h"),
    ("twin/core", "Types and constants of kernels", "kernel_operator.h"),
    ("twin/lib/matmul", "Matmul object", "lib/matmul_intf.h"),
    ("kernel_tiling", "Tilings of library functions", "kernel_tiling/kernel_tiling.h"),
    ("twin/lib", "Library functions", "kernel_operator.h"),
    ("twin/host/matmul_tiling", "Host: tiling of products", "tiling/tiling_api.h"),
    ("twin/host/multi_core_tiling", "Host: tiling of products", "tiling/tiling_api.h"),
    ("twin/host/library", "Host: library functions", "tiling/tiling_api.h"),
    ("twin/host/training_tiling", "Host: library functions", "tiling/tiling_api.h"),
    ("twin/host/tiling_api", "Host: library functions", "tiling/tiling_api.h"),
    ("twin/host/tiling_data", "Host: tiling data", "register/tilingdata_base.h"),
    (
        "twin/template_argument",
        "Host: tiling keys of template arguments",
        "ascendc/host_api/tiling/template_argument.h",
    ),
    (
        "twin/host/tiling_templates",
        "Host: tiling data",
        "tiling/tiling_templates_registry.h",
    ),
    ("twin/host/platform", "Host: processor", "tiling/platform/platform_ascendc.h"),
    ("twin/host/log", "Host: logs and checks", "aclnn/opdev/op_log.h"),
    (
        "twin/host/type_utils",
        "Host: definition, tiling and inference",
        "graph/utils/type_utils.h",
    ),
    (
        "twin/host",
        "Host: definition, tiling and inference",
        "register/op_def_registry.h",
    ),
)


@dataclass
class Entry:
    """One entry. `names` are qualified unless of AscendC; `forms` and `types` are those of all of them."""

    names: list[str]
    words: str
    chapter: str
    include: str
    side: str
    kind: str
    forms: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)


@cache
def public_names() -> dict[str, Declaration]:
    """Qualified name -> declaration, the kernel's and the host's side merged."""
    merged: dict[str, Declaration] = {}
    for side in ("kernel", "host"):
        for entry in declarations(side).values():
            # The same structures under a second namespace, and names of the twin.
            if entry.space == "AscendC::tiling" or entry.qualified in OWN:
                continue
            earlier = merged.get(entry.qualified)
            if earlier is None:
                merged[entry.qualified] = entry
            elif earlier.side == side:
                _merge(earlier, entry)
            else:
                earlier.side = "kernel and host"
    return merged


def _merge(declaration: Declaration, other: Declaration) -> None:
    """Add to a declaration what another one of the same name says."""
    forms = declaration.forms
    declaration.forms += [form for form in other.forms if form not in forms]
    if declaration.kind == "alias":
        declaration.kind = other.kind
    declaration.types += other.types
    declaration.bodies += other.bodies
    declaration.comment = declaration.comment or other.comment


Words = tuple[tuple[str, ...], str]
"""The names that share an entry, and what it says of them."""


def words() -> dict[str, Words]:
    """Name -> its line in `words.txt`."""
    texts: dict[str, Words] = {}
    for line in (HERE / "words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        names, text = re.split(r":\s", line, maxsplit=1)
        group = tuple(name.strip() for name in names.split(","))
        texts |= dict.fromkeys(group, (group, text.strip()))
    return texts


def entries() -> list[Entry]:
    """All entries by chapter, then by name."""
    names, texts = public_names(), words()
    unknown = sorted(set(texts) - set(names))
    assert not unknown, f"words.txt names what no header offers: {', '.join(unknown)}"
    by_group: dict[str, Entry] = {}
    for name, declaration in names.items():
        chapter, include = _chapter(declaration)
        group, text = texts.get(name) or _usual_words(name, declaration)
        entry = by_group.get(group[0])
        if entry is None:
            side, kind = declaration.side, declaration.kind
            entry = Entry([], text, chapter, include, side, kind)
            by_group[group[0]] = entry
        _add(entry, name, declaration, several=group != (name,))
    wordless = [entry for entry in by_group.values() if not entry.words]
    missing = sorted(name for entry in wordless for name in entry.names)
    assert not missing, (
        f"no words for {', '.join(missing)}; write a line in {HERE / 'words.txt'}"
    )
    chapters = [chapter for _beginning, chapter, _include in _CHAPTERS]
    order = list(dict.fromkeys(chapters))

    def rank(entry: Entry) -> tuple[int, str]:
        return order.index(entry.chapter), entry.names[0].lower()

    return sorted(by_group.values(), key=rank)


def _usual_words(name: str, declaration: Declaration) -> Words:
    """Words of a name that has no line in `words.txt`; empty ones where it needs a line."""
    if declaration.space == "AscendC::Std":
        return ("AscendC::Std",), _STANDARD_LIBRARY
    if declaration.kind == "constant":
        chapter, _include = _chapter(declaration)
        return (f"constants of {chapter}",), "Constants."
    text = _not_simulated(declaration) or declaration.comment or _generic(name)
    return (name,), text


def _add(entry: Entry, name: str, declaration: Declaration, *, several: bool) -> None:
    """Add a name to an entry; `several`: it is not the only one."""
    entry.names.append(name)
    entry.forms += _forms(name, declaration, several=several)
    entry.types += [kind for kind in declaration.types if kind not in entry.types]
    entry.bodies += declaration.bodies


def _forms(name: str, declaration: Declaration, *, several: bool) -> list[str]:
    """The forms of a name as its entry shows them."""
    filled = (_FILLED.sub(r"optiling::\1&", form) for form in declaration.forms)
    forms = list(dict.fromkeys(filled))
    forms = [form for form in forms if not _INTERNAL.search(form)] or forms
    if declaration.kind == "alias":
        return [re.sub(r" ?(::|\(|\)|\*) ?", r"\1", form) for form in forms]
    if declaration.kind == "enum":
        return [f"enum {name} {{ {', '.join(forms)} }}"]
    if declaration.kind == "class":
        is_template = any(form.startswith("template") for form in forms)
        # The only structure of an entry shows its members one a line.
        if is_template or (len(forms) > 1 and not several):
            return forms
        if not forms:
            return [f"struct {name}"]
        members = "; ".join(forms)
        return [f"struct {name} {{ {members} }}"]
    if declaration.kind == "macro":
        whole = (form if "(" in form else name for form in forms)
        return [f"{form}  // macro" for form in whole]
    return [] if declaration.space == "AscendC::Std" else forms


def _chapter(declaration: Declaration) -> tuple[str, str]:
    """The chapter of a declaration, and the header a project includes for it."""
    for beginning, chapter, include in _CHAPTERS:
        if declaration.header.startswith(beginning):
            return chapter, include
    chapter = "Types and constants of kernels"
    if declaration.side == "host":
        chapter = "Host: definition, tiling and inference"
    return chapter, declaration.header


def _not_simulated(declaration: Declaration) -> str:
    """That the twin refuses it, as its body says; empty where it does not."""
    for body in declaration.bodies:
        refusal = _NOT_SIMULATED.search(body)
        if refusal is not None:
            return f"Not simulated by the CPU twin ({refusal.group(1)}); do not use it."
    return ""


def _generic(name: str) -> str:
    """The words of `_TMP` for a name; empty where none fit."""
    for pattern, text in _TMP:
        match = re.fullmatch(pattern, name)
        if match is not None:
            functions = (group for group in match.groups() if group)
            return text.format(next(functions))
    return ""


def modelled() -> str:
    """The processors the twin models, by series."""
    names = processors(TWIN / "processors.toml").modelled
    series = (re.sub(r"(910B|910_93).*", r"\1", name) for name in names)
    return ", ".join(dict.fromkeys(series))
