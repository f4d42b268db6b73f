"""Two faults that cost readers of the field run a round each: the five lines of the feedback lead to the cure.

The kernels of that run were not kept. These are our own for the same operators: the product as
it is, which had the fault described, and the softmax with it put in. Each is judged on the case
`bulk` alone, before and after the cure that the lines point at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.agent.prompt.feedback import feedback_text
from core.evaluation.records import Candidate, Evaluation
from core.records_json import decode
from remote.judge.judge import Judge
from tests.remote.helpers import candidate, job, judge_job, operator

SOFTMAX = "SelectReduceMaxDSubExpReduceSumDRealDiv"
PRODUCT = "GroupedMatmulSliceMPerTokenDequant"
_ROW = re.compile(
    r"^- (?P<file>\S+):(?P<line>\d+) (?P<call>.+) \((?P<pipe>\w+)\): (?P<calls>\d+) calls?, "
    r"(?P<cycles>[\d.]+) cycles a call(?: \((?P<blocked>[\d.]+) wait for copies the other way\))?"
    r"(?:, (?P<size>\d+) (?:bytes|elements) a call)?, (?P<share>\d+)% of the core"
    r"(?:, \w+ idle for (?P<idle>[\d.]+) before a call.*)?$",
    re.MULTILINE,
)


def edited(name: str, *edits: tuple[str, str, str]) -> Candidate:
    """Our kernel with `(file below op_kernel, old, new)` replacements."""
    files = dict(candidate(name).files)
    for file, old, new in edits:
        path = f"op_kernel/{file}"
        assert old in files[path], f"{old!r} is not in {path}"
        files[path] = files[path].replace(old, new)
    return Candidate(files)


def judged(judge: Judge, folder: Path, name: str, kernel: Candidate) -> Evaluation:
    result = judge_job(judge, job(operator(name), kernel, folder, ["bulk"]))
    return decode(json.dumps(result), Evaluation)


def time_of(evaluation: Evaluation) -> float:
    assert evaluation.latency is not None
    return evaluation.latency.value


def copies(evaluation: Evaluation, operand: str) -> Mapping[str, Any]:
    """The line of the Matmul library's copies of one operand."""
    (row,) = (
        row for row in costly(evaluation) if f"copies of {operand}" in row["call"]
    )
    return row


def costly(evaluation: Evaluation) -> list[Mapping[str, Any]]:
    """The most expensive lines of the slowest case, as a reader sees them."""
    text = feedback_text(evaluation, None)
    rows = text.split("Most expensive lines of ")[1]
    return [row.groupdict() for row in _ROW.finditer(rows)]


@pytest.mark.system
def test_many_short_instructions_are_seen_by_their_calls_and_elements(
    judge: Judge, build_cache: Path
) -> None:
    kernel = "select_reduce_max_d_sub_exp_reduce_sum_d_real_div.cpp"
    whole = (
        "row.Shift(-row.Largest());\n"
        "            Exp(row.From(0), row.From(0), static_cast<int32_t>(set.width));"
    )
    pieces = (
        "float largest = row.Largest();\n"
        "            for (uint32_t at = 0; at < set.width; at += 64) {\n"
        "                int32_t n = set.width - at < 64 ? set.width - at : 64;\n"
        "                Adds(row.From(at), row.From(at), -largest, n);\n"
        "                Exp(row.From(at), row.From(at), n);\n"
        "            }"
    )
    slow_kernel = edited(SOFTMAX, (kernel, whole, pieces))
    slow = judged(judge, build_cache, SOFTMAX, slow_kernel)
    fast = judged(judge, build_cache, SOFTMAX, candidate(SOFTMAX))
    assert slow.correct
    assert fast.correct
    short = [row for row in costly(slow) if row["call"] in ("Exp", "Adds")]
    assert [int(row["size"]) for row in short] == [64, 64], "elements a call"
    assert all(int(row["calls"]) > 1000 for row in short)
    for row in short:
        line = slow_kernel.files[row["file"]].splitlines()[int(row["line"]) - 1]
        assert row["call"] in line
    assert not [row for row in costly(fast) if row["call"] in ("Exp", "Adds")]
    assert time_of(fast) < 0.75 * time_of(slow), "what the lines said was the cause"


@pytest.mark.system
def test_copies_say_what_they_wait_for_and_how_long_their_pipe_did_nothing(
    judge: Judge, build_cache: Path
) -> None:
    rows = costly(judged(judge, build_cache, "Swish", candidate("Swish")))
    copy_in, copy_out = (
        next(row for row in rows if row["pipe"] == pipe) for pipe in ("mte2", "mte3")
    )
    # Both move as many bytes over one connection, and those in are issued behind those out.
    alone = float(copy_in["cycles"]) - float(copy_in["blocked"])
    assert alone == pytest.approx(float(copy_out["cycles"]), rel=0.01)
    # Between its copies the pipe waits for the tile to be computed.
    spent = int(copy_out["calls"]) * float(copy_out["cycles"])
    idle = int(copy_out["calls"]) * float(copy_out["idle"])
    share = int(copy_out["share"]) / 100
    assert spent + idle == pytest.approx(spent / share, rel=0.05)


@pytest.mark.system
def test_small_copies_of_an_operand_stand_apart_from_the_large_ones_of_the_other(
    judge: Judge, build_cache: Path
) -> None:
    slow = judged(judge, build_cache, PRODUCT, candidate(PRODUCT))
    deep = edited(
        PRODUCT,
        (
            "part_product.h",
            "using Object = matmul::Matmul<Left, Right, Sums>;",
            "using Object = matmul::Matmul<Left, Right, Sums, Sums, CFG_MDL>;",
        ),
    )
    fast = judged(judge, build_cache, PRODUCT, deep)
    of_a, of_b = copies(slow, "a"), copies(slow, "b")
    assert int(of_a["size"]) < int(of_b["size"]) / 4, "bytes a call"
    assert int(of_a["calls"]) == int(of_b["calls"]), "one with every step of k"
    cost = [float(of["cycles"]) * int(of["calls"]) for of in (of_a, of_b)]
    assert cost[0] / sum(cost) > 0.15, "of the time of MTE2"
    assert int(copies(fast, "a")["calls"]) < int(of_a["calls"])
    assert time_of(fast) < time_of(slow)
