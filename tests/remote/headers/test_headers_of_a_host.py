"""Headers of a host's CANN come here over SSH, once; nothing stays behind there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import SageError
from remote.headers.from_host import add_from_host
from remote.headers.kept import Added, KeptHeaders
from remote.hosts.detached import DetachedHost, HostSettings
from tests.remote.headers.stand_in import INSTALLED, VERSION
from tests.remote.machines import far, near
from tests.remote.sshd import Sshd


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "base"
    folder.mkdir()
    yield folder
    near(folder).end_all()


def added(
    base: Path, sshd: Sshd, kept: KeptHeaders, place: str, setup: str = ""
) -> tuple[Added, list[str], list[str]]:
    """Headers of the host; what was told meanwhile, and the jobs that stay behind."""
    told: list[str] = []

    async def work() -> tuple[Added, list[str]]:
        settings = HostSettings(setup=setup)
        host = DetachedHost("lab", "lab", far(base, sshd).connection(), settings)
        try:
            answer = await add_from_host(host, place, kept, told.append)
            return answer, [str(job["job"]) for job in await host.machine.jobs()]
        finally:
            await host.close()

    answer, jobs = asyncio.run(work())
    return answer, told, jobs


def test_the_same_headers_come_as_from_the_folder_and_only_once(
    base: Path, sshd: Sshd, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")
    first, told, jobs = added(base, sshd, kept, str(INSTALLED))
    assert (first.headers.version, first.is_new, jobs) == (VERSION, True, [])
    assert "copying the headers" in told
    here = KeptHeaders(tmp_path / "here").add_from_folder(INSTALLED, told.append)
    assert first.headers.digest == here.headers.digest
    again, told, _jobs = added(base, sshd, kept, str(INSTALLED))
    assert not again.is_new
    assert "copying the headers" not in told


def test_without_a_place_the_set_up_of_the_host_leads_there(
    base: Path, sshd: Sshd, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")
    setup = f"export ASCEND_HOME_PATH={INSTALLED / 'latest'}"
    answer, _told, _jobs = added(base, sshd, kept, "", setup)
    assert answer.headers.version == VERSION


def test_what_is_missing_there_is_named_with_the_host(
    base: Path, sshd: Sshd, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")
    partly = tmp_path / "partly"
    header = partly / "include/register/op_def_registry.h"
    header.parent.mkdir(parents=True)
    header.touch()
    with pytest.raises(SageError, match=r"lab: .*partly.* is missing"):
        added(base, sshd, kept, str(partly))
    assert not kept.sets()


def test_a_cancelled_copy_ends_its_job_on_the_host(
    base: Path, sshd: Sshd, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")

    async def work() -> list[str]:
        slow = HostSettings(setup="echo looking; sleep 600")
        host = DetachedHost("lab", "lab", far(base, sshd).connection(), slow)
        began = asyncio.Event()
        copying = asyncio.create_task(
            add_from_host(host, str(INSTALLED), kept, lambda _text: began.set())
        )
        await began.wait()
        copying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await copying
        try:
            return [str(job["state"]) for job in await host.machine.jobs()]
        finally:
            await host.close()

    assert asyncio.run(work()) == []
    assert not kept.sets()
