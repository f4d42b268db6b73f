"""`sage run` with a person or a model as the backbone, recorded and replayed, on the real CPU twin."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.agent.reply.protocol import read_reply, render_files
from core.errors import InvalidInput, SageError
from core.evaluation.secret_seeds import secret_digest
from core.experiments.plans.operator_sets import chosen_operators
from core.memory.tokens import EstimatedTokens
from core.models.endpoint import Endpoint
from core.models.faults import UnknownModel
from core.operators.loader import load_operator
from core.replay.session_file import read_session
from core.workspace import Workspace
from sage_desktop.cli import main
from sage_desktop.services.models.check import ANY
from sage_desktop.services.models.choice import choose_model, served_model
from tests.core.models.server import Fail, Say, Server
from tests.own_kernels import few_cases
from tests.scripted_session import pack

DONE = (
    "## Diagnosis\nfast enough\n## Adoption\n{records}\n## Resident rules used\nnone\n"
)


# Retrieval by words alone: another encoder process in each run would take seconds.
WORDS_ONLY = ("--set", "encoder=none")


def sage(*arguments: object, code: int = 0) -> str:
    """Run a command here; what it prints, and what it says when it fails."""
    words_only = WORDS_ONLY if arguments[0] == "run" else ()
    done = CliRunner().invoke(
        main, [*map(str, (*arguments, *words_only))], prog_name="sage"
    )
    assert done.exit_code == code, done.stderr + done.stdout
    return done.stdout if code == 0 else done.stderr + done.stdout


def correct_kernel() -> dict[str, str]:
    """The first kernel of the demonstration that is correct: round 2 of AbsMath, all files."""
    rows = [
        r
        for r in pack().replies
        if (r.subject, r.objective, r.round) == ("AbsMath", "corr", 2)
    ]
    return dict(
        read_reply(next(row.text for row in rows if row.purpose == "repair")).files
    )


# Of no kind of work, so for every operator.
LESSONS = """
[[item]]
uid = "seed-zigzag"
title = "Absolute values of unaligned rows: walk the tiles in a zigzag"
type = "performance"
category = "Math"
summary = "Even cores walk upwards and odd ones downwards: neighbours then never ask for the same channel."

