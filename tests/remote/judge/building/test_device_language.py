"""What the device's compiler and cores do, and an ordinary compiler and processor do not."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.building.glue import core_sides, kernel_text
from remote.judge.building.side_objects import with_own_names
from remote.judge.judge import Judge
from remote.judge.machine.compiler import find_compiler, second_compiler
from remote.judge.sandbox.objects import NotAnObject
from tests.remote.helpers import (
    HOST,
    KERNEL,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

ENTRY = 'extern "C" __global__'
SHORT = ["short-tail-float32"]
RUN = "op.Process();"

SIDES = """
#if defined(__DAV_C220_CUBE__) == defined(__DAV_C220_VEC__)
#error one of the two
#endif
#ifdef __DAV_C220_CUBE__
static_assert(g_coreType == AscendC::AIC, "");
#else
static_assert(g_coreType == AscendC::AIV, "");
#endif
template <int type = g_coreType>
struct Side {
    template <class Op> static void Run(Op&) {}
};
template <>
struct Side<AscendC::AIV> {
    template <class Op> static void Run(Op& op) { op.Process(); }
};
// One name on both sides, and not one function.
inline int Type() { return g_coreType; }
"""


def verdict(judge: Judge, cache: Path, kernel: Candidate) -> tuple[str, str, str]:
    result = judge_job(judge, job(operator(), kernel, cache, SHORT))
    return result["verdict"], result["cause"], result["build"]["compiler"]


def test_cube_and_vector_code_are_compiled_with_a_constant_core_type(
    judge: Judge, build_cache: Path
) -> None:
    call = "if (Type() == AscendC::AIV && ASCEND_IS_AIV) Side<>::Run(op);"
    kernel = edited((KERNEL, RUN, call), (KERNEL, ENTRY, SIDES + ENTRY))
    assert core_sides(kernel.files) == ("vector", "cube")
    assert core_sides(candidate().files) == ("",)
    assert verdict(judge, build_cache, kernel)[:2] == ("pass", "")


def test_a_core_has_a_stack_of_32_kb(judge: Judge, build_cache: Path) -> None:
    table = "volatile int32_t table[16384]; for (auto& entry : table) entry = 1;"
    kernel = edited((KERNEL, RUN, f"{table} {RUN}"))
    stopped, cause, _ = verdict(judge, build_cache, kernel)
    assert stopped == "fail-build"
    assert re.search("frame size.* 32768|exceeds limit .32768", cause)


@pytest.mark.system
def test_a_side_that_calls_what_nobody_wrote_for_it_is_left_away(
    judge: Judge, build_cache: Path
) -> None:
    declared = "template <int type = g_coreType> struct Only { template <class Op> static void Run(Op& op); };"
    vector = "template <> template <class Op> void Only<AscendC::AIV>::Run(Op& op) { op.Process(); }"
    kernel = edited(
        (KERNEL, RUN, "Only<>::Run(op);"),
        (KERNEL, ENTRY, f"{declared}\n{vector}\n{ENTRY}"),
    )
    assert verdict(judge, build_cache, kernel)[:2] == ("pass", "")
    # One that says it runs on both has both linked on the device, so nothing is left away.
    mixed = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); Only<>::Run(op);"
    kernel = edited(
        (KERNEL, RUN, mixed), (KERNEL, ENTRY, f"{declared}\n{vector}\n{ENTRY}")
    )
    stopped, cause, _ = verdict(judge, build_cache, kernel)
    assert stopped == "fail-build"
    assert "Only" in cause


@pytest.mark.system
def test_a_kernel_written_for_cube_cores_alone_runs_on_them(
    judge: Judge, build_cache: Path
) -> None:
    files = dict(candidate("BasicMatmul").files)
    path = "op_kernel/basic_matmul.cpp"
    cube = """
