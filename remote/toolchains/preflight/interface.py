"""The interface a candidate declares itself, for a check without an operator at hand."""

from __future__ import annotations

import re

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.spec import DType
from remote.judge.building.source_text import code_below
from remote.judge.job import Interface, Tensor

from .project import ENTRY, OPDEF

_PARAMETER = re.compile(
    r"\b(Input|Output)\s*\(\s*\"(\w+)\"\s*\)((?:(?!\b(?:Input|Output|Attr|AICore)\s*\().)*)",
    re.DOTALL,
)
_LIST = re.compile(r"\bDataType(?:List)?\s*\(\s*\{([^}]*)\}")
_DTYPES = {dtype.cann: str(dtype) for dtype in DType}


def declared_operator(candidate: Candidate) -> Interface:
    """The interface as the candidate's OpDef says it.

    Raises:
        InvalidInput: There is no class derived from OpDef.
    """
    host = "\n".join(code_below(dict(sorted(candidate.files.items())), "op_host"))
    found = OPDEF.search(host)
    if found is None:
        raise InvalidInput(
            "candidate", "op_host", "no class derived from OpDef", "Name the operator."
        )
    tensors: dict[str, dict[str, tuple[str, ...]]] = {"Input": {}, "Output": {}}
    for kind, name, rest in _PARAMETER.findall(host):
        given = _LIST.search(rest)
        words = re.findall(r"\bDT_\w+", given[1]) if given else []
        tensors[kind].setdefault(
            name, tuple(_DTYPES[word] for word in words if word in _DTYPES)
        )
    inputs, outputs = (
        tuple(Tensor(name, dtypes) for name, dtypes in tensors[kind].items())
        for kind in ("Input", "Output")
    )
    return Interface(found[1], _snake(found[1], candidate), inputs, outputs)


def _snake(name: str, candidate: Candidate) -> str:
    """The operator's name in snake case, in whichever spelling the kernel entry has."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    split = re.sub(
        r"(?<=[A-Z])(?=[A-Z][a-z])", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    ).lower()
    entries = {
        entry
        for text in code_below(candidate.files, "op_kernel")
        for entry in ENTRY.findall(text)
    }
    return split if split in entries else plain
