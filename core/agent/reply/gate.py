"""The trace-completeness gate: no evaluation before every retrieved experience is resolved.

Paper, Method, "Trace-Grounded Experience Collection": a hook blocks evaluation until
the adoption state of every m in R_t is explicitly resolved, each with a rationale. It
records the use of resident rules as well ("Budgeted Hot-Memory Selection"). Beside that
the reply must hold something to evaluate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from core.agent.reply.record import DIAGNOSTIC, FILES, LOOK_UP, Complaint, Reply
from core.evaluation.candidate_names import FOLDERS
from core.method.objective import Objective

RESIDENT = "resident-rules"  # rule of complaints about the use of resident rules
LARGEST_CORRECTIONS = 3  # correction requests per round


def validate_reply(
    reply: Reply,
    retrieved: Sequence[str],
    current_files: Mapping[str, str],
    *,
    may_finish: bool,
    residents: Collection[str] = (),
) -> tuple[Complaint, ...]:
    """Everything that keeps `reply` from being evaluated; empty when the gate is open.

    Args:
        reply: The reply, combined with its corrections.
        retrieved: uids of R_t.
        current_files: Files of the previous candidate; the reply replaces the ones it
            gives.
        may_finish: Whether `## Done` is an answer here (optimization only); `## Give
            up` always is.
        residents: uids of the resident rules in the prompt; without any, nothing is
            asked about them.
    """
    complaints = list(reply.complaints)
    if _only_asks(reply):
        # Nothing is judged yet, so nothing need be resolved yet.
        return tuple(complaints)
    spoken_of = {complaint.subject for complaint in complaints}
    resolved = {claim.uid for claim in reply.adoption}
    unresolved = [
        uid for uid in retrieved if uid not in resolved and uid not in spoken_of
    ]
    if unresolved and not reply.done:
        names = ", ".join(f"[{uid}]" for uid in unresolved)
        complaints.append(
            Complaint(
                "unresolved",
                f"Adoption records are missing for {names}: say for each whether it was adopted, and why.",
            )
        )
    if residents and not reply.done:
        problem = _unclear_use(reply, residents)
        complaints += [Complaint(RESIDENT, problem)] if problem else []
    if reply.done and not reply.gives_up and not may_finish:
        message = (
            "`## Done` is only possible once the kernel is correct; send files, or end the task as failed "
            "with `## Give up` and the reason."
        )
        complaints.append(Complaint("done-early", message))
    elif not reply.done and FILES not in spoken_of:
        problem = _nothing_to_judge(reply, current_files)
        if problem:
            complaints.append(Complaint("files-missing", problem, FILES))
    return tuple(complaints)


def ends_episode(reply: Reply, objective: Objective) -> bool:
    """Whether a reply is an ending that may be one, and nothing else."""
    may_end = reply.gives_up or objective is Objective.OPT
    return reply.done and may_end and not reply.complaints


def _only_asks(reply: Reply) -> bool:
    """Whether a reply only wants to look first, or means to and cannot be read."""
    if reply.diagnostic is not None:
        return True
    rules = {complaint.rule for complaint in reply.complaints}
    return bool(rules & {DIAGNOSTIC, LOOK_UP}) and not reply.files and not reply.done


def unknown_rules(reply: Reply, residents: Collection[str]) -> tuple[str, ...]:
    """Return the uids a reply names as resident rules that are none."""
    return tuple(use.uid for use in reply.resident if use.uid not in residents)


def _unclear_use(reply: Reply, residents: Collection[str]) -> str:
    form = "one line `- [uid]: where it was applied` for each resident rule you applied, or the word none."
    if not reply.resident_stated:
        return f"`## Resident rules used` is missing or names no rule: send the section with {form}"
    unknown = ", ".join(f"[{uid}]" for uid in unknown_rules(reply, residents))
    if unknown:
        return f"{unknown} is no resident rule of this prompt: send the whole section again with {form}"
    return ""


def _nothing_to_judge(reply: Reply, current_files: Mapping[str, str]) -> str:
    """Why the files of a reply, with those before it, are no project; empty where they are one.

    A file with a complaint counts as sent: the complaint says what is wrong with it.
    """
    refused = [complaint.subject for complaint in reply.complaints]
    if not reply.files and not any(refused):
        return "There is no `## Files` section; send every file you change, whole."
    paths = {*current_files, *reply.files, *refused}
    sources = [path for path in paths if path.endswith(".cpp")]
    for root in FOLDERS:
        if not any(path.startswith(f"{root}/") for path in sources):
            return f"The project has no {root}/*.cpp file; send the complete operator project."
    return ""