template <int type = g_coreType>
struct Only { template <class M, class T> static void Run(M& mm, T& out); };
template <> template <class M, class T>
void Only<AscendC::AIC>::Run(M& mm, T& out) { mm.IterateAll(out); }
"""
    for old, new in (
        ("    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);\n", ""),
        ("mm.IterateAll(out)", "Only<>::Run(mm, out)"),
        (ENTRY, cube + ENTRY),
    ):
        assert old in files[path]
        files[path] = files[path].replace(old, new)
    spec = operator("BasicMatmul")
    small = [spec.cases[0].name]
    result = judge_job(judge, job(spec, Candidate(files), build_cache, small))
    assert (result["verdict"], result["cause"]) == ("pass", "")


@pytest.mark.system
def test_all_cores_of_a_processor_may_use_every_memory_in_one_process(
    judge: Judge, build_cache: Path
) -> None:
    """The kernel's process has addresses for the memories of 24 cube and 48 vector cores."""
    take = """
template <TPosition position>
inline void Take() {
    TBuf<position> buffer;
    GetTPipePtr()->InitBuffer(buffer, 512);
    buffer.template Get<uint8_t>();
}
"""
    positions = ("VECCALC", "A1", "A2", "B2", "CO1", "C2", "C2PIPE2GM")
    taken = " ".join(f"Take<TPosition::{position}>();" for position in positions)
    mixed = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"
    kernel = edited(
        (KERNEL, ENTRY, take + ENTRY),
        (
            KERNEL,
            RUN,
            f"{mixed} {taken} SyncAll<false>(); if ASCEND_IS_AIV op.Process();",
        ),
        (HOST, "SetBlockDim(used == 0 ? 1 : used)", "SetBlockDim((used + 1) / 2)"),
    )
    spec = operator()
    (case,) = (each for each in spec.cases if each.name == "feature-map-float32")
    # A timed launch runs its blocks in two processes.
    untimed = replace(spec, cases=(replace(case, timed=False),))
    result = judge_job(judge, job(untimed, kernel, build_cache))
    assert (result["verdict"], result["cause"]) == ("pass", "")


def test_marks_of_device_functions_are_blank_in_every_spelling(
    judge: Judge, build_cache: Path
) -> None:
    text = "__forceinline__ [aicore] int f(); [host, aicore] int g(); int h = x[host] + cores[aicore];"
    blank = kernel_text(text)
    assert (len(blank), blank.count("aicore"), "x[host] + cores[aicore]" in blank) == (
        len(text),
        1,
        True,
    )
    marked = "#define MINE __forceinline__ [aicore]\ntemplate <class T> MINE void Go(T& op) { op.Process(); }\n"
    kernel = edited((KERNEL, RUN, "Go(op);"), (KERNEL, ENTRY, marked + ENTRY))
    assert verdict(judge, build_cache, kernel)[:2] == ("pass", "")


@pytest.mark.slow  # compiles the simulator with the second compiler, which takes longer than all others here
def test_what_one_compiler_refuses_another_is_asked_about_and_named(
    judge: Judge, build_cache: Path
) -> None:
    lenient = """
namespace far { struct Tag {}; template <int n> int Pick(Tag) { return n; } }
struct Open { constexpr Open() {} int left; };
"""
    call = "Open open; if (Pick<3>(far::Tag{}) == 3) op.Process(); static_cast<void>(open);"
    kernel = edited((KERNEL, ENTRY, lenient + ENTRY), (KERNEL, RUN, call))
    first = find_compiler()
    second = second_compiler(first)
    found = verdict(judge, build_cache, kernel)
    assert found[:2] == ("pass", "")
    if second is not None and int(first.version.split(".")[0]) < 16:
        assert found[2] == second.label != first.label


