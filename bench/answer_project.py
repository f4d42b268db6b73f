"""What of an expert's answer belongs to the operator package, as the answer's own CMakeLists.txt says.

Repositories of operators keep the sources of several libraries in one op_host: definition, tiling and shape
functions of the operator, and the `aclnn` interface (target `opapi`), a library of its own in the toolkit
that prepares arguments for the operator. The benchmark builds the targets as they are listed. A candidate
has op_host and op_kernel alone, so the sources of `opapi`, and those no target names, are left out, with the
headers only they use.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

_TARGET = re.compile(r"target_sources\s*\(\s*(\w+)\s+\w+\s+([^)]*)\)")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_INTERFACE = "opapi"
_SOURCES, _HEADERS = {".cpp", ".cc"}, {".h", ".hpp"}


def copy_project(answer: Path, into: Path) -> list[str]:
    """Put op_host and op_kernel of `answer` into `into`.

    Returns:
        What was left out, as paths in the answer.
    """
    left_out = _left_out(answer)
    for file in sorted(answer.rglob("*")):
        name = file.relative_to(answer).as_posix()
        if (
            file.is_file()
            and name.startswith(("op_host/", "op_kernel/"))
            and name not in left_out
        ):
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return sorted(left_out)


def _left_out(answer: Path) -> set[str]:
    lists = answer / "CMakeLists.txt"
    text = (
        re.sub(r"#.*", "", lists.read_text(encoding="utf-8")) if lists.is_file() else ""
    )
    listed = {target: set(files.split()) for target, files in _TARGET.findall(text)}
    wanted = {
        name
        for target, names in listed.items()
        if target != _INTERFACE
        for name in names
    }
    host = {
        path.relative_to(answer).as_posix(): path
        for path in (answer / "op_host").rglob("*")
        if path.is_file()
    }
    if not wanted & set(host):
        return set()  # built as the whole folder, as a project of msopgen is
    used = {name for name in host if name in wanted}
    waiting = list(used)
    while waiting:
        for include in _INCLUDE.findall(
            host[waiting.pop()].read_text(encoding="utf-8", errors="replace")
        ):
            own = {
                name
                for name in host
                if PurePosixPath(name).name == PurePosixPath(include).name
            } - used
            used |= own
            waiting += own
    return {
        name
        for name, path in host.items()
        if path.suffix in _SOURCES | _HEADERS and name not in used
    }
