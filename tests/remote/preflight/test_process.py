"""The lint's process serves many candidates and is replaced; precompiled headers change no finding."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from remote.judge.building.twin_sources import TwinSources
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.lint import lint
from remote.toolchains.preflight.parsing import Parser
from remote.toolchains.preflight.project import declared_operator
from remote.toolchains.preflight.report import LintReport
from tests.own_kernels import own_kernel

DATA = Path(__file__).parents[2] / "data"
TWIN = Path(str(resources.files("resources") / "twin"))
KERNEL = "op_kernel/abs_math.cpp"


class Counted:
    """A lint whose process writes down its id whenever one is started."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._started = folder / "started"
        python = folder / "python"
        python.write_text(
            f'#!/bin/sh\necho $$ >> {self._started}\nexec {sys.executable} "$@"\n'
        )
        python.chmod(0o755)
        self.preflight = Preflight(TWIN, cache, python=str(python))
        self._folder = folder

    @property
    def processes(self) -> list[int]:
        return [int(line) for line in self._started.read_text().split()]

    def lint(self, mark: str, before: str = "") -> LintReport:
        """The report on a kernel nobody has asked about before; the folder's name is part of it."""
        return asyncio.run(self.asked(mark, before))

    async def asked(self, mark: str, before: str = "") -> LintReport:
        candidate = read_candidate(DATA / "kernels" / "AbsMath")
        text = f"{before}{candidate.files[KERNEL]}\n// {mark} {self._folder}\n"
        return await self.preflight.lint(
            declared_operator(candidate), Candidate({**candidate.files, KERNEL: text})
        )


@pytest.fixture
def counted(tmp_path: Path, build_cache: Path) -> Counted:
    return Counted(tmp_path, build_cache / "preflight")


@pytest.mark.system
def test_one_process_answers_many_and_is_replaced_when_it_ends(
    counted: Counted,
) -> None:
    held = bytearray(1300 << 20)  # the memory of who asks is not that of the process
    held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])
    assert [counted.lint(mark).note for mark in ("first", "second")] == ["", ""]
    assert len(counted.processes) == 1
    os.kill(counted.processes[0], signal.SIGKILL)
    assert counted.lint("after it was brought down").note == ""
    counted.preflight.close()
    assert counted.lint("after the end of a run").note == ""
    counted.preflight.close()
    assert len(counted.processes) == 3
    for process in counted.processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow  # quicker: `test_one_process_answers_many_and_is_replaced_when_it_ends`
def test_a_process_whose_headers_were_deleted_is_replaced(tmp_path: Path) -> None:
    counted = Counted(tmp_path, tmp_path / "cache")
    assert counted.lint("before").note == ""
    shutil.rmtree(tmp_path / "cache" / "headers")
    after = counted.lint("after")
    assert (after.note, after.findings, after.messages, after.misread) == (
        "",
        (),
        (),
        (),
    )
    counted.preflight.close()
    assert len(counted.processes) == 2


@pytest.mark.system
def test_a_withdrawn_question_frees_the_process_at_once(counted: Counted) -> None:
    counted.lint("started")

    async def withdraw() -> LintReport:
        os.kill(counted.processes[0], signal.SIGSTOP)  # it would never answer
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(counted.asked("nobody waits"), 0.2)
        return await counted.asked("somebody waits")

    assert asyncio.run(withdraw()).note == ""
    counted.preflight.close()


class PlainParser(Parser):
    """Reads every header with every translation unit."""

    def _precompiled(self, side: str) -> None:
        del side


def misspelled(candidate: Candidate, most: int) -> list[Candidate]:
    """Copies of a candidate with one name changed in each, spread over its sources."""
    places = [
        (path, found)
        for path, text in sorted(candidate.files.items())
        for found in re.finditer(r"\b[A-Za-z_]\w{3,}\b", text)
    ]
    return [
        Candidate(
            {
                **candidate.files,
                path: f"{text.string[: text.end()]}Wrong{text.string[text.end() :]}",
            }
        )
        for path, text in places[:: len(places) // most]
    ]


def assert_same(
    cache: Path, original: Candidate, candidates: Sequence[Candidate]
) -> None:
    quick, plain, operator = (
        Parser(TWIN, cache),
        PlainParser(TWIN, cache),
        declared_operator(original),
    )
    headers = {name.removeprefix("include/") for name in TwinSources(TWIN).texts()[0]}
    for candidate in candidates:
        with_them, without = (
            lint(parser, operator, candidate.files) for parser in (quick, plain)
        )
        assert replace(with_them, facts=()) == replace(without, facts=())
        assert not set(with_them.facts) - set(without.facts)
        # A precompiled header is not included again, and so no fact of the candidate.
        more = set(without.facts) - set(with_them.facts)
        assert {fact.kind for fact in more} <= {"include"}
        assert {fact.text.strip('"<>') for fact in more} <= headers


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["preflight", "RmsNorm", "ForeachAbs"])
def test_precompiled_headers_change_no_finding(folder: str, build_cache: Path) -> None:
    """Neither of a kernel that breaks every rule, nor of kernels that compile, nor of kernels that do not."""
    original = (
        read_candidate(DATA / folder) if folder == "preflight" else own_kernel(folder)
    )
    assert_same(
        build_cache / "preflight", original, [original, *misspelled(original, 8)]
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Landlock is of Linux")
def test_the_process_reaches_no_file_but_headers_and_the_candidate(
    counted: Counted, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("a_key_of_somebody another_word;\n")
    for path in (str(secret), "/etc/passwd"):
        report = counted.lint("reads", f'#include "{path}"\n')
        assert report.note == ""
        assert "a_key_of_somebody" not in str(report)
        assert "root:x" not in str(report)
        assert Path(path).name in {
            fact.text for fact in report.facts if fact.kind == "include"
        }
        assert any(said.text.startswith("cannot open file") for said in report.messages)
    assert counted.lint("includes nothing of these").messages == ()
    (process,) = counted.processes
    status = Path(f"/proc/{process}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status
    counted.preflight.close()
