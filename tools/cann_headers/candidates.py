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
    for folder in _kernel_folders(KERNELS):
        yield _kernel("kernels", folder.name, own_kernel(folder.name))
    skeletons = _ROOT / "resources" / "references" / "skeletons"
    for folder in sorted((_ROOT / "tests" / "data" / "skeletons").iterdir()):
        spec = load_operator(folder)
        candidate = read_candidate(skeletons / spec.snake_name)
        yield _kernel_of("skeletons", spec, candidate)
    for folder in _kernel_folders(_ROOT / "resources" / "calibration"):
        spec, candidate = load_operator(folder), read_candidate(folder)
        yield _kernel_of("calibration", spec, candidate)
    for folder in sorted((_ROOT / "resources" / "skills").glob("*/examples/*")):
        words = folder.name.split("_")
        name = "".join(word.title() for word in words)
        yield _kernel("skills", name, read_candidate(folder))
    run = recorded_run()
    for name in run.header.operators:
        best = Candidate(_best_files(run, name))
        yield _kernel_of("recorded", catalogue_operator(name), best)


def _kernel_folders(parent: Path) -> list[Path]:
    """The folders below `parent` that hold a kernel, by name."""
    folders = sorted(parent.iterdir())
    return [folder for folder in folders if (folder / "op_kernel").is_dir()]


def _kernel(source: str, name: str, candidate: Candidate) -> OwnKernel:
    """A kernel by the name of its operator, which the catalogue or `_UNLISTED` has."""
    if name in operator_names():
        return _kernel_of(source, catalogue_operator(name), candidate)
    kernels = [path for path in candidate.files if path.startswith("op_kernel/")]
    names = Names(name, Path(kernels[0]).stem)
    signatures = (_UNLISTED[name],)
    return OwnKernel(f"{source}/{name}", names, candidate, signatures)


def _kernel_of(source: str, spec: OperatorSpec, candidate: Candidate) -> OwnKernel:
    """A kernel of an operator that is described."""
    label = f"{source}/{spec.name}"
    names = Names(spec.name, spec.snake_name)
    return OwnKernel(label, names, candidate, _signatures(spec))


def _signatures(spec: OperatorSpec) -> tuple[Signature, ...]:
    """The dtypes for which an operator is registered."""
    dtypes: dict[tuple[bool, str], list[str]] = {}
    for tensor in (*spec.inputs, *spec.outputs):
        # An input and an output may have the same name.
        key = (tensor in spec.outputs, tensor.name)
        dtypes[key] = [str(dtype) for dtype in tensor.dtypes] or ["float32"]
    signatures = [_signature(column) for column in dtype_columns(dtypes)]
    return tuple(dict.fromkeys(signatures))


def _signature(column: Mapping[tuple[bool, str], str]) -> Signature:
    """One signature; keys are whether a tensor is an output, and its name."""
    inputs: list[tuple[str, str]] = []
    outputs: list[tuple[str, str]] = []
    for (is_output, name), dtype in column.items():
        side = outputs if is_output else inputs
        side.append((name, dtype))
    return Signature(tuple(inputs), tuple(outputs))


def _best_files(run: Session, operator: str) -> dict[str, str]:
    """The files of the fastest correct candidate of an operator, rebuilt from the replies of its rounds.

    A reply holds only the files it changes: they are laid over the candidate it starts
    from. Those of the last candidate where none was correct.
    """
    outcomes = [row for row in run.outcomes if row.operator == operator]
    correct = [row for row in outcomes if row.verdict == "pass"]
    latency_by_round = {row.round: row.latency_us for row in correct}
    last: dict[str, str] = {}
    best: dict[str, str] = {}
    best_us = float("inf")
    for number, replies in _replies_by_round(run, operator).items():
        reply = _round_reply(replies, last, best)
        if reply is None or reply.done or not reply.files:
            continue
        start = best if reply.base == BEST and best else last
        last = {**start, **reply.files}
        latency = latency_by_round.get(number)
        if latency is not None and latency < best_us:
            best, best_us = last, latency
    return best or last


def _replies_by_round(run: Session, operator: str) -> dict[int, list[SessionReply]]:
    """Round -> its replies that write kernels, both in order."""
    by_round: dict[int, list[SessionReply]] = {}
    for reply in run.replies:
        if reply.subject == operator and reply.purpose in _PURPOSES:
            by_round.setdefault(reply.round, []).append(reply)
    return dict(sorted(by_round.items()))


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