[[item]]
uid = "seed-sign"
title = "Absolute value of half precision: mask the sign bit"
type = "performance"
category = "Math"
summary = "And with 0x7fff on uint16_t lanes rounds nothing and keeps the payload of every NaN."
"""


def answer(prompt: str) -> str:
    """What a careful person would write: diagnose, adopt the first experience, send a kernel, be done."""
    request = prompt.rsplit("# Now", 1)[-1] if "# Now" in prompt else prompt
    if "Distil what later operators" in prompt:
        return "Nothing new."
    if "Do not write code yet" in request:
        return "## Diagnosis\nbound by transfers of DataCopy\n"
    shown = re.findall(
        r"^### \[(\S+)\]", prompt.rsplit("# Retrieved experiences", 1)[-1], re.MULTILINE
    )
    shown = shown if "# Retrieved experiences" in prompt else []
    records = "\n".join(
        f"- [{uid}] {'adopted' if number == 0 else 'not_adopted'}: op_kernel/abs_math.cpp:1: because"
        for number, uid in enumerate(shown)
    )
    text = DONE.format(records=records)
    if "or `## Done`" in request:
        return f"{text}## Done\nno idea left\n"
    return f"{text}## Files\n{render_files(correct_kernel())}\n"


@contextmanager
def person(folder: Path) -> Iterator[list[str]]:
    """A script that answers every prompt that appears in a folder."""
    seen: list[str] = []
    end = threading.Event()

    def watch() -> None:
        while not end.wait(0.05):
            for prompt in sorted(folder.glob("*/*.prompt.md")):
                reply = Path(str(prompt).replace(".prompt.", ".reply."))
                if reply.exists():
                    continue
                try:
                    text = prompt.read_text(encoding="utf-8")
                except (
                    FileNotFoundError
                ):  # set aside this moment, for the next question
                    continue
                seen.append(prompt.name)
                reply.write_text(answer(text), encoding="utf-8")

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        end.set()
        thread.join()


@pytest.fixture(scope="module")
def by_hand(
    tmp_path_factory: pytest.TempPathFactory, build_cache: Path
) -> tuple[Path, dict[str, Any], list[str]]:
    """A workspace in which a person wrote AbsMath, the results, and the prompts they saw."""
    folder = tmp_path_factory.mktemp("by_hand")
    path = folder / "w.sage"
    (folder / "bank.toml").write_text(LESSONS, encoding="utf-8")
    with person(folder / "desk") as seen:
        said = sage(
            "run",
            "--operators",
            "AbsMath",
            "--model",
            f"manual:{folder / 'desk'}",
            "--bank",
            folder / "bank.toml",
            "--rounds",
            5,
            "--workspace",
            path,
            "--json",
        )
    return path, json.loads(said), seen


@pytest.mark.system
def test_a_person_completes_an_operator_through_files(
    by_hand: tuple[Path, dict[str, Any], list[str]],
) -> None:
    path, summary, seen = by_hand
    (row,) = summary["operators"]
    assert (row["name"], row["correct"], row["rounds"]) == ("AbsMath", True, 1)
    assert row["retrieved"] > row["adopted"] >= 1
    assert seen[:3] == [
        "round-001.prompt.md",
        "round-002.diagnose.prompt.md",
        "round-002.prompt.md",
    ]
    with Workspace.open_readonly(path) as workspace:
        assert (
            workspace.db.execute("SELECT provider_origin FROM trajectory").fetchone()[0]
            == "manual"
        )
        stored = workspace.db.execute(
            "SELECT evaluation FROM round WHERE evaluation != ''"
        ).fetchone()[0]
        facts = json.loads(workspace.text(stored))["facts"]
        assert facts["seeds"] == secret_digest(workspace.meta("seed_secret")), (
            "nobody foresaw the inputs"
        )
        assert facts["sandbox"] != "unconfined"


@pytest.mark.system
def test_a_run_times_a_task_of_a_profile_on_its_processor(
    tmp_path: Path, build_cache: Path
) -> None:
    task = Path(few_cases(tmp_path))
    specification = task / "operator.toml"
    text = specification.read_text().replace(
        "format = 1\n", 'format = 1\nbenchmark = "workload"\n', 1
    )
    specification.write_text(text)
    spec = load_operator(task)
    groups = [
        {
            "shapes": [list(case.inputs["x"].shape)],
            "dtype": case.inputs["x"].dtype.value,
            "result": "",
            "microseconds": 2.0,
        }
        for case in spec.cases
    ]
    record = {"workload": "model", "operator": "Abs", "groups": groups}
    processor = {"processor": "Ascend910B4"}
    (task / "workload.json").write_text(json.dumps(record | processor))
    timed = sum(case.timed and not case.hidden for case in spec.cases)
    took = f"{2 * timed:.1f} µs on Ascend910B4 (profile model)"
    desk, path = tmp_path / "desk", tmp_path / "w.sage"
    words = ("--model", f"manual:{desk}", "--bank", "none", "--rounds", 1)
    with person(desk):
        table = sage("run", "--operators", task, *words, "--workspace", path)
    assert "judged by: this computer · CPU twin (modelled Ascend910B4)" in table
    assert f"CANN's own kernels for the calls of AbsMath: {took}, measured" in table
    first = next(desk.glob("*/round-001.prompt.md")).read_text()
    assert "Ascend910B4" in first
    assert "Ascend910B1" not in first
    assert "profile model" not in first
    with Workspace.open_readonly(path) as workspace:
        stored = workspace.db.execute(
            "SELECT evaluation FROM round WHERE evaluation != ''"
        ).fetchone()[0]
        latency = json.loads(workspace.text(stored))["latency"]
    assert latency["device"] == "Ascend910B4 model"


@pytest.mark.system
def test_the_recording_of_it_replays_without_anybody(
    by_hand: tuple[Path, dict[str, Any], list[str]], tmp_path: Path
) -> None:
    path, summary, _ = by_hand
    session = tmp_path / "abs.jsonl"
    sage("session", "record", path, session, "--title", "by hand")
    header = read_session(session).header
    assert (header.origin, header.operators) == ("recorded", ("AbsMath",))
    replayed = json.loads(sage("session", "replay", session, "--json"))
    kept = (
        "name",
        "state",
        "correct",
        "rounds",
        "retrieved",
        "adopted",
        "method",
        "model",
        "judge",
        "run",
    )
    (found,), (wanted,) = replayed["operators"], summary["operators"]
    assert {key: found[key] for key in kept} == {key: wanted[key] for key in kept}
    assert replayed["promoted"] == summary["promoted"]
    statistics = "SELECT uid, u_m, n_ret, n_ado, sigma FROM item ORDER BY uid"
    found = []
    for file in (path, session.with_suffix(".sage")):
        with Workspace.open_readonly(file) as workspace:
            found.append([tuple(row) for row in workspace.db.execute(statistics)])
    assert found[0] == found[1], "the replay earns what the run earned"


@pytest.mark.system
def test_a_frozen_memory_is_read_and_stays_as_it_is(
    by_hand: tuple[Path, dict[str, Any], list[str]], tmp_path: Path
) -> None:
    memory, path = tmp_path / "learnt.sage", tmp_path / "transfer.sage"
    shutil.copy(by_hand[0], memory)
    with Workspace.open_readonly(memory) as workspace:
        pinned = str(workspace.db.execute("SELECT min(uid) FROM item").fetchone()[0])
    sage("memory", "pin", pinned, "--workspace", memory)
    before = memory.read_bytes()
    with person(tmp_path / "desk"):
        run = [
            "run",
            "--operators",
            few_cases(tmp_path),
            "--model",
            f"manual:{tmp_path / 'desk'}",
        ]
        run += ["--rounds", 1]
        summary = json.loads(
            sage(*run, "--frozen", memory, "--workspace", path, "--json")
        )
    assert summary["operators"][0]["correct"]
    assert (
        summary["frozen_memory"] == f"learnt.sage {hashlib.sha256(before).hexdigest()}"
    )
    assert memory.read_bytes() == before
    assert not list(tmp_path.glob("learnt.sage-*"))
    prompt = (tmp_path / "desk" / "AbsMath" / "round-001.prompt.md").read_text(
        encoding="utf-8"
    )
    with Workspace.open_readonly(path) as workspace:
        retrieved = {
            row[0] for row in workspace.db.execute("SELECT item FROM adoption_record")
        }
        assert retrieved
        assert pinned not in retrieved
        assert all(f"[{uid}]" in prompt for uid in (pinned, *retrieved))
        assert (
            workspace.db.execute("SELECT count(*) FROM credit_event").fetchone()[0] == 0
        )
    assert "frozen memory learnt.sage" in sage(
        *run, "--again", "--workspace", path, code=2
    )


@pytest.mark.system
def test_a_dead_server_leaves_the_run_resumable(
    tmp_path: Path, build_cache: Path
) -> None:
    path = tmp_path / "w.sage"
    kernel = answer("# Task\n# Now\n\nWrite the first candidate")
    run = [
        "run",
        "--operators",
        few_cases(tmp_path),
        "--model",
        "test-model",
        "--rounds",
        "1",
    ]
    run += ["--workspace", path, "--set", "encoder=none", "--bank", "none"]
    with Server(Fail(400, "no such parameter")) as server:
        said = sage(*run, "--endpoint", server.url, code=1)
        assert "no such parameter" in said
        assert len(server.requests) == 1, "what cannot pass is not repeated"
    with Server(Say(kernel), Say("Nothing new.")) as server:
        out = json.loads(sage(*run, "--endpoint", server.url, "--json"))
        assert out["operators"][0]["correct"]
        assert len(server.requests) == 2, (
            "one candidate, one distillation: no request after the budget"
        )


@pytest.mark.system
def test_a_model_that_is_not_served_is_named_before_anything_runs(
    tmp_path: Path,
) -> None:
    with Server(Say("ok"), models={"another": 4096}) as server:
        said = sage(
            "run",
            "--operators",
            "AbsMath",
            "--model",
            "mine",
            "--endpoint",
            server.url,
            "--workspace",
            tmp_path / "w.sage",
            code=2,
        )
        assert "another" in said
    assert not (tmp_path / "w.sage").exists()


def test_model_test_says_what_an_endpoint_can_do(tmp_path: Path) -> None:
    with Server(
        Say("ready", reasoning="hm", cached=3), models={"test-model": 4096}
    ) as server:
        checks = {
            row["name"]: row
            for row in json.loads(sage("model", "test", server.url, "--json"))
        }
    assert all(row["ok"] for row in checks.values())
    assert "4096" in checks["context"]["detail"]
    with Server(Fail(401, "bad key")) as server:
        assert "bad key" in sage("model", "test", server.url, code=1)


@pytest.mark.system
def test_parameters_of_the_method_are_set_by_name_and_kept_with_the_episode(
    tmp_path: Path, build_cache: Path
) -> None:
    path = tmp_path / "w.sage"
    options = (
        "--operators",
        few_cases(tmp_path),
        "--bank",
        "demo",
        "--rounds",
        1,
        "--workspace",
        path,
    )
    for change, said in (
        ("gama=0.1", "gama: is not a parameter"),
        ("gamma=much", "'much' is not a value"),
        ("gamma", "NAME=VALUE"),
    ):
        refused = sage(
            "run",
            *options,
            "--model",
            f"manual:{tmp_path / 'desk'}",
            "--set",
            change,
            code=2,
        )
        assert said in refused
    assert not path.exists()
    with person(tmp_path / "desk"):
        sage(
            "run",
            *options,
            "--model",
            f"manual:{tmp_path / 'desk'}",
            "--json",
            "--set",
            "gamma=0.2",
            "--set",
            "encoder=none",
        )
    with Workspace.open_readonly(path) as workspace:
        stored = json.loads(
            workspace.db.execute("SELECT parameters FROM episode").fetchone()[0]
        )
        assert (stored["gamma"], stored["encoder"]) == (0.2, "none")
        assert workspace.db.execute("SELECT count(*) FROM embedding").fetchone()[0] == 0


@pytest.mark.system
def test_a_limit_interrupts_the_run_with_its_reason(
    tmp_path: Path, build_cache: Path
) -> None:
    path = tmp_path / "w.sage"
    candidate = Say(answer("# Task\n# Now\n\nWrite the first candidate"))
    with Server(candidate, models={"test-model": 24_000}) as server:
        said = sage(
            "run",
            "--operators",
            few_cases(tmp_path),
            "--model",
            "test-model",
            "--endpoint",
            server.url,
            "--limit",
            "tokens=107",
            "--bank",
            "none",
            "--workspace",
            path,
            "--json",
            code=1,
        )
        assert (
            "AbsMath: interrupted: the limit of 107 tokens per operator is reached"
            in said
        )
        (row,) = json.loads(said[said.index("{\n") :])["operators"]
        assert (row["state"], row["incomplete"], row["correct"]) == (
            "interrupted",
            True,
            True,
        )
        (request,) = server.requests
    prompt = sum(
        EstimatedTokens().count(message["content"]) for message in request["messages"]
    )
    assert 0 < request["max_tokens"] < 24_000 - prompt, (
        "the reply is bounded by what the context leaves"
    )
    with Workspace.open_readonly(path) as workspace:
        rows = workspace.db.execute(
            "SELECT objective, status FROM episode ORDER BY objective"
        ).fetchall()
        assert [tuple(row) for row in rows] == [("corr", "applied"), ("opt", "open")]


def test_a_folder_called_like_an_operator_is_not_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's replies, or a project, lie in such folders: `manual:.` makes one."""
    (tmp_path / "AbsMath").mkdir()
    (tmp_path / "Project").mkdir()
    monkeypatch.chdir(tmp_path)
    assert chosen_operators("AbsMath") == [("catalogue", "AbsMath")]
    with pytest.raises(
        InvalidInput, match=r"Project: operator\.toml: is not in this folder"
    ):
        chosen_operators("Project")


