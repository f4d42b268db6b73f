"""A candidate as files for other tools: msopgen project, NPUKernelBench answer, direct-launch JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.exporters.interface_json import interface_json
from core.operators.spec import OperatorSpec
from core.outside import json_value
from core.sentence import Sentence
from core.templates import rendered

ANSWER = "answer/0"
_SOURCES = (".cpp", ".cc")
_DIRECT_FORMAT = "0.1"
_ENTRY = "ModelNew.py"


def export_msopgen_project(
    spec: OperatorSpec, candidate: Candidate, soc: str = "Ascend910B1"
) -> dict[str, str]:
    """Everything msopgen needs to build the candidate on a machine with CANN.

    The project files themselves come from the msopgen of that machine, so they fit its CANN version:
    `create_project.sh` has it generate them and then puts the candidate's sources in place.

    Args:
        spec: The operator.
        candidate: Its sources.
        soc: Processor to build for.

    Returns:
        Relative path -> text.
    """
    snake = spec.snake_name
    script = rendered("exported/create_project.sh.jinja", name=spec.name, snake=snake, soc=soc)
    files = {f"{snake}.json": interface_json(spec, spec.name), "create_project.sh": script}
    return files | dict(candidate.files)


def export_answer_folder(spec: OperatorSpec, candidate: Candidate) -> dict[str, str]:
    """The candidate where NPUKernelBench looks for an answer: `answer/0/` with its own build description.

    The benchmark copies the folder to `src/ops/<operator>` of a project for all operators, which enters it
    with CMake: `CMakeLists.txt` adds the operator's sources to the targets of that project.

    Raises:
        InvalidInput: No host file registers the operator.
    """
    files = {**candidate.files, "CMakeLists.txt": _answer_cmake(spec, candidate)}
    return {f"{ANSWER}/{path}": text for path, text in files.items()}


def _answer_cmake(spec: OperatorSpec, candidate: Candidate) -> str:
    host = [path for path in candidate.files if path.startswith("op_host/") and path.endswith(_SOURCES)]
    defining = [path for path in host if re.search(rf"\bOP_ADD\s*\(\s*{spec.name}\b", candidate.files[path])]
    if len(defining) != 1:
        problem = Sentence(
            "{count} host files register it with OP_ADD({spec}) instead of one",
            count=len(defining),
            spec=spec.name,
        )
        raise InvalidInput(spec.name, "op_host", problem)
    sources = "\n    ".join(sorted(host))
    return rendered("exported/answer.cmake.jinja", name=spec.name, defining=defining[0], sources=sources)


def read_answer_folder(folder: Path) -> Candidate:
    """The candidate in an NPUKernelBench-shaped folder, exported here or written by a person.

    Args:
        folder: Holds `answer/0/`, or `op_host/` and `op_kernel/` themselves.

    Raises:
        InvalidInput: See `read_candidate`.
    """
    inner = folder / ANSWER
    return read_candidate(inner if inner.is_dir() else folder)


def export_direct_launch(name: str, sources: Mapping[str, str], author: str, description: str = "") -> str:
    """MultiKernelBench's direct-launch answer.

    Args:
        name: Task of the benchmark.
        sources: Relative path -> text: `ModelNew.py`, kernels launched with `<<<...>>>`, their binding.
        author: Who is named as author.
        description: Free text.

    Raises:
        InvalidInput: The sources are those of a registered operator (op_host with a tiling function), which
            cannot be launched directly, or a part is missing.
    """
    if any(path.startswith("op_host/") for path in sources):
        raise InvalidInput(
            name, "op_host", "is part of a registered operator, which direct launch has no place for",
            "Export it as six strings.",
        )  # fmt: skip
    if _ENTRY not in sources:
        raise InvalidInput(name, _ENTRY, "is missing from the sources")
    if not any("<<<" in text for text in sources.values()):
        raise InvalidInput(name, "sources", "launch no kernel with <<<...>>>")
    document = {
        "name": name, "author": author, "problem": name, "format_version": _DIRECT_FORMAT,
        "description": description, "entry": {"model": f"{_ENTRY}::ModelNew"},
        "build": {"type": "ascendc_direct_launch"},
        "sources": [{"path": path, "content": sources[path]} for path in sorted(sources)],
    }  # fmt: skip
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def read_direct_launch(text: str, source: str) -> dict[str, str]:
    """Relative path -> text of a direct-launch answer.

    Raises:
        InvalidInput: Naming the field that is not as it should be.
    """
    document = json_value(text, source)
    rows = document.get("sources") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise InvalidInput(source, "sources", "expected a list, found {rows!r}", rows=rows)
    files: dict[str, str] = {}
    for index, row in enumerate(rows):
        path, content = (row.get("path"), row.get("content")) if isinstance(row, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(content, str):
            raise InvalidInput(source, f"sources[{index}]", "needs the texts `path` and `content`")
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise InvalidInput(source, f"sources[{index}].path", "{path!r} leaves the project", path=path)
        files[path] = content
    return files
