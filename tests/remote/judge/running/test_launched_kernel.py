"""A kernel launched with `<<<>>>` is judged like any other, by the description of its launch beside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import InvalidInput
from core.evaluation.direct_launch import launched_candidate, read_launched
from remote.judge.judge import Judge
from sage_desktop.cli import main
from tests.remote.helpers import ROOT, job, judge_job, operator

CASES = ["short-tail-float32", "short-tail-float16", "empty"]
KERNEL = """\
#include "kernel_operator.h"
#include "acl/acl.h"
#include <vector>
using namespace AscendC;

template <typename T>
__global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t share) {
    const uint32_t start = GetBlockIdx() * share;
    const uint32_t end = start + share < length ? start + share : length;
    constexpr uint32_t kTile = 2048;
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, kTile * sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x, length);
    to.SetGlobalBuffer((__gm__ T*)y, length);
    for (uint32_t at = start; at < end; at += kTile) {
        const uint32_t count = end - at < kTile ? end - at : kTile;
        LocalTensor<T> part = queue.template AllocTensor<T>();
        DataCopyPad(part, from[at], DataCopyExtParams{1, (uint32_t)(count * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        queue.template EnQue<QuePosition::GM, QuePosition::VECIN, T>(part);
        part = queue.template DeQue<QuePosition::GM, QuePosition::VECIN, T>();
        TEventID loaded = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V);
        TEventID done = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
        SetFlag<HardEvent::MTE2_V>(loaded);
        WaitFlag<HardEvent::MTE2_V>(loaded);
        Abs(part, part, count);
        SetFlag<HardEvent::V_MTE3>(done);
        WaitFlag<HardEvent::V_MTE3>(done);
        DataCopyPad(to[at], part, DataCopyExtParams{1, (uint32_t)(count * sizeof(T)), 0, 0, 0});
        queue.FreeTensor(part);
    }
}

namespace host {
template <typename T>
void launch(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y, uint32_t length) {
    abs_math<T><<<blocks, nullptr, stream>>>(x, y, length, (length + blocks - 1) / blocks);
}
}  // namespace host

int main() {
    aclInit(nullptr);
    return 0;
}
"""
LAUNCH = """\
operator = "AbsMath"
kernel = "abs_math<DTYPE_X>"
block_dim = "max(1, min(8, ceil_div(x.size, 1024)))"
arguments = ["x", "y", "length", "share"]

[scalars]
length = { type = "uint32", value = "x.size" }
share = { type = "uint32", value = "max(16, ceil_div(x.size, min(8, ceil_div(x.size, 1024)) * 16) * 16)" }
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    file = tmp_path / "abs.cpp"
    file.write_text(KERNEL)
    file.with_suffix(".toml").write_text(LAUNCH)
    return file


@pytest.mark.system
def test_a_launched_kernel_passes_and_a_wrong_one_is_named_by_its_own_line(
    judge: Judge, kernel: Path
) -> None:
    spec = operator()
    good = launched_candidate(spec, read_launched(kernel))
    result = judge_job(judge, job(spec, good, Path("unused"), CASES))
    assert (result["verdict"], result["findings"]) == ("pass", [])
    assert all(case["latency"]["value"] > 0 for case in result["cases"])
    kernel.write_text(
        KERNEL.replace("        WaitFlag<HardEvent::V_MTE3>(done);\n", "\n")
    )
    wrong = launched_candidate(spec, read_launched(kernel))
    result = judge_job(judge, job(spec, wrong, Path("unused"), CASES[:1]))
    assert result["verdict"] == "pass-with-hazard"
    race = next(finding for finding in result["findings"] if finding["rule"] == "race")
    line = KERNEL.splitlines().index(
        "        DataCopyPad(to[at], part, DataCopyExtParams{1, (uint32_t)(count * sizeof(T)), 0, 0, 0});"
    )
    assert (race["file"], race["line"]) == ("op_kernel/abs_math.cpp", line + 1)


@pytest.mark.system
def test_a_missing_flag_that_one_order_hides_changes_the_result_in_another(
    judge: Judge, kernel: Path
) -> None:
    spec = operator()
    timed = next(case.name for case in spec.cases if case.timed and not case.big)
    buffers = "    to.SetGlobalBuffer((__gm__ T*)y, length);\n"
    end = "        queue.FreeTensor(part);\n    }\n"
    clear = (
        "    if (GetBlockIdx() == 0) InitOutput<T>(to, length, T(0));\n    SyncAll();\n"
    )
    meets = KERNEL.replace(
        buffers, f"{buffers}{clear}    SetAtomicAdd<T>();\n"
    ).replace(end, f"{end}    SetAtomicNone();\n")
    for text, verdict in (
        (meets, "pass"),
        (
            meets.replace("        WaitFlag<HardEvent::V_MTE3>(done);\n", "\n"),
            "fail-result",
        ),
    ):
        kernel.write_text(text)
        asked = job(
            spec,
            launched_candidate(spec, read_launched(kernel)),
            Path("unused"),
            [timed],
        )
        result = judge_job(judge, asked)
        assert result["verdict"] == verdict, result["cause"]
        assert "order" in result["facts"]["orders"]
    rules = [finding["rule"] for finding in result["findings"]]
    assert "order-dependent" in rules
    assert "race" in rules, "the flag that is missing is named as well"
    assert judge_job(judge, {**asked, "schedules": 0})["verdict"] == "pass-with-hazard"


def test_the_host_part_is_left_out_and_every_line_stays(kernel: Path) -> None:
    files = launched_candidate(operator(), read_launched(kernel)).files
    lines = files["op_kernel/abs_math.cpp"].splitlines()
    for number, line in enumerate(KERNEL.splitlines()):
        kept = line.replace("__global__", " " * 10).replace(
            "void abs_math(", "void abs_math_launched("
        )
        assert kept.startswith(lines[number].rstrip()), "kept, or blanked out"
    text = "\n".join(lines)
    assert "<<<" not in text
    assert "aclInit" not in text
    assert (
        "abs_math_launched<DTYPE_X>(x, y, launch_data.length, launch_data.share);"
        in text
    )


def test_a_struct_of_tiling_data_and_a_workspace_are_handed_over(kernel: Path) -> None:
    kernel.write_text(
        KERNEL.replace(
            "uint32_t length, uint32_t share)", "GM_ADDR space, GM_ADDR data)"
        )
    )
    kernel.with_suffix(".toml").write_text(
        'kernel = "abs_math<half>"\narguments = ["x", "y", "workspace", "tiling"]\nblock_dim = 8\n'
        'workspace = "x.size * x.width + 512"\n[tiling]\nlength = { type = "int64", value = "x.shape[0]" }\n'
    )
    files = launched_candidate(operator(), read_launched(kernel)).files
    assert (
        "abs_math_launched<half>(x, y, AscendC::GetUserWorkspace(workspace), tiling);"
        in files["op_kernel/abs_math.cpp"]
    )
    assert (
        "TILING_DATA_FIELD_DEF(int64_t, length);" in files["op_host/abs_math_tiling.h"]
    )
    assert "GetDim(0)" in files["op_host/abs_math.cpp"]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ('"x.size"', "x.size ** 2"),
        ('"x.size"', "__import__('os').system('id')"),
        ('"x.size"', "z.size"),
        ('["x", "y", "length", "share"]', '["x", "out"]'),
        ('"abs_math<DTYPE_X>"', '"relu"'),
        ('type = "uint32"', 'type = "double"'),
        ("block_dim", "blocks"),
    ],
)
def test_what_is_wrong_with_a_description_is_named(
    kernel: Path, said: str, problem: str
) -> None:
    new = (
        problem
        if problem.startswith(('"', "[", "type", "blocks"))
        else json.dumps(problem)
    )
    kernel.with_suffix(".toml").write_text(LAUNCH.replace(said, new, 1))
    with pytest.raises(InvalidInput) as raised:
        launched_candidate(operator(), read_launched(kernel))
    assert "abs." in str(raised.value)


@pytest.mark.system
def test_the_command_takes_a_file(kernel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "AbsMath"
    shutil.copytree(ROOT / "resources" / "operators" / "AbsMath", folder)
    done = CliRunner().invoke(main, ["evaluate", "--candidate", str(kernel), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["verdict"] == "pass"
    kernel.with_suffix(".toml").unlink()
    missing = CliRunner().invoke(
        main, ["evaluate", "--operator", "AbsMath", "--candidate", str(kernel)]
    )
    assert missing.exit_code != 0
    assert "abs.toml" in missing.output
