"""A candidate as an answer of NPUKernelBench."""

from __future__ import annotations

import re

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.spec import OperatorSpec
from core.templates import rendered
from core.text import Text

ANSWER = "answer/0"
_SOURCES = (".cpp", ".cc")


def export_answer_folder(spec: OperatorSpec, candidate: Candidate) -> dict[str, str]:
    """The candidate where NPUKernelBench looks for an answer: `answer/0/` with its own build description.

    The benchmark copies the folder to `src/ops/<operator>` of a project for all operators, which enters it
    with CMake: `CMakeLists.txt` adds the operator's sources to the targets of that project.

    Raises:
        InvalidInput: No host file registers the operator.
    """
    answer = {}
    for path, text in candidate.files.items():
        answer[f"{ANSWER}/{path}"] = text
    answer[f"{ANSWER}/CMakeLists.txt"] = _answer_cmake(spec, candidate)
    return answer


def _answer_cmake(spec: OperatorSpec, candidate: Candidate) -> str:
    """The build description of the answer; refuses a candidate whose operator is not registered by one host file."""
    host: list[str] = []
    defining: list[str] = []
    registration = re.compile(rf"\bOP_ADD\s*\(\s*{spec.name}\b")
    for path, text in candidate.files.items():
        if path.startswith("op_host/") and path.endswith(_SOURCES):
            host.append(path)
            if registration.search(text):
                defining.append(path)
    if len(defining) != 1:
        problem = Text(
            "{count} host files register it with OP_ADD({spec}) instead of one",
            count=len(defining),
            spec=spec.name,
        )
        raise InvalidInput(spec.name, "op_host", problem)
    sources = "\n    ".join(sorted(host))
    return rendered(
        "exported/answer.cmake.jinja",
        name=spec.name,
        defining=defining[0],
        sources=sources,
    )
