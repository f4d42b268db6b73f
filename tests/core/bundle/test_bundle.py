"""A run as one file: what travels, what stays at home, and that a damaged one is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from core.agent.run.journal import Journal
from core.analysis.queries import candidate_files
from core.bundle import CorruptBundle, export_run, read_bundle, unpack
from core.errors import SageError
from core.evaluation.records import Candidate, LatencyOrigin
from core.memory.evidence import fold, foreign_episodes, own_episodes
from core.memory.records import Origin
from core.memory.replay import verification
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.workspace import Workspace, WorkspaceError
from sage_desktop.cli import main
from tests.gui import sample_workspace as sample
from tests.scenario import experience

SECRET = "pass-phrase-of-a-gateway"
OPERATORS = ("AbsMath", "Lerp", "SwiGlu", "RmsNorm")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four finished operators, of which the last promotes items, one under way, an item nobody retrieved."""
    folder = tmp_path_factory.mktemp("machine")
    path = folder / "w.sage"
    with Workspace.open(path) as workspace:
        store = MemoryStore(workspace)
        sample.add_bank(store)
        store.add_item(experience(99), origin=Origin.SEED, uid="never-retrieved")
        for name in OPERATORS[:3]:
            sample.run(workspace, sample.enqueue(workspace, name))
        for uid in store.needs_rule():
            store.set_rule(uid, f"The rule of {uid}.")
        last = sample.run(workspace, sample.enqueue(workspace, OPERATORS[3]))
        sample.add_call(
            workspace,
            last,
            1,
            "candidate",
            f"The log {folder}/build/a.cpp says {SECRET}.",
        )
        _plant_paths(workspace, folder, last)
        _plant_reasons(workspace, folder)
        _plant_worths(workspace, folder)
        journal = Journal(workspace)
        journal.open_job(f"distil-{last}", "distil", OPERATORS[3], None)
        for number, name in ((50, OPERATORS[3]), (51, "Tril")):
            lesson = experience(number, source=f"distilled from {name}")
            store.add_item(lesson, origin=Origin.DISTILLED, uid=f"lesson-of-{name}")
        journal.close_job(f"distil-{last}", "done", "1 new experiences")
        sample.run(
            workspace,
            sample.enqueue(workspace, "MseLoss"),
            sample.STEPS[:4],
            finish=False,
        )
    return path


def _plant_paths(workspace: Workspace, folder: Path, trajectory: str) -> None:
    """What a careless compiler and a careless model leave behind in round 1."""
    row = workspace.db.execute(
        "SELECT candidate, evaluation FROM round WHERE trajectory_uid = ? AND round = 1",
        (trajectory,),
    ).fetchone()
    files = json.loads(
        workspace.db.execute(
            "SELECT files FROM candidate WHERE digest = ?", (row[0],)
        ).fetchone()[0]
    )
    path = "op_host/abs_math.cpp"
    texts = {name: workspace.text(sha) for name, sha in files.items()}
    texts[path] += f'#include "{folder}/include/x.h"\n'
    candidate = Candidate(texts)
    evaluation = json.loads(workspace.text(row[1])) | {"candidate": candidate.digest}
    evaluation["build"]["log"] = f"g++ -I{folder}/include\n{folder}/a.cpp:3: error: no"
    shas = {name: workspace.put_text(text) for name, text in texts.items()}
    workspace.db.execute(
        "INSERT INTO candidate VALUES (?, ?)", (candidate.digest, json.dumps(shas))
    )
    workspace.db.execute(
        "UPDATE round SET candidate = ?, cause = ?, evaluation = ? WHERE trajectory_uid = ? AND round = 1",
        (
            candidate.digest,
            f"{folder}/a.cpp:3: error: no",
            workspace.put_text(json.dumps(evaluation)),
            trajectory,
        ),
    )


