"""What a small change of a candidate costs: nothing that it did not touch is compiled again."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from tests.remote.helpers import KERNEL, candidate, edited, job, judge_job, operator

SHORT = ["aligned-float32"]


def test_new_comments_and_indentation_need_no_compiler(
    judge: Judge, build_cache: Path
) -> None:
    judge_job(judge, job(operator(), candidate(), build_cache, SHORT))
    files = {
        path: "".join(
            f"  {line}  // {number}\n"
            if line.strip() and "\\" not in line
            else f"{line}\n"
            for number, line in enumerate(text.splitlines())
        )
        for path, text in candidate().files.items()
    }
    result = judge_job(judge, job(operator(), Candidate(files), build_cache, SHORT))
    assert result["build"]["ok"]
    assert result["build"]["cached"]
    assert result["verdict"].startswith("pass")


@pytest.mark.system
def test_a_new_line_of_comment_moves_what_findings_name(
    judge: Judge, build_cache: Path
) -> None:
    bad = (KERNEL, "Abs(y, x, count);", "Abs(y[3], x, count);")
    for comment in ("", "// one\n// two\n"):
        kernel = edited(bad)
        kernel.files[KERNEL] = comment + kernel.files[KERNEL]
        result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
        error = next(
            finding for finding in result["findings"] if finding["severity"] == "error"
        )
        assert "Abs(y[3]" in kernel.files[KERNEL].splitlines()[error["line"] - 1]


@pytest.mark.system
def test_an_error_is_shown_in_the_text_as_it_is_now(
    judge: Judge, build_cache: Path
) -> None:
    for blanks in (" ", "            "):
        kernel = edited((KERNEL, "Abs(y, x, count);", f"Abs(y,{blanks}nobody, count);"))
        result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
        message = next(
            m for m in result["build"]["messages"] if m["severity"] == "error"
        )
        line = kernel.files[KERNEL].splitlines()[message["line"] - 1]
        assert line[message["column"] - 1 :].startswith("nobody")
