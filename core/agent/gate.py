"""The trace-completeness gate: no evaluation before every retrieved experience is resolved.

Paper, Method, "Trace-Grounded Experience Collection": a hook blocks evaluation until the adoption state of
every m in R_t is explicitly resolved, each with a rationale. Beside it the reply must hold something to
evaluate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.agent.protocol import FILES, Complaint, Reply

LARGEST_CORRECTIONS = 3  # correction requests per round


def complaints_about(
    reply: Reply, retrieved: Sequence[str], current_files: Mapping[str, str], *, may_finish: bool
) -> tuple[Complaint, ...]:
    """Everything that keeps `reply` from being evaluated; empty when the gate is open.

    Args:
        reply: The reply, combined with its corrections.
        retrieved: uids of R_t.
        current_files: Files of the previous candidate; the reply replaces the ones it gives.
        may_finish: Whether `## Done` is an answer here (optimization only).
    """
    found = list(reply.complaints)
    if reply.diagnostic is not None:
        return tuple(found)  # nothing is judged yet, so nothing need be resolved yet
    spoken_of = {complaint.subject for complaint in found}
    resolved = {claim.uid for claim in reply.adoption}
    unresolved = [uid for uid in retrieved if uid not in resolved and uid not in spoken_of]
    if unresolved:
        names = ", ".join(f"[{uid}]" for uid in unresolved)
        found.append(
            Complaint(
                "unresolved",
                f"Adoption records are missing for {names}: say for each whether it was adopted, and why.",
            )
        )
    if reply.done and not may_finish:
        found.append(
            Complaint("done-early", "`## Done` is only possible once the kernel is correct; send files.")
        )
    elif not reply.done and FILES not in spoken_of:
        problem = _nothing_to_judge(reply, current_files)
        if problem:
            found.append(Complaint("files-missing", problem, FILES))
    return tuple(found)


def _nothing_to_judge(reply: Reply, current_files: Mapping[str, str]) -> str:
    if not reply.files and not any(complaint.subject for complaint in reply.complaints):
        return "There is no `## Files` section; send every file you change, whole."
    merged = {*current_files, *reply.files, *(complaint.subject for complaint in reply.complaints)}
    for root in ("op_host", "op_kernel"):
        if not any(path.startswith(f"{root}/") and path.endswith(".cpp") for path in merged):
            return f"The project has no {root}/*.cpp file; send the complete operator project."
    return ""