def _plant_worths(workspace: Workspace, folder: Path) -> None:
    """Answers an earlier release stored: one with a kernel no round has, one without."""
    kernel = Candidate({"op_kernel/rest.cpp": f'#include "{folder}/x.h"\n'})
    with workspace.transaction() as db:
        digest = Journal(workspace).store_candidate(kernel)
        reason = f"{folder}/rest.cpp is gone"
        judge = "twin of the bench"
        rows = db.execute(
            "SELECT t.episode_uid, t.round, t.item_id FROM trace t "
            "JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id "
            "WHERE i.uid = 'seed-0001' AND t.state = 'adopted' AND e.operator = ?",
            (OPERATORS[3],),
        ).fetchall()
        answers = ((digest, "-taken out", judge, ""), (None, "", "", reason))
        for answer in answers:
            db.execute(
                "INSERT INTO worth(episode_uid, round, item_id, at, candidate, removed, "
                "judge, why_not) VALUES (?, ?, ?, '2026-11-24', ?, ?, ?, ?)",
                (*rows[0], *answer),
            )


def _plant_reasons(workspace: Workspace, folder: Path) -> None:
    """Two operators stopped by the same file in different places."""
    for name in ("SwiGlu", "RmsNorm"):
        reason = f"{folder / name / 'a.bin'} cannot be read"
        workspace.db.execute(
            "UPDATE trajectory SET stop_reason = ? WHERE operator = ?", (reason, name)
        )


