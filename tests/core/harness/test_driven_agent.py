"""An agent driven over ACP: what it can see, how it is ended, and that the loop around it stays exact."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.errors import SageError
from core.harness.acp_provider import AcpProvider
from core.harness.agent_process import AgentFault, AgentGone, OnSilence, TurnLimits
from core.harness.gateway import Turn
from core.harness.launch import Launch, NoAgent, find_agent
from core.models.endpoint import Endpoint
from core.models.faults import (
    ContextOverflow,
    ServerFault,
    StalledStream,
    UnusableReply,
)
from core.models.pieces import AgentStep, Piece, Thought
from core.models.port import Message, ModelReply, ModelRequest, Purpose, Stream
from core.workspace import Workspace
from remote.agents.confined import Cell
from sage_desktop.cli import main
from sage_desktop.services.models.choice import command_and_model
from tests.core.harness.scripted_model import adoption, kernel, since_asked
from tests.core.models.server import Fail, Packed, Recipe, Say, Server, Stall
from tests.own_kernels import few_cases

KEY = "sk-a-key-nobody-may-see"
SAGE = [sys.executable, "-c", "from sage_desktop.cli import main; main()"]


def asked(**changes: Any) -> ModelRequest:
    messages = (Message("system", "rules"), Message("user", "write it"))
    usual = ModelRequest(Purpose.CANDIDATE, "AbsMath", "corr", 1, messages)
    return replace(usual, **changes)


def turn(
    server: Server,
    agent: str,
    cache: Path,
    *requests: ModelRequest,
    limits: TurnLimits | None = None,
    stream: Stream | None = None,
    reads: tuple[Path, ...] = (),
    on_silence: OnSilence | None = None,
) -> list[ModelReply]:
    """What an agent answers to requests, one after the other."""

    async def work() -> list[ModelReply]:
        endpoint = Endpoint(server.url, "test-model", "SAGE_TEST_KEY", attempts=2)
        provider = AcpProvider(
            find_agent(agent, reads), endpoint, Cell(cache), limits, on_silence
        )
        try:
            return [
                await provider.complete(request, stream)
                for request in requests or (asked(),)
            ]
        finally:
            await provider.close()

    return asyncio.run(work())


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_TEST_KEY", KEY)


def told(server: Server) -> str:
    """What the agent told its model last."""
    return str(server.requests[-1]["messages"][-1]["content"])


@pytest.mark.system
def test_what_the_agent_leaves_in_its_folder_is_the_reply(
    small_agent: str, build_cache: Path
) -> None:
    write = (
        "WRITE op_kernel/a.cpp int a;\nWRITE op_kernel/notes.md no\nWRITE loose.cpp no"
    )
    with Server(Say(write), Say("## Diagnosis\nx\n")) as server:
        (reply,) = turn(
            server,
            small_agent,
            build_cache,
            asked(files={"op_kernel/b.cpp": "int b;\n"}),
        )
    assert (
        reply.text
        == "## Diagnosis\nx\n\n## Files\n### op_kernel/a.cpp\n```cpp\nint a;\n```\n"
    )
    # The server counts 7 for each answer and at least 100 for each prompt.
    assert reply.usage.completion_tokens == 14, "of both requests"
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.prompt_tokens >= 200, "of both requests"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.system
def test_a_correction_goes_on_in_the_conversation_and_a_new_round_does_not(
    small_agent: str, build_cache: Path
) -> None:
    first = asked()
    with Server(
        Say("WRITE op_kernel/a.cpp int a;"), Say("one"), Say("two"), Say("three")
    ) as server:
        reply = "one\n\n## Files\n### op_kernel/a.cpp\n```cpp\nint a;\n```\n"
        again = (
            *first.messages,
            Message("assistant", reply),
            Message("user", "records are missing"),
        )
        correction = asked(purpose=Purpose.CORRECTION, attempt=1, messages=again)
        fresh = asked(
            purpose=Purpose.REPAIR,
            round=2,
            messages=(Message("user", "next"),),
            files={},
        )
        replies = turn(server, small_agent, build_cache, first, correction, fresh)
    assert replies[0].text == reply
    assert "records are missing" in told_of(server, 2)
    assert "write it" not in told_of(server, 2)
    assert "int a;" in replies[1].text, "the folder is as it was left"
    assert "int a;" not in replies[2].text, (
        "a round begins with the candidate before it"
    )


@pytest.mark.system
def test_thoughts_tool_calls_and_edits_are_told_as_they_come_and_kept(
    small_agent: str, build_cache: Path
) -> None:
    pieces: list[Piece] = []
    first = "THINK tiles are too small\nWRITE op_kernel/a.cpp int b;\nREAD /etc/shadow"
    before = asked(files={"op_kernel/a.cpp": "int a;\n"})
    with Server(Say(first), Say("## Diagnosis\nx\n")) as server:
        (reply,) = turn(server, small_agent, build_cache, before, stream=pieces.append)
    assert pieces[0] == Thought("tiles are too small")
    steps = [piece for piece in pieces if isinstance(piece, AgentStep)]
    states = [step.state for step in steps]
    assert states == [
        "pending",
        "in_progress",
        "completed",
        "pending",
        "in_progress",
        "failed",
    ]
    edit = steps[2]
    assert (edit.kind, edit.places) == ("edit", ("op_kernel/a.cpp",))
    assert edit.diff.splitlines()[1:] == ["-int a;", "+int b;"]
    assert pieces[-1] == "## Diagnosis\nx\n"
    assert reply.reasoning == (
        "tiles are too small\n\n✓ edit op_kernel/a.cpp +1 −1\n@@ -1 +1 @@\n-int a;\n+int b;\n\n"
        "✗ read /etc/shadow"
    )


def told_of(server: Server, number: int) -> str:
    return str(server.requests[number]["messages"][-1]["content"])


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [
        ("READ /project", "['op_host', 'op_kernel']"),
        ("READ /etc/passwd", "agent:x:"),
        ("READ /etc", "['passwd']"),
        ("READ /etc/shadow", "error"),
        ("READ /home", "[]"),
        ("READ {repository}/resources/operators", "error"),
        ("READ {cache}", "error"),
        ("READ {workspace}", "error"),
        ("WRITE /elsewhere.txt x", "error"),
        ("WRITE {workspace} x", "written"),  # into a /tmp of its own
        ("WRITE /project/../usr/x x", "error"),
        ("FILL /project/op_kernel/a.cpp 268435456", "error"),
        ("NONSENSE", "400"),
        ("CONNECT 127.0.0.1 {port}", "error"),
        ("CONNECT 192.0.2.1 80", "error"),
        ("CONNECT 127.0.0.1 8787", "connected"),
    ],
)
def test_it_sees_its_folder_and_its_model_and_nothing_else(
    attempt: str, outcome: str, small_agent: str, build_cache: Path, tmp_path: Path
) -> None:
    workspace = tmp_path / "w.sage"
    workspace.write_text("seeds")
    with Server(Say("placeholder")) as server:
        port = server.url.rsplit(":", 1)[1].split("/")[0]
        repository = Path(__file__).parents[3]
        line = attempt.format(
            workspace=workspace, port=port, repository=repository, cache=build_cache
        )
        server.recipes = [Say(line), Say("done")]
        turn(server, small_agent, build_cache)
        assert outcome in told(server)
    assert workspace.read_text() == "seeds"


def test_at_the_root_it_sees_the_cell_and_the_way_to_what_it_may_read(
    small_agent: str, build_cache: Path
) -> None:
    with Server(Say("READ /"), Say("done")) as server:
        turn(server, small_agent, build_cache)
        seen = set(ast.literal_eval(told(server)))
    libraries = {name for name in ("lib", "lib32", "lib64") if Path("/", name).exists()}
    readable = {
        Path(word).parts[1] for word in shlex.split(small_agent) if word.startswith("/")
    }
    assert (
        seen
        == {"agent", "dev", "etc", "home", "proc", "project", "tmp", "usr"}
        | libraries
        | readable
    )


def test_neither_key_nor_environment_nor_processes_of_ours_are_there(
    small_agent: str, build_cache: Path
) -> None:
    with Server(Say("ENVIRONMENT\nPROCESSES"), Say("done")) as server:
        turn(server, small_agent, build_cache)
        environment, processes = told(server).splitlines()
    assert KEY not in environment
    assert set(json.loads(environment)) <= {
        "HOME",
        "PATH",
        "LC_ALL",
        "TMPDIR",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "OPENAI_MODEL",
        "PWD",
        "LC_CTYPE",
    }
    assert len(json.loads(processes.replace("'", '"'))) <= 4


def test_a_link_in_the_folder_leads_nowhere(
    small_agent: str, build_cache: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.cpp"
    secret.write_text("secret")
    links = f"LINK op_kernel/a.cpp {secret}\nLINK op_host/deep {tmp_path}\nWRITE op_kernel/b.cpp int b;"
    following = asked(
        round=2,
        messages=(Message("user", "next"),),
        files={"op_host/deep/x.cpp": "ours"},
    )
    with Server(Say(links), Say("done")) as server:
        replies = turn(server, small_agent, build_cache, asked(), following)
    assert "int b;" in replies[0].text
    assert "secret" not in replies[0].text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.cpp"], (
        "nothing was written through it"
    )


def test_a_server_that_fails_for_ever_ends_the_turn_with_its_words(
    small_agent: str, build_cache: Path
) -> None:
    with (
        Server(Fail(500, "out of memory")) as server,
        pytest.raises(ServerFault, match="out of memory"),
    ):
        turn(server, small_agent, build_cache)
    assert len(server.requests) <= 4


def test_too_long_a_prompt_is_named_at_once(
    small_agent: str, build_cache: Path
) -> None:
    said = "This model's maximum context length is 4096 tokens. However, you requested 9000"
    with Server(Fail(400, said)) as server, pytest.raises(ContextOverflow) as error:
        turn(server, small_agent, build_cache)
    assert error.value.limit == 4096


def test_an_agent_that_goes_round_in_circles_is_ended(
    small_agent: str, build_cache: Path
) -> None:
    with (
        Server(Say("AGAIN")) as server,
        pytest.raises(AgentFault, match="more than 7 requests"),
    ):
        turn(server, small_agent, build_cache, limits=TurnLimits(requests=7))


@pytest.mark.parametrize(
    ("recipe", "fault", "words"),
    [
        (Stall(), StalledStream, "/v1 has sent nothing for 1 s"),
        (Stall("half"), StalledStream, "/v1 has sent nothing for 1 s"),
        (Say("HANG"), AgentFault, "has done nothing for 1 s; its model waits for it"),
    ],
    ids=["server", "server in a stream", "agent"],
)
def test_who_is_silent_is_told_and_then_ended(
    recipe: Recipe,
    fault: type[Exception],
    words: str,
    small_agent: str,
    build_cache: Path,
) -> None:
    told: list[str] = []
    limits = TurnLimits(silent_seconds=1.5, told_seconds=0.8)
    with (
        Server(recipe) as server,
        pytest.raises(fault, match=words.replace("1 s", "2 s")),
    ):
        turn(
            server,
            small_agent,
            build_cache,
            limits=limits,
            on_silence=lambda what, _seconds: told.append(what),
        )
    assert len(told) == 1, "once in a silence"
    assert words in told[0]


def test_an_agent_that_asks_a_silent_server_again_is_no_sign_of_life() -> None:
    """Agents give up a request after minutes of their own and repeat it."""
    turn_of_it = Turn()
    turn_of_it.begin_request()
    first = turn_of_it.active
    turn_of_it.begin_request()
    assert turn_of_it.active == first
    assert turn_of_it.model_is_silent
    turn_of_it.answered()
    turn_of_it.begin_request()
    assert turn_of_it.active > first


def test_one_that_dies_is_started_once_more(
    small_agent: str, build_cache: Path
) -> None:
    with Server(Say("DIE"), Say("alive")) as server:
        (reply,) = turn(server, small_agent, build_cache)
    assert reply.text == "alive"
    with (
        Server(Say("DIE")) as server,
        pytest.raises(AgentGone, match="ended in the middle of its turn"),
    ):
        turn(server, small_agent, build_cache)
    assert len(server.requests) == 2


def test_stop_means_stop_within_a_second_and_nothing_is_left(
    small_agent: str, build_cache: Path
) -> None:
    pids: list[int] = []

    async def work(server: Server) -> float:
        provider = AcpProvider(
            find_agent(small_agent), Endpoint(server.url, "m"), Cell(build_cache)
        )
        hangs = asyncio.Event()
        task = asyncio.ensure_future(
            provider.complete(asked(), lambda _piece: hangs.set())
        )
        await hangs.wait()
        (process,) = provider._running.values()
        assert process._process is not None
        pids.append(process._process.pid)
        home = process._home
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seconds = time.monotonic() - began
        assert not home.exists()
        return seconds

    with Server(
        Say("HANG")
    ) as server:  # it spins, deaf to signals and to what it is sent
        assert asyncio.run(work(server)) < 1.0
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_script_of_node_brings_node_and_the_modules_around_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    modules = tmp_path / "lib" / "node_modules"
    script = modules / "@qwen-code" / "qwen-code" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("#!/usr/bin/env node\n")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "qwen").symlink_to(script)
    node = bin_ / "node"
    node.write_bytes(b"\x7fELF")
    for program in (script, node):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_))
    for words in ("qwen", "qwen --acp", f"node {script} --acp"):
        agent = find_agent(words)
        assert agent.command == ("node", str(script), "--acp"), words
        assert agent.programs == {"node": node}
        assert modules in agent.read


@pytest.mark.parametrize(
    ("name", "command", "model"),
    [
        ("opencode", "opencode", ""),
        ("opencode@m", "opencode", "m"),
        ("opencode@Qwen/Qwen3-8B", "opencode", "Qwen/Qwen3-8B"),
        ("opencode@my own", "opencode", "my own"),
        ("node /n/@q/c/cli.js --acp", "node /n/@q/c/cli.js --acp", ""),
        ("node /n/@q/c/cli.js --acp@m", "node /n/@q/c/cli.js --acp", "m"),
        ("npx @q/c@1.2 --acp", "npx @q/c@1.2 --acp", ""),
        ("@q/c --acp", "@q/c --acp", ""),
    ],
)
def test_scoped_packages_of_a_command_are_no_model(
    name: str, command: str, model: str
) -> None:
    assert command_and_model(name, {"my own": None}) == (command, model)


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoAgent, match=r"no program opencode on the PATH\. Install it"):
        find_agent("opencode")
    with pytest.raises(SageError, match="No agent was named"):
        find_agent(" ")


def test_turns_that_begin_at_once_start_one_agent_a_place_and_end_none_in_use(
    small_agent: str, build_cache: Path
) -> None:
    lesson = asked(purpose=Purpose.DISTIL, objective="", round=0)
    lessons = [replace(lesson, subject=name) for name in ("Lerp", "AbsMath")]
    kernels = [asked(subject=name) for name in ("Lerp", "AbsMath", "SwiGlu")]
    cell = Cell(build_cache)
    started: list[Launch] = []

    def confine(launch: Launch) -> list[str]:
        started.append(launch)
        return cell(launch)

    async def work(server: Server) -> list[ModelReply]:
        provider = AcpProvider(
            find_agent(small_agent), Endpoint(server.url, "m"), confine
        )
        try:
            replies = await asyncio.gather(
                *map(provider.complete, (*lessons, *kernels))
            )
            assert len(started) == 4, "the lessons share one"
            await provider.complete(kernels[0])
            assert len(provider._running) == 2, "one works, one waits"
            return replies
        finally:
            await provider.close()

    together = threading.Barrier(4)

    def acts(_request: dict[str, Any]) -> Recipe:
        if len(server.requests) <= 4:  # three kernels and a lesson: all in use at once
            together.wait(60)
        return Say("## Diagnosis\nx\n")

    with Server(act=acts) as server:
        assert len(asyncio.run(work(server))) == 5


def test_one_that_does_not_speak_the_protocol_is_named_with_its_last_words(
    build_cache: Path,
) -> None:
    python = Path(sys.executable).resolve()
    command = f'{python} -I -S -c \'import sys; sys.stderr.write(1000 * "x" + " no such flag"); sys.exit(3)\''
    with (
        Server(Say("x")) as server,
        pytest.raises(
            AgentGone, match=r"does not answer as an agent .* x+ no such flag"
        ),
    ):
        turn(server, command, build_cache, reads=(Path(sys.base_prefix),))


# ---- the loop around it


def small_model(request: dict[str, Any]) -> Recipe:
    """The scripted model in the words of the small agent."""
    whole, question, _ = since_asked(request)
    if "Distil what later operators" in question:
        return Say("Nothing new.")
    if "Do not write code yet" in question:
        return Say("## Diagnosis\nbound by transfers of DataCopy\n")
    if "or `## Done`" in question:
        return Say(f"{adoption(question)}## Done\nno idea left\n")
    return Say(adoption(whole))


def run_command(server: Server, agent: str, path: Path, *more: str) -> list[str]:
    return [
        "run",
        "--operators",
        few_cases(path.parent),
        "--model",
        f"acp:{agent}",
        "--endpoint",
        server.url,
        "--set",
        "encoder=none",
        "--workspace",
        str(path),
        "--json",
        *more,
    ]


def sends_files(request: dict[str, Any]) -> Recipe:
    """As `small_model`, with the files in the reply, as any model may."""
    from core.agent.reply.protocol import render_files

    recipe = small_model(request)
    if (
        isinstance(recipe, Say)
        and recipe.text.startswith("## Diagnosis\nmoved")
        and "## Done" not in recipe.text
    ):
        return Say(f"{recipe.text}## Files\n{render_files(kernel('AbsMath'))}\n")
    return recipe


def never_right(request: dict[str, Any]) -> Recipe:
    recipe = sends_files(request)
    assert isinstance(recipe, Say)
    return Say(recipe.text.replace("GET_TILING_DATA", "NO_SUCH_MACRO"))


@pytest.mark.slow  # quicker: `test_the_gate_and_the_budget_are_the_servers` in `test_tools.py`
def test_the_budget_is_exact(
    small_agent: str, build_cache: Path, tmp_path: Path
) -> None:
    with Server(act=never_right, models={"m": 131_072}) as server:
        command = run_command(server, small_agent, tmp_path / "w.sage", "--rounds", "2")
        done = CliRunner().invoke(main, command, prog_name="sage")
        assert done.exit_code == 1, done.stderr
        (row,) = json.loads(done.stdout)["operators"]
        wrote = [
            r for r in server.requests if "Working in the folder" in since_asked(r)[1]
        ]
    assert (row["rounds"], row["correct"]) == (2, False)
    assert row["reason"] == "the budget of 2 rounds is used"
    assert len(wrote) == 2, "no third candidate was asked for"


@pytest.mark.system
def test_a_killed_run_goes_on_in_its_round(
    small_agent: str, build_cache: Path, tmp_path: Path
) -> None:
    path = tmp_path / "w.sage"
    held = threading.Event()

    def holds(request: dict[str, Any]) -> Recipe:
        if "or `## Done`" in since_asked(request)[1] and not held.is_set():
            held.set()
            return Stall("half")
        return sends_files(request)

    with Server(act=holds, models={"m": 131_072}) as server:
        first = subprocess.Popen(
            [*SAGE, *run_command(server, small_agent, path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert held.wait(200)
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert server.gone.wait(10), "the agent ended with the run"
        before = len(server.requests)
        done = CliRunner().invoke(
            main, run_command(server, small_agent, path), prog_name="sage"
        )
        asked_again = [since_asked(request)[1] for request in server.requests[before:]]
    assert done.exit_code == 0, done.stderr
    (row,) = json.loads(done.stdout)["operators"]
    assert (row["correct"], row["rounds"], row["reason"]) == (
        True,
        1,
        "the model is done: no idea left",
    )
    assert len(asked_again) == 2, "the interrupted request, then the lessons"
    with Workspace.open_readonly(path) as workspace:
        origin = workspace.db.execute(
            "SELECT provider_origin FROM trajectory"
        ).fetchall()
        assert [row[0] for row in origin] == ["agent"]


GREEDY = {
    "processes": (
        "i=0; while [ $i -lt 700 ]; do sleep 60 & i=$((i+1)); done; wait",
        "more than 512 processes at a time",
    ),
    "files": (
        "i=0; while [ $i -lt 21000 ]; do : > f$i; i=$((i+1)); done; sleep 60",
        "more than 20000 files in the project",
    ),
    "a full disk": (
        "for i in 1 2 3; do head -c 200M /dev/zero > f$i; done; sleep 60",
        "more than 512 MiB of files in the project",
    ),
    "files in memory": (
        "for i in 1 2 3; do head -c 200M /dev/zero > /tmp/f$i; done; sleep 60",
        "more than 512 MiB of temporary files",
    ),
}


def in_cell(script: str, cache: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A shell script in place of an agent."""
    names = ("sh", "sleep", "head", "cat")
    programs = {name: Path(str(shutil.which(name))) for name in names}
    project = folder / "project"
    project.mkdir()
    with socket.socket(socket.AF_UNIX) as model:
        model.bind(str(folder / "model.sock"))
        launch = Launch(
            ("sh", "-c", script),
            programs,
            {"PATH": "/agent/bin"},
            project,
            folder / "model.sock",
        )
        command = Cell(cache)(launch)
        return subprocess.run(
            command, capture_output=True, text=True, timeout=100, check=False
        )


