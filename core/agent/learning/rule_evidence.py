"""What speaks for and against a lesson, in numbers: the material from which its rule is abstracted."""

from __future__ import annotations

from collections.abc import Iterator

from core.evaluation.records import Evaluation, is_superseded, origin_words
from core.memory.records import MemoryItem
from core.records_json import from_json
from core.workspace import Workspace

_FOR, _AGAINST = 8, 4  # lines of each
_MOSTLY = 0.9  # share of the gains from which on a rule is one about launch cost alone
LAUNCH_ONLY = (
    "Scope: launch cost only; the work itself became no faster where this was seen."
)
_GAINS = (
    "SELECT r.evaluation, b.evaluation FROM trace t JOIN item i ON i.id = t.item_id "
    "JOIN round r ON r.episode_uid = t.episode_uid AND r.round = t.round "
    "JOIN round b ON b.trajectory_uid = r.trajectory_uid AND b.round = r.round - 1 "
    "WHERE i.uid = ? AND t.state = 'adopted' AND t.counted = 1 AND r.latency_us < b.latency_us "
    "AND r.latency_origin = b.latency_origin "
    "AND r.evaluation <> '' AND b.evaluation <> ''"
)
_ROWS = (
    "SELECT e.operator, e.objective, t.round, t.rationale, r.verdict, r.latency_us, r.latency_origin, "
    "b.verdict, b.latency_us, b.latency_origin "
    "FROM trace t JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id "
    "LEFT JOIN round r ON r.episode_uid = t.episode_uid AND r.round = t.round "
    "LEFT JOIN round b ON b.trajectory_uid = r.trajectory_uid AND b.round = r.round - 1 "
    "WHERE i.uid = ? AND t.state = ? AND t.counted = 1 ORDER BY e.seq DESC, t.round DESC LIMIT ?"
)


def adoption_lines(workspace: Workspace, uid: str) -> str:
    """Return one line for each of the latest adoptions: operator, what the round achieved, rationale."""
    return "\n".join(_lines(workspace, uid, "adopted", _FOR)) or "- not recorded"


def refusal_lines(workspace: Workspace, uid: str) -> str:
    """Return one line for each of the latest rounds in which the lesson was retrieved and did not apply."""
    return (
        "\n".join(_lines(workspace, uid, "not_adopted", _AGAINST)) or "- nowhere so far"
    )


def evidence_counts(item: MemoryItem, share: float | None = None) -> str:
    """Return how often a lesson was retrieved and adopted, over how many operators, and what it sped up."""
    operators = len(item.adopted_operators)
    return (
        f"Retrieved in {item.n_ret} episodes, adopted in {item.n_ado} of them on {operators} operators; "
        f"utility {item.u_m:.2f} (mean credit, -1 to 1)."
        + (
            f" {share:.0%} of what those rounds gained is launch cost."
            if share is not None
            else ""
        )
    )


def launch_share(workspace: Workspace, uid: str) -> float | None:
    """How much of what rounds that adopted an item gained is launch cost, 0 to 1.

    None where nothing was gained, or a judge did not say what of a latency is launch.
    """
    gained = of_launch = 0.0
    for texts in workspace.db.execute(_GAINS, (uid,)).fetchall():
        after, before = (
            from_json(workspace.text(text), Evaluation, "evaluation").latency
            for text in texts
        )
        if (
            after is None
            or before is None
            or after.launch is None
            or before.launch is None
        ):
            return None
        gained += before.value - after.value
        of_launch += before.launch - after.launch
    return min(1.0, max(0.0, of_launch / gained)) if gained else None


def scoped(rule: str, share: float | None) -> str:
    """The rule, with its scope where its gains were those of launch cost alone."""
    if share is None or share < _MOSTLY or LAUNCH_ONLY in rule:
        return rule
    return f"{rule} {LAUNCH_ONLY}"


def _lines(workspace: Workspace, uid: str, state: str, most: int) -> Iterator[str]:
    """A line for each of the last records of an item: where it was, what the round led from and to, and why."""
    for (
        operator,
        objective,
        _round,
        why,
        verdict,
        latency,
        origin,
        before,
        slow,
        earlier_origin,
    ) in workspace.db.execute(_ROWS, (uid, state, most)):
        outcomes = []
        if before:
            outcomes.append(_outcome(before, slow, earlier_origin))
        if verdict:
            outcomes.append(_outcome(verdict, latency, origin))
        line = f"- {operator} ({objective}): "
        if outcomes:
            line += " to ".join(outcomes) + ": "
        yield line + why


def _outcome(verdict: str, latency: float | None, origin: str) -> str:
    if latency is None:
        return verdict
    model = f" ({origin_words(origin)})" if is_superseded(origin) else ""
    return f"{verdict} {latency:.2f} us{model}"
