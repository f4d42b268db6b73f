"""Seeded defects: one small change of a correct kernel's sources, of ten kinds."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.cpp_text import code_in_place
from core.evaluation.records import Candidate


@dataclass(frozen=True)
class Edit:
    """Characters `start` to `end` of a file become `text`."""

    path: str
    start: int
    end: int
    text: str

    def applied(self, candidate: Candidate) -> Candidate:
        """The mutant."""
        source = candidate.files[self.path]
        changed = source[: self.start] + self.text + source[self.end :]
        return Candidate({**candidate.files, self.path: changed})

    def trapped(self, candidate: Candidate) -> Candidate:
        """The original with a trap before the statement that the edit changes."""
        source = candidate.files[self.path]
        place = max(source.rfind(end, 0, self.start) for end in ";{}") + 1
        changed = f"{source[:place]} AscendC::Trap(); {source[place:]}"
        return Candidate({**candidate.files, self.path: changed})

    def shown(self, candidate: Candidate) -> str:
        """File, line, what stood there and what stands there now."""
        source = candidate.files[self.path]
        line = source.count("\n", 0, self.start) + 1
        return f"{self.path}:{line}: {source[self.start : self.end].strip()!r} -> {self.text!r}"


Maker = Callable[[str, str, random.Random], Iterator[Edit]]

_VECTOR = (
    r"\b(?:Add|Sub|Mul|Div|Max|Min|Adds|Muls|Maxs|Mins|Abs|Exp|Ln|Sqrt|Rsqrt|Relu|Reciprocal|Cast|Duplicate|Compare"
    r"|CompareScalar|Select|And|Or|Not|ReduceSum|ReduceMax|ReduceMin)\s*(?:<[^;()]*>)?\("
)
_QUEUE = re.compile(r"\bTQue<[^;{}]*?>\s+(\w+);")
_CAST_MODES = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC")


def _deleted(pattern: str) -> Maker:
    expression = re.compile(pattern)

    def make(path: str, text: str, _chance: random.Random) -> Iterator[Edit]:
        for match in expression.finditer(text):
            yield Edit(path, match.start(), match.end(), ";")

    return make


def _replaced(
    pattern: str, make_text: Callable[[re.Match[str], random.Random], str]
) -> Maker:
    """Group 1 of the pattern becomes what `make_text` says."""
    expression = re.compile(pattern)

    def make(path: str, text: str, chance: random.Random) -> Iterator[Edit]:
        for match in expression.finditer(text):
            yield Edit(path, match.start(1), match.end(1), make_text(match, chance))

    return make


def _last_argument(call: str, make_text: Callable[[str], str]) -> Maker:
    """The last argument of a call becomes what `make_text` makes of it."""
    expression = re.compile(call)

    def make(path: str, text: str, _chance: random.Random) -> Iterator[Edit]:
        for match in expression.finditer(text):
            depth, start = 1, match.end()
            for place in range(match.end(), len(text)):
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(
                    text[place], 0
                )
                if depth == 1 and text[place] == ",":
                    start = place + 1
                if depth == 0:
                    yield Edit(
                        path, start, place, f" {make_text(text[start:place].strip())}"
                    )
                    break

    return make


def _swapped_queue(path: str, text: str, chance: random.Random) -> Iterator[Edit]:
    queues = _QUEUE.findall(text)
    for match in re.finditer(
        r"\b(\w+)\.(?:template\s+)?(?:AllocTensor|EnQue|DeQue|FreeTensor)\b", text
    ):
        others = [name for name in queues if name != match[1]]
        if match[1] in queues and others:
            yield Edit(path, match.start(1), match.end(1), chance.choice(others))


def _other_mode(match: re.Match[str], chance: random.Random) -> str:
    return chance.choice([mode for mode in _CAST_MODES if mode != match[1]])


_KERNEL = "op_kernel/"
_EVENT = r"\b(?:SetFlag|WaitFlag)<[^;()]*>\s*\(([^;]*)\);"
KINDS: dict[str, tuple[tuple[str, Maker], ...]] = {
    "drop a sync": (
        (
            _KERNEL,
            _deleted(
                r"\b(?:AscendC::)?(?:PipeBarrier|SetFlag|WaitFlag|SyncAll)\s*(?:<[^;()]*>)?\([^;]*\);"
            ),
        ),
        (_KERNEL, _deleted(r"\b\w+\.(?:template\s+)?EnQue(?:<[^;()]*>)?\([^;]*\);")),
    ),
    "shift an offset": (
        (
            _KERNEL,
            _replaced(
                r"\bDataCopy(?:Pad)?\([^;]*?\b\w+(?:\[\w+\])?\[([^\[\];]*)\]",
                lambda match, chance: f"({match[1]}) + {chance.choice((1, 8, 64))}",
            ),
        ),
    ),
    "shrink a buffer": (
        (_KERNEL, _last_argument(r"\bInitBuffer\(", lambda size: f"({size}) / 2")),
    ),
    "wrong mask": ((_KERNEL, _last_argument(_VECTOR, lambda count: f"({count}) / 2")),),
    "wrong event id": (
        (
            _KERNEL,
            _replaced(
                _EVENT,
                lambda match, _chance: (
                    f"static_cast<event_t>(static_cast<int>({match[1]}) ^ 1)"
                ),
            ),
        ),
    ),
    "missing tail": (
        (
            _KERNEL,
            _replaced(
                r"\bfor \(\w+ (\w+ = 0; \w+ < [\w.]+; \w+ \+= [\w.]+)\)",
                lambda match, _chance: _cut(match[1]),
            ),
        ),
        (
            "op_",
            _replaced(
                r"(\(\w+ \+ (?:\w+ - 1|1)\)) / ",
                lambda match, _chance: match[1].split(" +")[0] + ")",
            ),
        ),
    ),
    "swapped queue": ((_KERNEL, _swapped_queue),),
    "missing Free": ((_KERNEL, _deleted(r"\b\w+\.FreeTensor\([^;]*\);")),),
    "wrong cast mode": ((_KERNEL, _replaced(r"\bRoundMode::(CAST_\w+)", _other_mode)),),
    "wrong block split": (
        (
            _KERNEL,
            _replaced(
                r"((?:AscendC::)?GetBlockIdx\(\))",
                lambda match, _chance: f"({match[1]} / 2)",
            ),
        ),
        (
            "op_host/",
            _replaced(
                r"SetBlockDim\(([^;]*)\);",
                lambda match, _chance: f"({match[1]}) / 2 + 1",
            ),
        ),
    ),
}


def _cut(loop: str) -> str:
    """A loop over tiles that leaves out the last one when it is not full."""
    name, limit, step = re.split(r" = 0; \w+ < |; \w+ \+= ", loop)
    return f"{name} = 0; {name} + {step} <= {limit}; {name} += {step}"


def mutants(candidate: Candidate, kind: str, seed: str) -> list[Edit]:
    """Every edit of a kind, in seeded order: equal arguments give equal edits."""
    chance = random.Random(f"{seed}/{kind}")
    found = [
        edit
        for prefix, make in KINDS[kind]
        for path in sorted(candidate.files)
        if path.startswith(prefix) and path.endswith((".cpp", ".h"))
        for edit in make(path, code_in_place(candidate.files[path]), chance)
    ]
    chance.shuffle(found)
    return found
