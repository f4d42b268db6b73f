"""Detached jobs, the same suite for a job server on this computer and behind a real SSH server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.connection.faults import HostFault
from remote.connection.remote_machine import (
    JobSpec,
    LeaseWish,
    RemoteMachine,
    files_below,
    tree_of,
)
from tests.remote.machines import Bench, far, near, shell, to_the_end, until
from tests.remote.sshd import Sshd

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)


@pytest.fixture(params=["local", "ssh"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    if request.param == "local":
        made = near(tmp_path / "base")
    else:
        sshd: Sshd = request.getfixturevalue("sshd")
        made = far(tmp_path / "base", sshd)
    yield made
    made.end_all()


def processes_of(job: str) -> list[int]:
    """Living processes that carry the cookie of a job."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and f"SAGE_JOB={job}".encode() in (entry / "environ").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def supervisor_of(bench: Bench, job: str) -> int:
    import json

    return int(
        json.loads((bench.base / "jobs" / job / "supervisor.json").read_text())["pid"]
    )


def test_a_job_runs_once_and_its_output_can_be_read_again_from_anywhere(
    bench: Bench, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    spec = shell(
        f"echo x >>{ran}; cat in/a.txt; echo end; exit 3",
        files={"in/a.txt": b"hello\n"},
    )

    async def work(machine: RemoteMachine) -> None:
        await asyncio.gather(machine.start(spec), machine.start(spec))
        view, output = await to_the_end(machine, spec.job)
        await machine.start(spec)
        assert (view.state, view.facts["code"], output) == ("done", 3, b"hello\nend\n")
        assert (await to_the_end(machine, spec.job, offset=6))[1] == b"end\n"
        assert await machine.read(spec.job, "in/a.txt") == b"hello\n"
        await machine.forget(spec.job)
        assert (await machine.follow(spec.job, 0)).state == "absent"

    bench.run(work)
    assert ran.read_text() == "x\n"


@pytest.mark.system
def test_the_end_of_a_job_leaves_one_of_the_same_id_in_another_folder_alone(
    bench: Bench, tmp_path: Path
) -> None:
    """Job ids follow from what is judged: two folders of one machine may hold a job each of the same id."""
    held, quick = (
        shell(f"while [ ! -e {tmp_path}/open ]; do sleep 0.02; done", "same"),
        shell("true", "same"),
    )

    async def work(machine: RemoteMachine) -> None:
        await machine.start(held)
        await until(machine, "same", "running")

        async def other(elsewhere: RemoteMachine) -> None:
            await elsewhere.start(quick)
            assert (await to_the_end(elsewhere, "same"))[0].facts["code"] == 0

        await asyncio.to_thread(near(tmp_path / "other").run, other)
        (tmp_path / "open").touch()
        view, _ = await to_the_end(machine, "same")
        assert (view.state, view.facts["code"]) == ("done", 0)

    bench.run(work)


def test_unchanged_files_are_not_sent_again_and_one_changed_file_alone_is(
    bench: Bench,
) -> None:
    files = {f"f{number:03}.txt": bytes([number]) * 2048 for number in range(100)}

    async def work(machine: RemoteMachine) -> list[int]:
        sent = []
        for changed in ({}, {}, {"f050.txt": b"changed"}):
            before = machine.connection.file_bytes_sent
            spec = shell("cat f050.txt", files={**files, **changed})
            await machine.start(spec)
            view, output = await to_the_end(machine, spec.job)
            assert (view.state, output) == ("done", {**files, **changed}["f050.txt"])
            sent.append(machine.connection.file_bytes_sent - before)
        return sent

    first, second, third = bench.run(work)
    assert first >= 100 * 2048
    assert second == 0
    assert 0 < third < 3000


def test_shared_folders_are_sent_once_and_again_when_they_were_cleaned_away(
    bench: Bench, tmp_path: Path
) -> None:
    source = tmp_path / "tree"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "data").write_text("shared\n")
    tree = tree_of(source, files_below(source))

    async def work(machine: RemoteMachine) -> None:
        for _ in range(2):
            spec = JobSpec(
                "j" + os.urandom(8).hex(),
                ["cat", "{tree:t}/deep/data"],
                30.0,
                trees={"t": tree},
            )
            await machine.start(spec)
            assert (await to_the_end(machine, spec.job))[1] == b"shared\n"
            freed = await machine.collect(keep_days=0, most_bytes=0)
            assert freed["removed"] >= 3, "job, tree and content"

    bench.run(work)


