"""The stand-in: a backbone without a model, for runs of whole experiments on any machine.

It answers every question of the method by stated rules (docs/experiments.md, "The stand-in") from kernels of our own
of graded quality. Its draws are seeded by operator, objective and round, so that two arms differ only by what their
memory shows. Nothing it writes says anything about a model; all of it is labelled.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.agent.reply.protocol import render_files
from core.errors import SageError
from core.evaluation.records import Candidate
from core.models.port import (
    ModelOrigin,
    ModelProvider,
    ModelReply,
    ModelRequest,
    NoReply,
    Purpose,
    Stream,
)
from core.replay.standin_kernels import (
    CORRECT,
    GRADES,
    GradedKernel,
    graded_kernels,
    lessons,
)

STAND_IN = "standin"
LABEL = "stand-in"

# Chances. A round climbs one grade with `_CLIMBS`, and with `_HELP` more for each of the items or rules, two at
# most, that fit and were adopted or used.
_CLIMBS, _HELP, _MOST_HELP = 0.2, 0.25, 2
_SKILL = 0.1  # by how much backbones differ at most, to both sides
_FITS = 0.1  # share of the experiences of others that fit a grade
_ADOPTS_FITTING, _ADOPTS_OTHERS = 0.9, 0.2
_TOLD_BY = 40  # characters an experience and the rule made of it begin with alike
_GIVES_UP, _ENDS = 0.15, 0.15  # a correction, an optimization

_TYPES = {
    "build": "compile_error",
    "wrong": "wrong_result",
    "slow": "performance",
    "better": "performance",
}
_DIAGNOSES = {
    "build": "The compiler refuses op_host: a call there is not the one the class has.",
    "wrong": "A part of the output is never written: tiling and launched cores cover less than there is.",
    "slow": "Few cores work, the others idle: the split over the cores bounds the latency.",
    "better": "The number of cores is a constant smaller than the processor has.",
    "best": "Every core has a share and copies overlap with computing.",
}
_HEADING = re.compile(
    r"^#{1,6} \[([^\]\s]+)\] (.+)$|^\W*\[([^\]\s]+)\]\W*(.+)$", re.MULTILINE
)


class NotCovered(SageError):
    """The stand-in has no kernels for an operator."""


@dataclass(frozen=True)
class _Seen:
    """A retrieved experience or a resident rule as the prompt shows it."""

    uid: str
    text: str
    fits: bool


class StandIn(ModelProvider):
    """Answers by rule; stateless, so that a resumed run continues where it was.

    Args:
        seed: What all draws depend on; the same seed, prompts and verdicts give the same replies.
        name: Of the backbone it stands for; its skill depends on that.
    """

    def __init__(self, seed: str = "", name: str = "") -> None:
        self._seed = seed
        self._skill = 0.0
        if name:
            # From -1 to 1 times the most.
            side = 2 * _draw("skill", name) - 1
            self._skill = _SKILL * side

    @property
    def label(self) -> str:
        """That it is none."""
        return LABEL

    @property
    def origin(self) -> ModelOrigin:
        """Neither live nor recorded."""
        return ModelOrigin.STAND_IN

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Answer by rule.

        Raises:
            NoReply: What is asked is no part of an experiment.
            NotCovered: There are no kernels for the operator.
        """
        text = self._text(request)
        if stream is not None:
            stream(text)
        return ModelReply(text)

    def _text(self, request: ModelRequest) -> str:
        match request.purpose:
            case Purpose.DIAGNOSE:
                diagnosis = _DIAGNOSES[_kernel_of(request).grade]
                return f"## Diagnosis\n{diagnosis}\n"
            case Purpose.ABSTRACT:
                return _rule(request)
            case Purpose.DISTIL:
                return _experiences(request)
            case Purpose.MERGE | Purpose.MINE:
                raise NoReply("The stand-in neither mines nor merges.")
            case _:
                return self._candidate(request)

    # ---- a candidate

    def _candidate(self, request: ModelRequest) -> str:
        """A whole reply of a round: diagnosis, records, used rules, and files or the end."""
        kernels = _kernels(request.subject)
        current = -1
        if request.files:
            current = GRADES.index(_kernel_of(request).grade)
        # Before there is a kernel the lessons about one that does not build fit.
        grade_of_lessons = GRADES[max(current, 0)]
        visible = _visible_lessons(request, grade_of_lessons)
        retrieved = [visible[uid] for uid in request.retrieved if uid in visible]
        residents = [visible[uid] for uid in request.residents if uid in visible]
        adopted = [item for item in retrieved if self._adopts(request, item)]
        fitting = [item for item in (*adopted, *residents) if item.fits]
        help_of_memory = _HELP * min(len(fitting), _MOST_HELP)
        chance = _CLIMBS + self._skill + help_of_memory
        lines = ["## Diagnosis", _DIAGNOSES[grade_of_lessons], "", "## Adoption"]
        for uid in request.retrieved:
            record = "not_adopted: it is about something else."
            if visible.get(uid) in adopted:
                record = "adopted: its lesson is about what failed here."
            lines.append(f"- [{uid}] {record}")
        uses = [
            f"- [{rule.uid}]: in the tiling function."
            for rule in residents
            if rule.fits
        ]
        lines += ["", "## Resident rules used", *(uses or ["none"]), ""]
        grade = self._next_grade(request, current, chance)
        if grade is None:
            ending = "Give up" if current < CORRECT else "Done"
            lines += [f"## {ending}", "By the rules of the stand-in."]
        else:
            variants = [row for row in kernels if row.grade == GRADES[grade]]
            kernel = self._variant(request, variants)
            lines += ["## Files", render_files(kernel.files)]
        return "\n".join(lines)

    def _next_grade(
        self, request: ModelRequest, current: int, chance: float
    ) -> int | None:
        """The grade of the next kernel, as an index into `GRADES`; None: the episode ends."""
        if current < 0:  # a first kernel may climb twice
            for grade in range(CORRECT):
                if self._chance(request, f"climb {grade}") >= chance:
                    return grade
            return CORRECT
        if current == len(GRADES) - 1:
            return None
        if self._chance(request, "climb") < chance:
            return current + 1
        end = _GIVES_UP if current < CORRECT else _ENDS
        return None if self._chance(request, "end") < end else current

    def _variant(
        self, request: ModelRequest, rows: Sequence[GradedKernel]
    ) -> GradedKernel:
        place = self._chance(request, "variant") * len(rows)
        return rows[int(place)]

    def _adopts(self, request: ModelRequest, item: _Seen) -> bool:
        bound = _ADOPTS_FITTING if item.fits else _ADOPTS_OTHERS
        return self._chance(request, f"adopts {item.text}") < bound

    def _chance(self, request: ModelRequest, what: str) -> float:
        return _draw(
            self._seed, request.subject, request.objective, request.round, what
        )