def test_aggregates_with_a_defaulted_constructor_work_and_the_compiler_is_named(
    judge: Judge, build_cache: Path
) -> None:
    """C++20 takes them away."""
    plain = "struct Pair { Pair() = default; int a; int b; };\n"
    kernel = edited(
        (KERNEL, ENTRY, plain + ENTRY),
        (KERNEL, RUN, "Pair p{1, 2}; if (p.b == 2) op.Process();"),
    )
    assert verdict(judge, build_cache, kernel) == ("pass", "", find_compiler().label)


def test_a_core_that_stops_runs_no_destructor_that_waits(
    judge: Judge, build_cache: Path
) -> None:
    waits = "struct Waits { ~Waits() { WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); } };\n"
    kernel = edited(
        (KERNEL, ENTRY, waits + ENTRY),
        (KERNEL, RUN, "Waits waits; op.Process();"),
        (KERNEL, "Abs(y, x, count);", "Abs(y[3], x, count);"),
    )
    assert "alignment" in verdict(judge, build_cache, kernel)[1]


@pytest.mark.parametrize(
    "type_name",
    [
        "int32_t",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("uint64_t", "int8_t", "uint16_t")
        ),
    ],
)
def test_integer_division_by_zero_does_not_stop_a_core(
    judge: Judge, build_cache: Path, type_name: str
) -> None:
    divide = f"volatile {type_name} zero = 0, seven = 7; volatile {type_name} q = seven / zero, r = seven % zero;"
    kernel = edited((KERNEL, RUN, f"{divide} if (q == 0 && r == 7) op.Process();"))
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
    assert (result["verdict"], result["cause"]) == ("pass", "")
    assert "integer-division" in {finding["rule"] for finding in result["findings"]}


def test_headers_a_kernel_may_name(judge: Judge, build_cache: Path) -> None:
    includes = "#include <iostream>\n#include <acl/acl.h>\n"
    kernel = edited((KERNEL, ENTRY, includes + "aclDataType Type();\n" + ENTRY))
    assert verdict(judge, build_cache, kernel)[:2] == ("pass", "")


def test_formats_are_numbers_for_the_preprocessor(
    judge: Judge, build_cache: Path
) -> None:
    checked = """#include "lib/math/sin.h"
#if FORMAT_X != FORMAT_ND || FORMAT_FRACTAL_NZ != 29
#error the formats of a kernel
#endif
static_assert(sizeof(__fp16) == 2, "");
"""
    kernel = edited((KERNEL, ENTRY, checked + ENTRY))
    assert verdict(judge, build_cache, kernel)[:2] == ("pass", "")


def test_constructors_of_both_sides_are_linked_together(tmp_path: Path) -> None:
    """The group of a constructor in namespace `twin` belongs to its side; `_ZN4twin…C5…` names it."""
    compiler = find_compiler()
    source = tmp_path / "side.cpp"
    source.write_text(
        "namespace twin { struct Queue { int depth;"
        " __attribute__((noinline)) explicit Queue(int n) : depth(n) {} }; }"
        "int SIDE(int n) { return twin::Queue(n).depth; }"
    )
    objects = [tmp_path / "vector.o", tmp_path / "cube.o"]
    for made in objects:
        flags = ["-O2", "-fPIC", f"-DSIDE={made.stem}", "-c", str(source)]
        subprocess.run([compiler.path, *flags, "-o", str(made)], check=True)
    objects[1].write_bytes(with_own_names(objects[1].read_bytes()))
    program = [*map(str, objects), "-o", str(tmp_path / "both.so")]
    command = [compiler.path, *compiler.link_flags, "-shared", *program]
    linked = subprocess.run(command, capture_output=True, check=False)
    assert linked.returncode == 0, linked.stderr.decode()


def test_an_object_that_is_none_gets_no_names() -> None:
    with pytest.raises(NotAnObject):
        with_own_names(b"\x7fELF\x02\x01" + b"\0" * 200)