def test_folders_of_a_job_that_has_not_ended_are_not_cleaned_away(
    tmp_path: Path,
) -> None:
    """However long it waits: at a site with Slurm that may be days."""
    source, gate = tmp_path / "tree", tmp_path / "open"
    source.mkdir()
    (source / "data").write_text("shared\n")
    waits = f"while [ ! -e {gate} ]; do sleep 0.02; done; cat $0/data"
    command, tree = (
        ["sh", "-c", waits, "{tree:t}"],
        tree_of(source, files_below(source)),
    )

    async def work(machine: RemoteMachine) -> None:
        await machine.start(JobSpec("waits", command, 30.0, trees={"t": tree}))
        freed = await machine.collect(keep_days=0, most_bytes=0)
        assert freed["kept"] == len("shared\n")
        gate.touch()
        assert (await to_the_end(machine, "waits"))[1] == b"shared\n"
        await machine.collect(keep_days=0, most_bytes=0)
        assert not list((tmp_path / "base" / "trees").iterdir())

    near(tmp_path / "base").run(work)


def test_the_time_limit_holds_on_the_host_and_the_whole_tree_ends(bench: Bench) -> None:
    script = "trap '' TERM; (setsid sleep 97 &); sh -c 'sleep 98 & sleep 99' & wait"
    spec = shell(script, time_limit_s=0.5, grace_s=0.1)

    async def work(machine: RemoteMachine) -> str:
        await machine.start(spec)
        return (await to_the_end(machine, spec.job))[0].state

    assert bench.run(work) == "timeout"
    assert processes_of(spec.job) == []


@pytest.mark.system
def test_cancelling_ends_children_that_ignore_and_escape(bench: Bench) -> None:
    escape = "import os,time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  time.sleep(96)\n"
    spec = shell(
        "trap '' TERM; env -i setsid sleep 95 & python3 e.py & echo up; sleep 94",
        files={"e.py": escape.encode()},
        grace_s=0.1,
    )

    async def work(machine: RemoteMachine) -> None:
        await machine.start(spec)
        while b"up" not in (await machine.follow(spec.job, 0, "running", 1.0)).output:
            pass
        assert await machine.cancel(spec.job) == "cancelled"
        assert await machine.cancel(spec.job) == "cancelled", "may be repeated"

    bench.run(work)
    assert processes_of(spec.job) == []
    left = [
        e
        for e in Path("/proc").iterdir()
        if e.name.isdigit() and _says(e, b"sleep\x0095")
    ]
    assert left == []


def _says(entry: Path, words: bytes) -> bool:
    try:
        return words in (entry / "cmdline").read_bytes()
    except OSError:
        return False


def test_what_a_finished_job_leaves_running_is_ended(bench: Bench) -> None:
    spec = shell("setsid sleep 93 & echo done")

    async def work(machine: RemoteMachine) -> None:
        await machine.start(spec)
        view, output = await to_the_end(machine, spec.job)
        assert (view.state, view.facts["code"], output) == ("done", 0, b"done\n")

    bench.run(work)
    assert processes_of(spec.job) == []


def test_a_killed_supervisor_is_a_lost_job_and_frees_the_device(
    bench: Bench, tmp_path: Path
) -> None:
    lease = LeaseWish(["d0"], str(tmp_path / "locks"), wait_s=20)
    first, second = (
        shell("sleep 92", lease=lease),
        shell("echo $SAGE_DEVICE", lease=lease),
    )

    async def work(machine: RemoteMachine) -> None:
        await machine.start(first)
        await until(machine, first.job, "running")
        await machine.start(second)
        await until(machine, second.job, "waiting")
        os.kill(supervisor_of(bench, first.job), signal.SIGKILL)
        assert (await to_the_end(machine, first.job))[0].state == "lost-killed"
        assert (await to_the_end(machine, second.job))[1] == b"d0\n"

    bench.run(work)
    assert processes_of(first.job) == []


def test_killing_everything_of_a_job_is_not_mistaken_for_its_result(
    bench: Bench,
) -> None:
    spec = shell("echo begun; sleep 91")

    async def work(machine: RemoteMachine) -> str:
        await machine.start(spec)
        await until(machine, spec.job, "running")
        for pid in (supervisor_of(bench, spec.job), *processes_of(spec.job)):
            os.kill(pid, signal.SIGKILL)
        return (await to_the_end(machine, spec.job))[0].state

    assert bench.run(work) == "lost-killed"