@pytest.fixture
def bundle(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GATEWAY_TOKEN", SECRET)
    return export_run(run, tmp_path / "run.zip", ["rmsnorm", "SwiGlu"]).path


def sage(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(
        main, ["workspace", *(str(argument) for argument in arguments)]
    )
    assert result.exit_code == code, result.output
    return result


def test_the_report_names_results_with_origins_and_promoted_items_with_evidence(
    bundle: Path,
) -> None:
    report = read_bundle(bundle).report
    assert [entry.operator for entry in report.trajectories] == ["SwiGlu", "RmsNorm"]
    for entry in report.trajectories:
        assert (entry.provider_origin, entry.evaluator, entry.rounds) == (
            "scripted",
            "twin",
            6,
        )
        assert entry.first is not None
        assert entry.best is not None
        assert (entry.first.value, entry.best.value) == (21.84, 9.63)
        assert entry.best.origin is LatencyOrigin.MODELLED
        assert entry.verdicts == {
            "fail-build": 1,
            "fail-run": 1,
            "fail-result": 1,
            "pass": 3,
        }
    name = "sage · sample · scripted · twin"
    assert [(entry.origin, entry.n, entry.solved) for entry in report.metrics] == [
        (name, 2, 2)
    ]
    assert {entry.method for entry in report.trajectories} == {"sage"}
    promoted = {item.uid: item for item in report.promoted}
    assert promoted["seed-0001"].rule == "The rule of seed-0001."
    assert {credit.operator for credit in promoted["seed-0001"].credits} == {
        "SwiGlu",
        "RmsNorm",
    }
    steps = promoted["seed-0001"].credits
    assert [credit.u_after for credit in steps[:-1]] == [
        credit.u_before for credit in steps[1:]
    ]
    text = read_bundle(bundle).markdown
    assert "9.63 us modelled (twin cycle model, Ascend910B1 model), round 6" in text
    assert "episodes outside this run gave it credit" in text


def test_why_a_run_stopped_travels_without_its_places(
    bundle: Path, tmp_path: Path
) -> None:
    with Workspace.open_readonly(
        unpack(read_bundle(bundle), tmp_path / "elsewhere")
    ) as part:
        reasons = {
            row[0] for row in part.db.execute("SELECT stop_reason FROM trajectory")
        }
        assert reasons == {"<path>/a.bin cannot be read"}


def test_the_workspace_in_it_is_whole_for_what_was_chosen(
    bundle: Path, run: Path, tmp_path: Path
) -> None:
    path = unpack(read_bundle(bundle), tmp_path / "elsewhere")
    with Workspace.open_readonly(path) as part, Workspace.open_readonly(run) as whole:
        assert part.check() == ()
        db = part.db
        assert [
            row[0]
            for row in db.execute("SELECT operator FROM trajectory ORDER BY rowid")
        ] == [
            "SwiGlu",
            "RmsNorm",
        ]
        for table, count in (
            ("round", 12),
            ("episode", 4),
            ("trace", 60),
            ("model_call", 1),
        ):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == count, (
                table
            )
        uids = {row[0] for row in db.execute("SELECT uid FROM item")}
        assert uids == {item[0] for item in sample.ITEMS[:5]} | {"lesson-of-RmsNorm"}
        uids.remove("lesson-of-RmsNorm")
        here, there = MemoryStore(part), MemoryStore(whole)
        assert here.items(sorted(uids)) == there.items(sorted(uids))
        episodes = [*own_episodes(db), *foreign_episodes(db)]
        for item in here.items(sorted(uids)):
            evidence = fold([item.uid], episodes)
            assert (
                evidence.n_ret == item.n_ret == 9
            )  # four here, five in episodes that stay at home
            assert evidence.u == pytest.approx(item.u_m, abs=1e-12)
        for (evaluation,) in db.execute("SELECT evaluation FROM round").fetchall():
            known = json.loads(part.text(evaluation))["candidate"]
            files = db.execute(
                "SELECT files FROM candidate WHERE digest = ?", (known,)
            ).fetchone()[0]
            texts = {
                name: part.text(sha) for name, sha in msgspec.json.decode(files).items()
            }
            assert Candidate(texts).digest == known
        with pytest.raises(SageError, match="part of a run"):
            verification.verify(part)


def test_what_an_adoption_was_worth_travels_with_the_kernel_that_was_judged(
    bundle: Path, tmp_path: Path
) -> None:
    with Workspace.open_readonly(
        unpack(read_bundle(bundle), tmp_path / "elsewhere")
    ) as part:
        answers = part.db.execute(
            "SELECT removed, judge, why_not FROM worth"
        ).fetchall()
        removed, judge, _ = answers[0]
        assert (removed, judge) == ("-taken out", "twin of the bench")
        assert answers[1][2] == "<path>/rest.cpp is gone"
        row = part.db.execute(
            "SELECT candidate FROM worth WHERE candidate IS NOT NULL"
        ).fetchone()
        assert candidate_files(part.db, row[0]) == {
            "op_kernel/rest.cpp": '#include "<path>/x.h"\n'
        }


def test_it_can_be_searched_and_cannot_be_written(bundle: Path, tmp_path: Path) -> None:
    path = unpack(read_bundle(bundle), tmp_path / "elsewhere")
    path.parent.chmod(0o555)
    try:
        with Workspace.open_readonly(path) as part:
            hits = Retriever(part).retrieve("UB overflow cast float16 sums", k=5)
            assert hits[0].uid == "seed-0005"
            with pytest.raises(sqlite3.OperationalError):
                part.db.execute("DELETE FROM item")
        with pytest.raises(WorkspaceError):
            Workspace.open(path)
    finally:
        path.parent.chmod(0o755)


def test_no_path_and_no_secret_travels(bundle: Path, run: Path, tmp_path: Path) -> None:
    folder = str(run.parent)
    assert folder.encode() in run.read_bytes(), "there is something to take out"
    with zipfile.ZipFile(bundle) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            assert folder.encode() not in data, name
            assert SECRET.encode() not in data, name
    with Workspace.open_readonly(
        unpack(read_bundle(bundle), tmp_path / "elsewhere")
    ) as part:
        texts = [
            bytes(row[0]).decode() for row in part.db.execute("SELECT data FROM blob")
        ]
        assert any("The log <path>/a.cpp says <secret>." in text for text in texts)
        assert any('#include "<path>/x.h"' in text for text in texts)
        assert any(
            "g++ -I<path>/include\\n<path>/a.cpp:3: error: no" in text for text in texts
        )
    assert read_bundle(bundle).report.redacted >= 4


def _rewritten(change: Callable[[dict[str, bytes]], None]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        change(files)
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)

    return damage


def _better_report(files: dict[str, bytes]) -> None:
    files["report.json"] = files["report.json"].replace(b"9.63", b"1.63")


def _other_workspace(files: dict[str, bytes]) -> None:
    files["run.sage"] += b"\0"


def _stranger(files: dict[str, bytes]) -> None:
    files["../stranger.txt"] = b"x"


def _crowd(files: dict[str, bytes]) -> None:
    """Each was counted among all others."""
    files.update({f"stranger-{number:05}.txt": b"" for number in range(50_000)})


def _twice(path: Path) -> None:
    """Which of the two is read depends on who reads."""
    duplicate = pytest.warns(UserWarning, match="Duplicate name")
    with zipfile.ZipFile(path, "a") as archive, duplicate:
        archive.writestr("report.json", b"{}")


def _lost(files: dict[str, bytes]) -> None:
    del files["run.sage"]


def _no_manifest(files: dict[str, bytes]) -> None:
    del files["manifest.json"]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_rewritten(_better_report), "report.json has sha256"),
        (_rewritten(_other_workspace), "run.sage has"),
        (_rewritten(_stranger), "stranger.txt"),
        (_rewritten(_crowd), "stranger-00009.txt, 49990 more"),
        (_twice, "report.json"),
        (_rewritten(_lost), "run.sage"),
        (_rewritten(_no_manifest), "no manifest.json"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-1000]),
            "not a whole bundle",
        ),
        (lambda path: path.write_text("no zip at all"), "not a whole bundle"),
    ],
)
def test_a_damaged_bundle_is_refused_and_says_why(
    bundle: Path, tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(bundle)
    with pytest.raises(CorruptBundle, match=words):
        read_bundle(bundle)
    result = sage("open-run", bundle, "--into", tmp_path / "elsewhere", code=2)
    assert words in result.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_a_flipped_byte_anywhere_in_the_packed_workspace_is_found(
    bundle: Path, tmp_path: Path
) -> None:
    data = bytearray(bundle.read_bytes())
    with zipfile.ZipFile(bundle) as archive:
        entry, whole = archive.getinfo("run.sage"), archive.read("run.sage")
    for part in (0.3, 0.6, 0.9):
        position = entry.header_offset + 60 + int(part * (entry.compress_size - 60))
        bad = bytearray(data)
        bad[position] ^= 0x55
        path = tmp_path / "bad.zip"
        path.write_bytes(bad)
        try:
            read_bundle(path)
        except CorruptBundle:
            continue
        with zipfile.ZipFile(
            path
        ) as archive:  # deflate may refer to equal bytes elsewhere: nothing changed
            assert archive.read("run.sage") == whole


def test_from_the_command_line(run: Path, tmp_path: Path) -> None:
    before = run.read_bytes()
    out = tmp_path / "all.zip"
    assert (
        "4 trajectories, 24 rounds, 6 memory items"
        in sage("export-run", run, out).stdout
    )
    assert run.read_bytes() == before
    assert "exists already" in sage("export-run", run, out, code=2).stderr
    assert (
        "no finished trajectory of MseLoss"
        in sage(
            "export-run", run, tmp_path / "x.zip", "--operator", "MseLoss", code=2
        ).stderr
    )
    shown = sage("open-run", out, "--into", tmp_path / "seen")
    assert "| AbsMath | finished" in shown.stdout
    report = json.loads(sage("open-run", out, "--json").stdout)
    assert [entry["operator"] for entry in report["trajectories"]] == list(OPERATORS)
    assert (tmp_path / "seen" / "report.md").read_text() in shown.stdout
    assert (
        "not empty" in sage("open-run", out, "--into", tmp_path / "seen", code=2).stderr
    )
    shutil.rmtree(tmp_path / "seen")