def test_a_profile_without_a_model_takes_the_only_one_served() -> None:
    with Server(Say("ok"), models={"one": 32_768}) as server:
        assert served_model(Endpoint(server.url, ANY)).label == "one"
    with (
        Server(Say("ok"), models={"one": 32_768, "two": 9}) as server,
        pytest.raises(UnknownModel, match=r"names no model\. It serves: one, two"),
    ):
        served_model(Endpoint(server.url, ANY))


def test_a_manual_model_needs_its_folder() -> None:
    with pytest.raises(SageError, match="manual:FOLDER"):
        choose_model("manual:")


@pytest.mark.system
def test_a_fault_of_the_environment_is_run_again_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_CXX", "/nowhere/g++")
    kernel = Say(answer("# Task\n# Now\n\nWrite the first candidate"))
    with Server(kernel) as server:
        for _ in range(2):
            said = sage(
                "run",
                "--operators",
                "AbsMath",
                "--model",
                "test-model",
                "--endpoint",
                server.url,
                "--bank",
                "none",
                "--workspace",
                tmp_path / "w.sage",
                code=1,
            )
            assert "No C++ compiler" in said
            assert len(server.requests) == 1, (
                "what met the fault is judged again, not written again"
            )


def test_the_prices_of_a_profile_limit_the_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_CONFIG_DIR", str(tmp_path))
    run = [
        "run",
        "--operators",
        "AbsMath",
        "--model",
        "lab",
        "--limit",
        "cost=0.0001",
        "--bank",
        "none",
    ]
    with Server(Say("nonsense")) as server:
        sage("model", "add", "lab", "--endpoint", server.url)
        assert "State the prices" in sage(
            *run, "--workspace", tmp_path / "w.sage", code=2
        )
        assert "price_output 3.0" in sage(
            "model", "add", "lab", "--prices", "1", "0.5", "3"
        )
        said = sage(*run, "--workspace", tmp_path / "w.sage", code=1)
        assert "the limit of 0.0001 per operator is reached" in said
        assert len(server.requests) == 1


