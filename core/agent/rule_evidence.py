"""What speaks for and against a lesson, in numbers: the material from which its rule is abstracted."""

from __future__ import annotations

from collections.abc import Iterator

from core.memory.records import MemoryItem
from core.workspace import Workspace

_FOR, _AGAINST = 8, 4  # lines of each
_ROWS = (
    "SELECT e.operator, e.objective, t.round, t.rationale, r.verdict, r.latency_us, b.verdict, b.latency_us "
    "FROM trace t JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id "
    "LEFT JOIN round r ON r.episode_uid = t.episode_uid AND r.round = t.round "
    "LEFT JOIN round b ON b.trajectory_uid = r.trajectory_uid AND b.round = r.round - 1 "
    "WHERE i.uid = ? AND t.state = ? AND t.counted = 1 ORDER BY e.seq DESC, t.round DESC LIMIT ?"
)


def adoptions_told(workspace: Workspace, uid: str) -> str:
    """Return one line for each of the latest adoptions: operator, what the round achieved, rationale."""
    return "\n".join(_lines(workspace, uid, "adopted", _FOR)) or "- not recorded"


def refusals_told(workspace: Workspace, uid: str) -> str:
    """Return one line for each of the latest rounds in which the lesson was retrieved and did not apply."""
    return "\n".join(_lines(workspace, uid, "not_adopted", _AGAINST)) or "- nowhere so far"


def evidence_counts(item: MemoryItem) -> str:
    """Return how often a lesson was retrieved and adopted, and over how many operators."""
    operators = len(item.adopted_operators)
    return (
        f"Retrieved in {item.n_ret} episodes, adopted in {item.n_ado} of them on {operators} operators; "
        f"utility {item.u_m:.2f}."
    )


def _lines(workspace: Workspace, uid: str, state: str, most: int) -> Iterator[str]:
    for operator, objective, _round, why, verdict, latency, before, slow in workspace.db.execute(
        _ROWS, (uid, state, most)
    ):
        what = " to ".join(_outcome(*pair) for pair in ((before, slow), (verdict, latency)) if pair[0])
        yield f"- {operator} ({objective}): {f'{what}: ' if what else ''}{why}"


def _outcome(verdict: str, latency: float | None) -> str:
    return verdict if latency is None else f"{verdict} {latency:.2f} us"