def test_a_command_killed_by_a_signal_is_its_own_end(bench: Bench) -> None:
    spec = shell("kill -SEGV $$")

    async def work(machine: RemoteMachine) -> tuple[str, int]:
        await machine.start(spec)
        view, _ = await to_the_end(machine, spec.job)
        return view.state, view.facts["code"]

    assert bench.run(work) == ("done", 128 + signal.SIGSEGV)


@pytest.mark.system
def test_one_device_serves_one_job_at_a_time_and_waiting_has_a_limit(
    bench: Bench, tmp_path: Path
) -> None:
    log, locks = tmp_path / "log", str(tmp_path / "locks")
    script = f"echo in >>{log}; sleep 0.15; echo out >>{log}"
    specs = [shell(script, lease=LeaseWish(["d0"], locks)) for _ in range(4)]
    impatient = shell("true", lease=LeaseWish(["d0"], locks, wait_s=0.1))

    async def work(machine: RemoteMachine) -> None:
        await asyncio.gather(*(machine.start(spec) for spec in specs))
        await until(machine, specs[0].job, "done")
        holder = shell("sleep 1", lease=LeaseWish(["d0"], locks))
        for spec in specs:
            assert (await to_the_end(machine, spec.job))[0].state == "done"
        await machine.start(holder)
        await until(machine, holder.job, "running")
        assert (
            json.loads((tmp_path / "locks" / "d0.holder").read_text())["job"]
            == holder.job
        )
        await machine.start(impatient)
        view, _ = await to_the_end(machine, impatient.job)
        assert view.state == "no-lease"
        assert "none of d0 became free" in view.facts["detail"]

    bench.run(work)
    assert log.read_text().split() == ["in", "out"] * 4


def test_cancelling_a_job_that_waits_gives_no_device_away(
    bench: Bench, tmp_path: Path
) -> None:
    lease = LeaseWish(["d0"], str(tmp_path / "locks"))
    holder, waiting = shell("sleep 90", lease=lease), shell("echo never", lease=lease)

    async def work(machine: RemoteMachine) -> None:
        await machine.start(holder)
        await until(machine, holder.job, "running")
        await machine.start(waiting)
        await until(machine, waiting.job, "waiting")
        assert await machine.cancel(waiting.job) == "cancelled"
        assert (await to_the_end(machine, waiting.job))[1] == b""
        await machine.cancel(holder.job)

    bench.run(work)


@pytest.mark.system
@pytest.mark.parametrize("stream", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_flood_of_output_is_cut_with_both_ends_kept(
    bench: Bench, stream: str
) -> None:
    script = f"(echo first; head -c 200000000 /dev/zero; echo; echo last) >&{stream}"

    async def work(machine: RemoteMachine) -> tuple[str, bytes]:
        spec = shell(script)
        await machine.start(spec)
        view, output = await to_the_end(machine, spec.job)
        return view.state, output

    state, output = bench.run(work)
    assert state == "done"
    assert output.startswith(b"first\n")
    assert output.endswith(b"\nlast\n")
    assert b"bytes of output left out" in output
    assert len(output) < 34 << 20


def test_output_of_any_bytes_and_no_input(bench: Bench) -> None:
    spec = shell(
        r"printf '\377\000\033[31mred\n'; cat; echo no newline at end | tr -d '\n'"
    )

    async def work(machine: RemoteMachine) -> bytes:
        await machine.start(spec)
        return (await to_the_end(machine, spec.job))[1]

    assert bench.run(work) == b"\xff\x00\x1b[31mred\nno newline at end"


def test_a_command_that_cannot_be_started_says_so(bench: Bench) -> None:
    spec = JobSpec("nostart1", ["/no/such/program"], 10.0)

    async def work(machine: RemoteMachine) -> tuple[str, str]:
        await machine.start(spec)
        view, _ = await to_the_end(machine, spec.job)
        return view.state, view.facts["detail"]

    state, detail = bench.run(work)
    assert state == "not-started"
    assert "/no/such/program" in detail


def test_names_that_leave_their_folder_are_refused(bench: Bench) -> None:
    async def work(machine: RemoteMachine) -> None:
        for spec in (
            shell("true", job="../evil"),
            shell("true", files={"../evil": b"x"}),
        ):
            with pytest.raises(HostFault, match="evil"):
                await machine.start(spec)
        spec = shell("true")
        await machine.start(spec)
        with pytest.raises(HostFault, match="not in the job's folder"):
            await machine.read(spec.job, "../spec.json")

    bench.run(work)