def covered_operators() -> tuple[str, ...]:
    """The operators it has kernels for."""
    return tuple(graded_kernels())


def _draw(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but `parts`."""
    text = "\0".join(map(str, parts))
    digest = hashlib.sha256(text.encode()).digest()
    # Seven bytes: as many bits as a float can tell apart, and a few more.
    number = int.from_bytes(digest[:7], "big")
    return number / 2**56


def _kernels(operator: str) -> Sequence[GradedKernel]:
    rows = graded_kernels().get(operator)
    if rows is None:
        raise NotCovered(
            "The stand-in has no kernels for {operator}.",
            "It has {covered}; --set standin names them all.",
            operator=operator,
            covered=", ".join(covered_operators()),
        )
    return rows


def _kernel_of(request: ModelRequest) -> GradedKernel:
    """The kernel the round starts from; the worst where it is none of the stand-in's."""
    rows = _kernels(request.subject)
    digest = Candidate(request.files).digest
    same = [row for row in rows if row.digest == digest]
    return same[0] if same else rows[0]


def _visible_lessons(request: ModelRequest, grade: str) -> dict[str, _Seen]:
    """Uid -> what the prompt shows under it, and whether that fits a kernel of a grade."""
    visible_uids = {*request.retrieved, *request.residents}
    visible: dict[str, _Seen] = {}
    for message in request.messages:
        for heading, title, bullet, rule in _HEADING.findall(message.content):
            uid = heading or bullet
            text = (title or rule).strip()
            if uid in visible_uids and uid not in visible:
                visible[uid] = _Seen(uid, text, fits(text, grade))
    return visible


def fits(text: str, grade: str) -> bool:
    """Whether an experience helps a kernel of a grade on.

    A lesson of the stand-in's own does where it was learnt; of the others a share does, drawn by their first line.
    """
    for lesson, of_grade in lessons().items():
        if lesson in text:
            return of_grade == grade
    return _draw("fits", text[:_TOLD_BY], grade) < _FITS


# ---- learning


def _experiences(request: ModelRequest) -> str:
    """A lesson for every mistake of the record that a later kernel had no more."""
    record = request.messages[-1].content
    changes, _, memory_text = record.partition("# Experiences the memory already gave")
    parts = [
        _experience(kernel)
        for kernel in _kernels(request.subject)
        if kernel.lesson
        and kernel.lesson not in memory_text
        and _was_removed(kernel.wrong, changes)
    ]
    return "\n".join(parts[:3]) or "None.\n"


def _was_removed(code: str, changes: str) -> bool:
    """Whether a difference of two kernels takes the first line of some code away."""
    line = code.splitlines()[0]
    removed = [row for row in changes.splitlines() if row.startswith("-")]
    return any(line in row for row in removed)


def _experience(kernel: GradedKernel) -> str:
    return "\n".join(
        (
            "## Experience",
            f"title: {kernel.lesson}",
            f"type: {_TYPES[kernel.grade]}",
            f"category: {kernel.category}",
            f"error_message: {_DIAGNOSES[kernel.grade]}",
            f"summary: {kernel.summary}",
            *("### Wrong", "```cpp", kernel.wrong, "```"),
            *("### Correct", "```cpp", kernel.right, "```"),
            "",
        )
    )


def _rule(request: ModelRequest) -> str:
    """The title of the item as a rule; the conditions are those of every such rule."""
    lines = request.messages[-1].content.splitlines()
    heading = _first(lines, "### [")
    title = heading.partition("] ")[2] or "Do as the experience says"
    return "\n".join(
        (
            *("## Rule", f"{title.rstrip('.')}."),
            *("## When", "The kernel splits its work over several cores."),
            *("## Not when", "The input fits one core."),
            *("## Evidence", "Adopted in 2 or more correct kernels of the stand-in."),
            "",
        )
    )


def _first(lines: Iterable[str], start: str) -> str:
    return next((line for line in lines if line.startswith(start)), "")
