"""kill -9 at random instants: the run continues, applies everything once, and ends with the same memory."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from core.engine.run_summary import run_summary
from core.workspace import Workspace

INSTANTS = 20  # at least so many kills, over as many runs as that takes
FEW = 5
ROOT = Path(__file__).parents[3]
# Everything the method computes; clocks and the random names of trajectories are left out.
STATE = {
    "items": "SELECT uid, title, sigma, u_m, n_ret, n_ado, rule_text, L_m, hot_region, hot_admitted_seq, "
    "ever_hot, p_hat_ema, elig_acc, elig_mark, created_seq, content_hash FROM item ORDER BY id",
    "credit": "SELECT seq, item, operator, objective, adopted, z, xi, eta, u_before, u_after "
    "FROM credit_history ORDER BY seq, item",
    "hot": "SELECT seq, n_ops, tokens, hot_entries FROM hot_snapshot ORDER BY seq",
    "records": "SELECT operator, objective, round, rank, item, state, rationale, counted "
    "FROM adoption_record ORDER BY operator, objective, round, rank",
    "rounds": "SELECT t.operator, r.round, r.step, r.verdict, r.candidate, r.latency_us FROM round r "
    "JOIN trajectory t ON t.uid = r.trajectory_uid ORDER BY t.operator, r.round",
    "calls": "SELECT t.operator, c.purpose, c.subject, c.round, c.attempt, c.prompt, c.reply "
    "FROM model_call c JOIN trajectory t ON t.uid = c.trajectory_uid ORDER BY 1, 2, 3, 4, 5",
    "diagnostics": "SELECT t.operator, d.round, d.number, d.tool, d.test_case, d.candidate, d.result "
    "FROM diagnostic d JOIN trajectory t ON t.uid = d.trajectory_uid ORDER BY 1, 2, 3",
    "jobs": "SELECT purpose, subject, state, detail FROM job ORDER BY purpose, subject",
    "queue": "SELECT operator, state, reason FROM queue_entry ORDER BY id",
    "trajectories": "SELECT operator, state, rounds_used, t_first, t_best FROM trajectory ORDER BY operator",
}


def life(path: Path, events: int | None, *session: Path) -> bool:
    """Run until the end, or until `events` events were seen and the process is killed; True when it ended."""
    command = [
        sys.executable,
        "-m",
        "tests.core.engine.demo_process",
        str(path),
        *map(str, session),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for number, _ in enumerate(process.stdout, start=1):
            if number == events:
                process.kill()
        return process.wait() == 0


def outcome(path: Path) -> dict[str, object]:
    with Workspace.open_readonly(path) as workspace:
        found: dict[str, object] = {
            name: [tuple(row) for row in workspace.db.execute(query)]
            for name, query in STATE.items()
        }
        summary = run_summary(workspace)
        for row in summary["operators"]:
            del row["trajectory"]  # a random name
        found["summary"] = summary
        return found


@pytest.mark.system
@pytest.mark.parametrize(
    "instants", [FEW, pytest.param(INSTANTS, marks=pytest.mark.slow)]
)
def test_killed_again_and_again_the_memory_ends_as_undisturbed(
    tmp_path: Path, instants: int
) -> None:
    assert life(tmp_path / "calm.sage", None)
    calm = outcome(tmp_path / "calm.sage")
    assert len(calm["diagnostics"]) == 4  # type: ignore[arg-type]
    chance = random.Random(instants)
    longest = 12 if instants == INSTANTS else 40
    kills = lives = 0
    while kills < instants:
        lives += 1
        path = tmp_path / f"killed-{lives}.sage"
        while not life(path, chance.randint(2, longest)):
            kills += 1
            assert kills < 3 * INSTANTS, "no progress"
        killed = outcome(path)
        for name in calm:
            assert killed[name] == calm[name], name
