"""A reply over several messages: corrected, its edits applied, its diagnostic answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.agent.reply.edits import EditRefused, with_edits
from core.agent.reply.record import EDIT, FILES, Complaint, Reply


def combine(earlier: Reply, correction: Reply) -> Reply:
    """The reply as it stands after a correction, which may speak only about what was wrong.

    The correction wins where both speak. An earlier complaint about a path or uid
    stands until the correction gives that file or record; a refused file is never lost
    silently.
    """
    claims = {claim.uid: claim for claim in (*earlier.adoption, *correction.adoption)}
    # The section is sent whole, or not at all.
    last = correction if correction.resident_stated else earlier
    answered = {*correction.files, *(claim.uid for claim in correction.adoption)}
    answered |= {complaint.subject for complaint in correction.complaints}
    if correction.files or correction.done or correction.diagnostic:
        answered.add(FILES)
    done = correction.done or (earlier.done and not correction.files)
    standing = (
        ()
        if done
        else tuple(
            entry for entry in earlier.complaints if entry.subject not in answered
        )
    )
    return Reply(
        diagnosis=correction.diagnosis or earlier.diagnosis,
        adoption=tuple(claims.values()),
        resident=last.resident,
        resident_stated=last.resident_stated,
        files={} if done else {**earlier.files, **correction.files},
        base=correction.base or earlier.base,
        diagnostic=correction.diagnostic
        or (None if correction.done else earlier.diagnostic),
        look_up=correction.look_up,
        done=done,
        done_reason=correction.done_reason or earlier.done_reason,
        gives_up=done
        and (correction.gives_up or (earlier.gives_up and not correction.done)),
        complaints=(*standing, *correction.complaints),
    )


def examined(reply: Reply) -> Reply:
    """What stays of a reply once what it asked is answered: all but a probe, which is no candidate."""
    if reply.diagnostic is None:
        return replace(reply, look_up=())
    return Reply(
        diagnosis=reply.diagnosis,
        adoption=reply.adoption,
        resident=reply.resident,
        resident_stated=reply.resident_stated,
    )


def apply_reply_edits(
    reply: Reply, base: Mapping[str, str], *, whole_only: bool = False
) -> Reply:
    """The reply with its edits applied to `base`, or with a complaint for each that cannot be.

    Args:
        reply: As read.
        base: The files the edits are made to.
        whole_only: Refuse edits: earlier ones of this round failed twice in a row.
    """
    files, complaints = dict(reply.files), list(reply.complaints)
    for path, edits in reply.edits.items():
        if whole_only:
            complaints.append(
                Complaint(
                    EDIT, f"{path}: edits failed twice; send the whole file.", path
                )
            )
            continue
        try:
            files[path] = with_edits(base, reply.files, {path: edits})[path]
        except EditRefused as refused:
            complaints.append(Complaint(EDIT, str(refused), path))
    return replace(reply, files=files, edits={}, complaints=tuple(complaints))
