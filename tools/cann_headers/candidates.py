"""All our own kernels: tests, skeletons, calibration, the example of the skill, finals of the recorded run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.agent.reply.protocol import read_reply
from core.agent.reply.record import BEST, Reply
from core.agent.reply.reply_edits import apply_reply_edits, combine, examined
from core.engine.shipped import recorded_run
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator, operator_names
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec, dtype_columns
from core.replay.session_file import Session, SessionReply
from remote.judge.building.builder import Signature
from remote.judge.job import Names
from tests.own_kernels import KERNELS, own_kernel

_ROOT = Path(__file__).parents[2]
_CANDIDATES = frozenset({"candidate", "repair", "examined", "correction"})
# Without an operator of the catalogue -> dtypes of its inputs and outputs.
_UNLISTED = {
    "HalveAdd": Signature((("x1", "float16"), ("x2", "float16")), (("y", "float16"),)),
    "AddCustom": Signature((("x", "float16"), ("y", "float16")), (("z", "float16"),)),
}


@dataclass(frozen=True)
class Own:
    """A kernel of ours: where it is from, what it is called, and its dtype signatures."""

    label: str
    names: Names
    candidate: Candidate
    signatures: tuple[Signature, ...]


def own_candidates() -> Iterator[Own]:
    """Every kernel of the repository."""
    for folder in sorted(KERNELS.iterdir()):
        if (folder / "op_kernel").is_dir():
            yield _own("kernels", folder.name, own_kernel(folder.name))
    for folder in sorted((_ROOT / "tests" / "data" / "skeletons").iterdir()):
        spec = load_operator(folder)
        skeletons = _ROOT / "resources" / "references" / "skeletons"
        candidate = read_candidate(skeletons / spec.snake_name)
        yield _of_spec("skeletons", spec, candidate)
    for folder in sorted((_ROOT / "resources" / "calibration").iterdir()):
        if (folder / "op_kernel").is_dir():
            yield _of_spec("calibration", load_operator(folder), read_candidate(folder))
    for folder in sorted((_ROOT / "resources" / "skills").glob("*/examples/*")):
        name = "".join(word.title() for word in folder.name.split("_"))
        yield _own("skills", name, read_candidate(folder))
    run = recorded_run()
    for name in run.header.operators:
        final = Candidate(_final_files(run, name))
        yield _of_spec("recorded", catalogue_operator(name), final)


def _own(source: str, name: str, candidate: Candidate) -> Own:
    if name in operator_names():
        return _of_spec(source, catalogue_operator(name), candidate)
    snake = next(
        Path(path).stem for path in candidate.files if path.startswith("op_kernel/")
    )
    return Own(f"{source}/{name}", Names(name, snake), candidate, (_UNLISTED[name],))


def _of_spec(source: str, spec: OperatorSpec, candidate: Candidate) -> Own:
    names = Names(spec.name, spec.snake_name)
    return Own(f"{source}/{spec.name}", names, candidate, _signatures(spec))


def _signatures(spec: OperatorSpec) -> tuple[Signature, ...]:
    """The dtypes for which an operator is registered."""
    tensors = (*spec.inputs, *spec.outputs)
    rows = {
        (tensor in spec.outputs, tensor.name): [str(each) for each in tensor.dtypes]
        for tensor in tensors
    }
    columns = dtype_columns({key: row or ["float32"] for key, row in rows.items()})
    return tuple(dict.fromkeys(map(_signature, columns)))


def _signature(column: Mapping[tuple[bool, str], str]) -> Signature:
    """One of them; keys are whether a tensor is an output, and its name."""
    inputs = tuple((name, dtype) for (out, name), dtype in column.items() if not out)
    outputs = tuple((name, dtype) for (out, name), dtype in column.items() if out)
    return Signature(inputs, outputs)


def _final_files(run: Session, operator: str) -> dict[str, str]:
    """The files of the quickest right round of an operator, folded from its replies."""
    verdicts = {row.round: row for row in run.outcomes if row.operator == operator}
    last: dict[str, str] = {}
    best: dict[str, str] = {}
    quickest = float("inf")
    rounds = sorted({reply.round for reply in run.replies if reply.subject == operator})
    for number in rounds:
        replies = [
            reply
            for reply in run.replies
            if (reply.subject, reply.round) == (operator, number)
            and reply.purpose in _CANDIDATES
        ]
        answer = _answer(replies, last, best)
        if answer is None or answer.done or not answer.files:
            continue
        start = best if answer.base == BEST and best else last
        last = {**start, **answer.files}
        row = verdicts.get(number)
        latency = row.latency_us if row is not None and row.verdict == "pass" else None
        if latency is not None and latency < quickest:
            best, quickest = last, latency
    return best or last


def _answer(
    replies: list[SessionReply], last: dict[str, str], best: dict[str, str]
) -> Reply | None:
    """What the replies of a round come to."""
    answer: Reply | None = None
    for each in replies:
        reply = read_reply(each.text)
        start = best if reply.base == BEST and best else last
        reply = apply_reply_edits(reply, start)
        if answer is None:
            answer = reply
        elif each.purpose == "examined":
            answer = combine(examined(answer), reply)
        else:
            answer = combine(answer, reply)
    return answer