def test_host_headers_of_operator_libraries(judge: Judge, build_cache: Path) -> None:
    headers = (
        "err/ops_err.h",
        "log/error_code.h",
        "tiling_base/error_log.h",
        "tiling_base/tiling_base.h",
        "tiling_base/tiling_util.h",
        "tiling_base/tiling_key.h",
        "register/op_def.h",
        "util/shape_util.h",
        "util/math_util.h",
        "toolchain/slog.h",
        "graph/operator_reg.h",
        "platform/soc_spec.h",
        "tiling/tiling_api.h",
        "op_common/log/log.h",
        "op_common/op_host/infershape_broadcast_util.h",
        "op_common/op_host/tiling_base_class.h",
        "op_common/op_host/util/platform_util.h",
        "op_common/op_host/util/math_util.h",
        "hccl/hccl.h",
        "error_manager/error_manager.h",
        "lib/math/sin_tiling.h",
    )
    uses = """
static_assert(ge::DT_FLOAT8_E4M3FN == 36 && ge::DT_HIFLOAT8 == 34 && sizeof(half) == 2, "");
static_assert(Ops::Base::CeilDiv(int64_t(7), 2u) == 4 && Ops::Base::CeilAlign(7u, 4) == 8, "");
static_assert(Ops::Base::CeilDiv(7, 0) == 7, "");
namespace ge {
REG_OP(Thing)
    .INPUT(x, TensorType({DT_FLOAT, DT_INT8}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Thing)
}
class Way : public Ops::Math::OpTiling::TilingBaseClass {
public:
    using TilingBaseClass::TilingBaseClass;
    bool IsCapable() override { return aicoreParams_.numBlocks == aicoreParams_.blockDim; }
    ge::graphStatus GetPlatformInfo() override {
        return Ops::Base::GetUbSize(context_) > Ops::Base::GetUbBlockSize(context_) ? ge::GRAPH_SUCCESS
                                                                                    : ge::GRAPH_FAILED;
    }
    ge::graphStatus GetShapeAttrsInfo() override { return ge::GRAPH_SUCCESS; }
    ge::graphStatus DoOpTiling() override { return ge::GRAPH_SUCCESS; }
    ge::graphStatus DoLibApiTiling() override { return ge::GRAPH_SUCCESS; }
    uint64_t GetTilingKey() const override { return Ops::Base::GetAivCoreNum(context_); }
    ge::graphStatus GetWorkspaceSize() override { return ge::GRAPH_SUCCESS; }
    ge::graphStatus PostTiling() override { return ge::GRAPH_SUCCESS; }
};
static_assert(std::is_same<Ops::Base::TilingBaseClass, Ops::NN::Optiling::TilingBaseClass>::value, "");
inline bool Counts(gert::TilingContext* context) {
    const auto* of_output = context->GetIrOutputInstanceInfo(0);
    return of_output->GetInstanceNum() == 1 && ge::GetSizeInBytes(5, ge::DT_INT4) == 3 &&
           Ops::Base::ToString(ge::DT_FLOAT) == "DT_FLOAT";
}
extern "C" int32_t CheckLogLevel(int32_t module, int32_t level);
inline bool Looks(const gert::Shape& shape) {
    matmul_tiling::PlatformInfo info;
    info.socVersion = platform_ascendc::SocVersion::ASCEND950;
    matmul_tiling::MultiCoreMatmulTiling tiling(info);
    if (CheckLogLevel(OP, DLOG_ERROR) == 1) dlog_error(OP, "rank %zu", shape.GetDimNum());
    OP_LOGE_FOR_INVALID_SHAPE("Thing", "x", Ops::Base::ToString(shape), "[1]");
    return Ops::Base::IsUnknownRank(Ops::Transformer::OpTiling::EnsureNotScalar(shape));
}
"""
    includes = "".join(f'#include "{header}"\n' for header in headers)
    host = edited(
        (
            HOST,
            '#include "register/op_def_registry.h"',
            f'{includes}#include "register/op_def_registry.h"\n{uses}',
        )
    )
    assert verdict(judge, build_cache, host)[:2] == ("pass", "")
