"""Candidates that cannot be built, or whose op_host fails: stage, place and cause are named."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from core.evaluation.records import BuildReport, Candidate
from remote.judge.building.builder import Builder, Signature
from remote.judge.building.compiler_run import compile_sources, run_compiler
from remote.judge.building.twin_runtime import Twin
from remote.judge.faults import EnvironmentFault
from remote.judge.job import TwinJob, read_job
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from tests.remote.helpers import (
    HOST,
    KERNEL,
    TWIN,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

SHORT = ["short-tail-float32"]
HALF_A_CHARACTER = "// \ud800\n"
# The comment ends the macro, so a loop stands outside of every function.
CUT_SHORT = """#define EACH(count)          \\
    do {                     \\
        // of every row
        for (int i = 0; i < (count); i++) { \\
        }                    \\
    } while (false)
"""
TWO = ["aligned-float32", "short-tail-float32"]


@pytest.mark.system
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            (
                HOST,
                "uint32_t perBlock",
                "context->SetTilingKey(*context->GetInputTensor(0)->GetData<int>());\n    uint32_t perBlock",
            ),
            ["device-memory-on-host", "input x", "ValueDepend"],
        ),
        (
            (
                HOST,
                "uint32_t perBlock = BLOCK_BYTES / width;",
                "volatile uint32_t none = 0;\n    uint32_t perBlock = BLOCK_BYTES / none;",
            ),
            ["tiling", "division by zero"],
        ),
        (
            (
                HOST,
                "return ge::GRAPH_SUCCESS;\n}\n}  // namespace optiling",
                "return ge::GRAPH_FAILED;\n}\n}  // namespace optiling",
            ),
            ["AbsMath do tiling failed, ret is -1"],
        ),
        (
            (
                HOST,
                "uint32_t perBlock",
                "std::vector<char> all(1ull << 42);\n    uint32_t perBlock",
            ),
            ["memory-limit"],
        ),
        ((HOST, 'AddConfig("ascend910b").', ""), ["AddConfig", "ascend910b"]),
        (
            (
                HOST,
                "ge::DT_FLOAT, ge::DT_FLOAT16}",
                "ge::DT_FLOAT16, ge::DT_FLOAT16}",
            ),
            ["dtype-support", "x=float32"],
        ),
        (
            (
                HOST,
                "this->SetInferShape",
                'this->Attr("alpha").AttrType(REQUIRED).Float();\n        this->SetInferShape',
            ),
            ["requires attribute alpha"],
        ),
        (
            (
                HOST,
                "OP_ADD(AbsMath);",
                "class Other : public AbsMath { using AbsMath::AbsMath; };\nOP_ADD(Other);",
            ),
            ["no OpDef called AbsMath", "Other"],
        ),
    ],
)
def test_a_fault_of_op_host_is_named(
    judge: Judge, build_cache: Path, edit: tuple[str, str, str], words: list[str]
) -> None:
    result = judge_job(judge, job(operator(), edited(edit), build_cache, SHORT))
    assert result["verdict"] == "fail-run"
    for word in words:
        assert word in result["cause"]


@pytest.mark.parametrize(
    ("edits", "stage", "place", "words"),
    [
        (
            [(KERNEL, "Abs(y, x, count);", "Adds(y, x, 1, count);")],
            "kernel",
            "Adds(y, x, 1, count);",
            [
                "no matching function",
                "deduced conflicting types",
                "('float' and 'int')",
            ],
        ),
        (
            [(KERNEL, "Abs(y, x, count);", "Absolute(y, x, count);")],
            "kernel",
            "Absolute(y",
            ["'Absolute' was not declared"],
        ),
        (
            [(KERNEL, "void abs_math(", "void abs_maths(")],
            "kernel",
            "",
            ["kernel entry `abs_math' not implement in `abs_math.cpp'"],
        ),
        (
            [
                (
                    KERNEL,
                    "GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {",
                    "GM_ADDR y, GM_ADDR tiling) {",
                )
            ],
            "kernel",
            "",
            ["must take (x, y, workspace, tiling)"],
        ),
        (
            [(KERNEL, "DTYPE_X*)x", "DTYPE_INPUT*)x")],
            "kernel",
            "DTYPE_INPUT",
            ["DTYPE_INPUT"],
        ),
        (
            [
                (
                    KERNEL,
                    "op.Process();",
                    "int64_t gap = 0;\n    DataCopyExtParams far{1, 32, gap, 0, 0};\n    op.Process();",
                )
            ],
            "kernel",
            "far{1, 32, gap",
            ["narrowing conversion of 'gap' from 'int64_t'", "'uint32_t'"],
        ),
        (
            [
                (
                    HOST,
                    "tiling.SaveToBuffer(",
                    "const TilingDef& filled = tiling;\n    filled.SaveToBuffer(",
                )
            ],
            "host",
            "filled.SaveToBuffer",
            ["passing 'const optiling::TilingDef' as 'this' argument discards"],
        ),
        (
            [(HOST, "tiling.set_totalLength(total)", "tiling.set_total(total)")],
            "host",
            "set_total(",
            ["'class optiling::AbsMathTilingData' has no member named 'set_total'"],
        ),
        (
            [
                (
                    HOST,
                    "*context->GetOutputShape(0) = *context->GetInputShape(0);",
                    "const gert::StorageShape* shape = context->GetInputShape(0);\n    (void)shape;",
                )
            ],
            "host",
            "gert::StorageShape* shape",
            ["cannot convert 'const gert::Shape*' to 'const gert::StorageShape*'"],
        ),
        (
            [
                (
                    HOST,
                    "uint32_t total =",
                    "const gert::Shape* shape = context->GetInputShape(0);\n    uint32_t total =",
                )
            ],
            "host",
            "gert::Shape* shape",
            ["cannot convert 'const gert::StorageShape*' to 'const gert::Shape*'"],
        ),
        (
            [(HOST, '#include "tiling/platform/platform_ascendc.h"\n', "")],
            "host",
            "platform_ascendc::",
            ["'platform_ascendc' has not been declared"],
        ),
        (
            [(HOST, '#include "abs_math_tiling.h"', '#include "abs_tiling.h"')],
            "host",
            "abs_tiling.h",
            ["No such file"],
        ),
        (
            [
                (
                    HOST,
                    "constexpr uint32_t BLOCK_BYTES = 32;",
                    "int Go();\nstatic int went = Go();\nconstexpr uint32_t BLOCK_BYTES = 32;",
                )
            ],
            "link",
            "",
            ["undefined reference to", "Go"],
        ),
    ],
)
def test_a_compile_error_names_stage_place_and_cause(
    judge: Judge,
    build_cache: Path,
    edits: list[tuple[str, str, str]],
    stage: str,
    place: str,
    words: list[str],
) -> None:
    kernel = edited(*edits)
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
    build = result["build"]
    assert (result["verdict"], build["ok"], build["stage"]) == (
        "fail-build",
        False,
        stage,
    )
    for word in words:
        assert word in result["cause"]
    if place:
        first = next(
            message for message in build["messages"] if message["severity"] == "error"
        )
        assert place in kernel.files[first["file"]].splitlines()[first["line"] - 1]
    assert str(build_cache) not in result["cause"]


def test_a_candidate_without_kernel_or_host_fails_before_any_compiler_runs(
    judge: Judge, build_cache: Path
) -> None:
    for missing in (HOST, KERNEL):
        kernel = candidate()
        files = {path: text for path, text in kernel.files.items() if path != missing}
        result = judge_job(
            judge, {**job(operator(), kernel, build_cache, SHORT), "candidate": files}
        )
        assert (result["verdict"], result["build"]["stage"]) == (
            "fail-build",
            "preflight",
        )
        assert f"{missing} is missing" in result["cause"]


def test_a_path_that_leaves_the_project_is_refused(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    for path in ("op_host/../../escape.h", str(tmp_path / "escape.h")):
        files = {**candidate().files, path: "int escaped;"}
        result = judge_job(
            judge,
            {**job(operator(), candidate(), build_cache, SHORT), "candidate": files},
        )
        assert (result["verdict"], result["build"]["stage"]) == (
            "fail-build",
            "preflight",
        )
        assert path in result["cause"]


def test_a_loop_in_the_wrong_place_is_named_where_the_author_wrote_it(
    judge: Judge, build_cache: Path
) -> None:
    line = candidate().files[KERNEL].count("\n") + 4
    cut = Candidate({**candidate().files})
    cut.files[KERNEL] += CUT_SHORT
    result = judge_job(judge, job(operator(), cut, build_cache, SHORT))
    assert result["verdict"] == "fail-build"
    assert f"{KERNEL}:{line}:9: error: expected" in result["cause"]
    assert "count_loops" not in result["cause"]


TEMPLATE_BOMB = """
template <unsigned depth, unsigned path> struct Bomb {
    static constexpr unsigned left = Bomb<depth - 1, path * 2u>::value;
    static constexpr unsigned value = left ^ Bomb<depth - 1, path * 2u + 1u>::value;
};
template <unsigned path> struct Bomb<0u, path> { static constexpr unsigned value = path; };
constexpr unsigned boom = Bomb<28u, 1u>::value;
"""


@pytest.mark.slow
def test_a_second_compiler_is_not_asked_what_compiles_without_end(
    build_cache: Path,
) -> None:
    sandbox = Sandbox.within(build_cache)
    asked: list[str] = []

    def second() -> None:
        asked.append("again")

    twin = Twin(TWIN, sandbox.store, sandbox.compiler, sandbox)
    builder = Builder(twin, sandbox.store, second=second)
    bomb = edited((KERNEL, "class ", f"{TEMPLATE_BOMB}\nclass "))
    made = read_job(job(operator(), bomb, build_cache, SHORT))
    assert isinstance(made, TwinJob)
    signature = Signature((("x", "float32"),), (("y", "float32"),))
    children = ChildGroup("bomb")
    outcome = builder.build(made.operator, made.candidate, [signature], children)
    assert outcome.report.cause.startswith("compiling takes")
    assert asked == []


# As a sandbox tells that SIGTERM ended what it started; nothing within may send a signal.
KILLED_DRIVER = "exit 143"
KILLED_PROGRAM = (
    "echo 'g++: fatal error: Terminated signal terminated program cc1plus'; exit 1"
)


@pytest.mark.system
@pytest.mark.parametrize("end", [KILLED_DRIVER, KILLED_PROGRAM])
def test_a_compiler_that_a_signal_ended_is_asked_again_in_the_next_evaluation(
    build_cache: Path, tmp_path: Path, end: str
) -> None:
    sandbox = Sandbox.within(build_cache)
    mark, script = tmp_path / "bin" / "killed", tmp_path / "bin" / "compiler"
    mark.parent.mkdir()
    mark.touch()
    script.write_text(
        f"#!/bin/sh\n[ -e {shlex.quote(str(mark))} ] && {{ {end}; }}\n"
        f'exec {shlex.quote(sandbox.compiler.path)} "$@"\n'
    )
    script.chmod(0o755)
    compiler = replace(sandbox.compiler, path=str(script))
    builder = Builder(Twin(TWIN, sandbox.store, compiler, sandbox), sandbox.store)
    text = f'constexpr char kNew[] = "{uuid4()}";\nclass KernelAbsMath {{'
    new = edited((KERNEL, "class KernelAbsMath {", text))
    made = read_job(job(operator(), new, build_cache, SHORT))
    assert isinstance(made, TwinJob)
    signature = Signature((("x", "float32"),), (("y", "float32"),))
    Twin(TWIN, sandbox.store, sandbox.compiler, sandbox).prepare(
        ChildGroup("prepared"), 1
    )

    def build() -> BuildReport:
        children = ChildGroup("killed")
        return builder.build(
            made.operator, made.candidate, [signature], children
        ).report

    assert "the compiler was ended by SIGTERM" in build().cause
    mark.unlink()
    assert build().ok


@pytest.mark.parametrize(
    "words",
    [
        "PCH file",
        "g++: fatal error: Killed signal terminated program cc1plus",
    ],
)
def test_words_of_a_compiler_in_a_text_of_the_candidate_are_not_its_own(
    judge: Judge, build_cache: Path, words: str
) -> None:
    """Else it gets void, or a build that is made again and again, as often as it likes."""
    forged = f'static_assert(sizeof(int) == 5, "size\\n{words}\\n");\n'
    kernel = edited(
        (KERNEL, "class KernelAbsMath {", f"{forged}class KernelAbsMath {{")
    )
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
    assert result["verdict"] == "fail-build"
    assert "static assertion failed: size" in result["cause"]


def test_a_precompiled_header_that_is_broken_is_the_fault_of_the_machine(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    script = tmp_path / "compiler"
    script.write_text("#!/bin/sh\necho 'fatal error: malformed PCH file'; exit 1\n")
    script.chmod(0o755)
    files = {"op_kernel/x.cpp": "int x;"}
    with pytest.raises(EnvironmentFault, match="refuses its precompiled header"):
        compile_sources(ChildGroup("c"), sandbox, [str(script)], files, tmp_path, [])


@pytest.mark.system
def test_a_table_that_fills_the_disk_is_not_written(
    judge: Judge, build_cache: Path
) -> None:
    """Of every dtype an object and a program are kept, for hours."""
    table = "static const volatile uint8_t TABLE[200u << 20] = {1};"
    old = "class KernelAbsMath {"
    large = edited(
        (KERNEL, old, f"{table}\n{old}"),
        (
            KERNEL,
            "    op.Process();",
            "    if (TABLE[GetBlockIdx()] < 2) op.Process();",
        ),
    )
    result = judge_job(judge, job(operator(), large, build_cache, SHORT))
    assert result["verdict"] == "fail-build"
    assert "a compiled file is larger than 64 MiB" in result["cause"]


@pytest.mark.system
def test_op_host_has_the_memory_of_a_tiling(judge: Judge, build_cache: Path) -> None:
    """It computes a few numbers; two runs of 6 GiB are more than laptops have."""
    greedy = "char* all = new char[size_t(2) << 30]; all[0] = 1;"
    old = "uint32_t perBlock"
    bomb = edited((HOST, old, f"{greedy}\n    {old}"))
    result = judge_job(judge, job(operator(), bomb, build_cache, SHORT))
    assert result["verdict"] == "fail-run"
    assert "more memory than the limit of a run allows" in result["cause"]


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("op_kernel/odd.h", HALF_A_CHARACTER, "UnicodeEncodeError in twin_sources.py"),
        ("op_kernel/abs_math.cpp/odd.h", "", "FileExistsError in twin_sources.py"),
        ("op_kernel/odd\0.h", "", "ValueError in twin_sources.py"),
    ],
)
def test_what_the_judge_fails_at_fails_the_candidate(
    judge: Judge, build_cache: Path, path: str, text: str, words: str
) -> None:
    """Void, it would be judged again and again."""
    payload = job(operator(), candidate(), build_cache, SHORT)
    payload["candidate"] = {**candidate().files, path: text}
    result = judge_job(judge, payload)
    assert (result["verdict"], result["build"]["stage"]) == ("fail-build", "judge")
    assert result["build"]["messages"][0]["file"] == path
    assert words in result["cause"]
    assert "remote/judge/building/twin_sources.py" in result["notes"][0]


@pytest.mark.parametrize(
    ("function", "error"),
    [
        # Before a candidate is in hand; with nothing of it; while the machine is short of memory.
        ("remote.judge.judge.select_cases", ValueError("no such case")),
        ("remote.judge.operator_code.references._read_case", ValueError("no JSON")),
        ("remote.judge.judge.unrun_calls", MemoryError("malloc")),
    ],
)
def test_what_the_judge_fails_at_for_every_candidate_is_void(
    judge: Judge,
    build_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    error: Exception,
) -> None:
    def fail(*_given: object) -> None:
        raise error

    monkeypatch.setattr(function, fail)
    judge._references._recent.clear()
    result = judge_job(judge, job(operator(), candidate(), build_cache, SHORT))
    assert result["verdict"] == "void"
    assert repr(error) in result["cause"]


def test_a_compiler_the_sandbox_cannot_start_is_no_failed_build(tmp_path: Path) -> None:
    """Else what was tidied away meanwhile would be kept as what the candidate did."""
    script = 'echo "bwrap: Can\'t find source path /gone"; exit 1'
    with pytest.raises(EnvironmentFault, match="cannot start a compiler"):
        run_compiler(ChildGroup("j"), ["/bin/sh", "-c", script], tmp_path)