def test_a_processor_that_is_not_modelled_is_refused_before_anything_is_blamed(
    tmp_path: Path,
) -> None:
    with Server(Say("ok")) as server:
        said = sage(
            "run",
            "--operators",
            "AbsMath",
            "--model",
            "test-model",
            "--endpoint",
            server.url,
            "--soc",
            "Ascend999",
            "--workspace",
            tmp_path / "w.sage",
            code=2,
        )
        assert "soc: 'Ascend999' is not modelled. Available: Ascend910B1, " in said
        assert "Ascend910B4-1" in said
        assert server.requests == []


@pytest.mark.slow  # quicker: `core/experiments/test_faithfulness.py`, on simulated agents
def test_a_person_who_needs_no_experience_is_found_not_to_depend_on_it(
    by_hand: tuple[Path, dict[str, Any], list[str]], tmp_path: Path
) -> None:
    """The same kernel comes whatever the prompt shows: every effect is zero though adoption was declared."""
    path, into = by_hand[0], tmp_path / "study.jsonl"
    before = path.read_bytes()
    study = (
        "faithfulness",
        "--workspace",
        path,
        "--into",
        into,
        "--rounds",
        1,
        "--repeats",
        1,
    )
    assert sage(*study, "--dry-run").startswith("6 replies")
    with person(tmp_path / "desk"):
        told = json.loads(
            sage(*study, "--model", f"manual:{tmp_path / 'desk'}", "--json")
        )["study"]
    assert {entry["condition"]: entry["effect"] for entry in told["conditions"]} == {
        "removed": 0.0,
        "shuffled": 0.0,
        "corrupted": 0.0,
        "irrelevant": 0.0,
    }
    assert all(entry["original"] == 1.0 for entry in told["conditions"])
    assert [entry["effect"] for entry in told["items"]] == [0.0]
    assert told["items"][0]["declared"]["adopted"] >= 1
    assert "bypassed" in sage(*study, "--analyse")
    assert path.read_bytes() == before
