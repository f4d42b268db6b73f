"""All kernels of this repository: of tests, skeletons, calibration, skills and the recorded run."""

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
# Purposes of the replies that write kernels.
_PURPOSES = frozenset({"candidate", "repair", "examined", "correction"})
# Kernels of operators that the catalogue does not have -> dtypes of their inputs and outputs.
_UNLISTED = {
    "HalveAdd": Signature((("x1", "float16"), ("x2", "float16")), (("y", "float16"),)),
    "AddCustom": Signature((("x", "float16"), ("y", "float16")), (("z", "float16"),)),
}


@dataclass(frozen=True)
class OwnKernel:
    """A kernel of the repository.

    Attributes:
        label: Where it is from and its operator, `kernels/Lerp`.
        names: Of the operator.
        candidate: Its files.
        signatures: Dtypes it is registered for.
    """

    label: str
    names: Names
    candidate: Candidate
    signatures: tuple[Signature, ...]


def own_kernels() -> Iterator[OwnKernel]:
    """Every kernel of the repository."""
    for folder in sorted(KERNELS.iterdir()):
        if (folder / "op_kernel").is_dir():
            yield _kernel("kernels", folder.name, own_kernel(folder.name))
    for folder in sorted((_ROOT / "tests" / "data" / "skeletons").iterdir()):
        spec = load_operator(folder)
        skeletons = _ROOT / "resources" / "references" / "skeletons"
        candidate = read_candidate(skeletons / spec.snake_name)
        yield _kernel_of("skeletons", spec, candidate)
    for folder in sorted((_ROOT / "resources" / "calibration").iterdir()):
        if (folder / "op_kernel").is_dir():
            yield _kernel_of(
                "calibration", load_operator(folder), read_candidate(folder)
            )
    for folder in sorted((_ROOT / "resources" / "skills").glob("*/examples/*")):
        name = "".join(word.title() for word in folder.name.split("_"))
        yield _kernel("skills", name, read_candidate(folder))
    run = recorded_run()
    for name in run.header.operators:
        best = Candidate(_best_files(run, name))
        yield _kernel_of("recorded", catalogue_operator(name), best)


def _kernel(source: str, name: str, candidate: Candidate) -> OwnKernel:
    """A kernel by the name of its operator, which the catalogue or `_UNLISTED` has."""
    if name in operator_names():
        return _kernel_of(source, catalogue_operator(name), candidate)
    snake = next(
        Path(path).stem for path in candidate.files if path.startswith("op_kernel/")
    )
    return OwnKernel(
        f"{source}/{name}", Names(name, snake), candidate, (_UNLISTED[name],)
    )


def _kernel_of(source: str, spec: OperatorSpec, candidate: Candidate) -> OwnKernel:
    names = Names(spec.name, spec.snake_name)
    return OwnKernel(f"{source}/{spec.name}", names, candidate, _signatures(spec))


def _signatures(spec: OperatorSpec) -> tuple[Signature, ...]:
    """The dtypes for which an operator is registered."""
    rows: dict[tuple[bool, str], list[str]] = {}
    for tensor in (*spec.inputs, *spec.outputs):
        key = (tensor in spec.outputs, tensor.name)
        rows[key] = [str(dtype) for dtype in tensor.dtypes] or ["float32"]
    columns = dtype_columns(rows)
    return tuple(dict.fromkeys(map(_signature, columns)))


def _signature(column: Mapping[tuple[bool, str], str]) -> Signature:
    """One signature; keys are whether a tensor is an output, and its name."""
    inputs = tuple((name, dtype) for (out, name), dtype in column.items() if not out)
    outputs = tuple((name, dtype) for (out, name), dtype in column.items() if out)
    return Signature(inputs, outputs)


def _best_files(run: Session, operator: str) -> dict[str, str]:
    """The files of the fastest correct candidate of an operator, rebuilt from the replies of its rounds.

    A reply holds only the files it changes: they are laid over the candidate it starts
    from. Those of the last candidate where none was correct.
    """
    verdicts = {row.round: row for row in run.outcomes if row.operator == operator}
    last: dict[str, str] = {}
    best: dict[str, str] = {}
    best_us = float("inf")
    rounds = sorted({reply.round for reply in run.replies if reply.subject == operator})
    for number in rounds:
        replies = [
            reply
            for reply in run.replies
            if (reply.subject, reply.round) == (operator, number)
            and reply.purpose in _PURPOSES
        ]
        reply = _round_reply(replies, last, best)
        if reply is None or reply.done or not reply.files:
            continue
        start = best if reply.base == BEST and best else last
        last = {**start, **reply.files}
        row = verdicts.get(number)
        latency = row.latency_us if row is not None and row.verdict == "pass" else None
        if latency is not None and latency < best_us:
            best, best_us = last, latency
    return best or last


def _round_reply(
    replies: list[SessionReply], last: dict[str, str], best: dict[str, str]
) -> Reply | None:
    """The replies of a round joined into one, corrections over what they correct; None without any.

    Args:
        replies: Of the round, in order.
        last: Files of the candidate before.
        best: Files of the best candidate so far.
    """
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
