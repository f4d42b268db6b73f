"""The ratings of a person beside the automatic check of the same adoption records."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.audit import Audit
from core.engine.audit_sample import AuditSample, Rating


@dataclass(frozen=True)
class Agreement:
    """Rated records by rating and by what the check says.

    Attributes:
        borne_out: Rating -> records in whose revision the check finds the experience.
        doubted: Rating -> records in whose revision it does not.
    """

    borne_out: dict[str, int]
    doubted: dict[str, int]

    @property
    def share(self) -> float | None:
        """Share of rated records on which both agree: related and borne out, or unrelated and doubted."""
        rated = sum(self.borne_out.values()) + sum(self.doubted.values())
        unrelated = Rating.UNRELATED.value
        agreed = sum(
            count for rating, count in self.borne_out.items() if rating != unrelated
        )
        return (agreed + self.doubted.get(unrelated, 0)) / rated if rated else None


def agreement(sample: AuditSample, audit: Audit) -> Agreement:
    """Compare the rated records of a sample with the check of the same workspace."""
    doubts = {
        (found.trajectory, found.doubt.round, found.doubt.uid)
        for found in audit.doubtful
    }
    found = Agreement({}, {})
    for record in sample.records:
        if record.rating is not Rating.OPEN:
            key = (record.trajectory, record.round, record.item_uid)
            counts = found.doubted if key in doubts else found.borne_out
            counts[record.rating.value] = counts.get(record.rating.value, 0) + 1
    return found


def agreement_lines(found: Agreement) -> tuple[str, ...]:
    """The table for a reader, in Markdown; empty where nothing is rated."""
    if found.share is None:
        return ()
    return (
        "| Correspondence | the check finds it | the check doubts it |",
        "|---|---:|---:|",
        *(
            f"| {rating.value} | {found.borne_out.get(rating, 0)} | {found.doubted.get(rating, 0)} |"
            for rating in (Rating.FULL, Rating.PARTIAL, Rating.UNRELATED)
        ),
        "",
        f"The check agrees with {100 * found.share:.0f} % of the ratings.",
    )