@pytest.mark.system
@pytest.mark.parametrize(("script", "words"), GREEDY.values(), ids=GREEDY.keys())
def test_an_agent_that_takes_too_much_is_ended_with_all_it_started(
    script: str, words: str, build_cache: Path, tmp_path: Path
) -> None:
    ended = in_cell(script, build_cache, tmp_path)
    assert ended.returncode == 71
    assert words in ended.stderr


def test_nothing_in_the_cell_stops_its_watch_or_names_places_of_the_host(
    build_cache: Path, tmp_path: Path
) -> None:
    script = (
        "kill -STOP 1; kill -KILL 1; cat /proc/1/mem /proc/1/environ; "
        "cat /proc/1/cmdline; exit 3"
    )
    ended = in_cell(script, build_cache, tmp_path)
    assert ended.returncode == 3
    assert ended.stdout.startswith("/agent/relay\0")
    assert str(tmp_path) not in ended.stdout
    assert "/proc/1/mem: Permission denied" in ended.stderr


@pytest.mark.system
@pytest.mark.parametrize("odd", ["a bomb", "a redirect"])
def test_what_no_server_should_send_ends_the_turn(
    odd: str, small_agent: str, build_cache: Path
) -> None:
    with Server(Say("x")) as other:
        away = Fail(307, "go", {"Location": f"{other.url}/chat/completions"})
        recipe = Packed(64) if odd == "a bomb" else away
        with Server(recipe) as server, pytest.raises(UnusableReply):
            turn(server, small_agent, build_cache)
        assert other.requests == []
