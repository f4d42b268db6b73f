"""Work without an API call costs time or leaves no latency; honest scalar code costs what it did."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from remote.judge.building.counted_loops import redefinition
from remote.judge.judge import Judge
from tests.remote.helpers import (
    HOST,
    KERNEL,
    KERNELS,
    TWIN,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

CASE = "feature-map-float32"
ABS = "        Abs(y, x, count);\n"
RAW_UB = (
    KERNEL,
    ABS,
    """        auto from = (__ubuf__ float*)x.GetPhyAddr();
        auto to = (__ubuf__ float*)y.GetPhyAddr();
        for (uint32_t i = 0; i < count; ++i) to[i] = from[i] < 0 ? -from[i] : from[i];
""",
)
RAW_GM = (
    KERNEL,
    ABS,
    """        auto from = xGm.GetPhyAddr();
        auto to = (__ubuf__ float*)y.GetPhyAddr();
        for (uint32_t i = 0; i < count; ++i) to[i] = from[i] < 0 ? -from[i] : from[i];
""",
)
ON_CHIP_PARTS = (
    "auto all = x.ReinterpretCast<Part>();"
    "for (uint32_t i = 0; i < count / 1024; ++i) all.SetValue(i, all.GetValue(i));"
)
GLOBAL_PARTS = (
    "GlobalTensor<Part> all;"
    "all.SetGlobalBuffer((__gm__ Part*)xGm.GetPhyAddr(done), count / 1024);"
    "for (uint32_t i = 0; i < count / 1024; ++i) sum += all.GetValue(i).x[i];"
)
PROCESS = "        for (uint32_t done = 0; done < length; done += tileLength) {\n"


def before_the_work(code: str) -> Candidate:
    """The correct kernel, which does something else first."""
    return edited((KERNEL, PROCESS, f"        {code}\n{PROCESS}"))


@pytest.fixture(scope="module")
def judge(build_cache: Path) -> Judge:
    return Judge(build_cache, TWIN, workers=2)


@pytest.fixture(scope="module")
def judged(judge: Judge, build_cache: Path) -> Any:
    """Judges one timed case."""

    def of(
        kernel: Candidate, case: str = CASE, name: str = "AbsMath"
    ) -> dict[str, Any]:
        result = judge_job(judge, job(operator(name), kernel, build_cache, [case]))
        assert result["build"]["ok"], result["build"]["cause"] + result["build"]["log"]
        return result

    return of


@pytest.fixture(scope="module")
def run(judged: Any) -> Any:
    """Judges one timed case: its row, and the names of the rules found."""

    def of(
        kernel: Candidate, case: str = CASE, name: str = "AbsMath"
    ) -> tuple[dict[str, Any], set[str]]:
        result = judged(kernel, case, name)
        (row,) = result["cases"]
        return row, {finding["rule"] for finding in result["findings"]}

    return of


@pytest.fixture(scope="module")
def honest(run: Any) -> float:
    row, rules = run(candidate())
    assert row["status"] == "pass"
    assert not rules & {"scalar-work", "host-work", "raw-write"}
    return float(row["latency"]["value"])


def latency(row: dict[str, Any]) -> float:
    """Modelled microseconds; no latency is infinitely long."""
    return float(row["latency"]["value"]) if row["latency"] else float("inf")


def test_a_loop_through_raw_pointers_to_ub_is_paid_for(run: Any, honest: float) -> None:
    row, _ = run(edited(RAW_UB))
    assert row["status"] == "pass"
    assert latency(row) > 1.5 * honest


def unrolled(store: str, times: int) -> str:
    """One pass of a loop that does `store`, with `I` for the element, many times."""
    stores = " ".join(store.replace("I", f"i + {index}") for index in range(times))
    return f"for (uint32_t i = 0; i + {times} <= count; i += {times}) {{ {stores} }}\n"


def test_unrolling_a_raw_loop_does_not_make_it_free(run: Any, honest: float) -> None:
    """The kernel changes the tile in place between two vector instructions."""
    raw = "auto to = (__ubuf__ float*)y.GetPhyAddr();\n" + unrolled(
        "to[I] = to[I] + 1.0f;", 64
    )
    back = "for (uint32_t i = 0; i < 1; ++i) Adds(y, y, -1.0f, count);\n"
    row, _ = run(edited((KERNEL, ABS, ABS + raw + back)))
    words = 607488 / 48
    assert latency(row) > honest + 0.9 * words * 25 / 1850  # of SetValue each


def test_copying_whole_structures_is_paid_for(run: Any, honest: float) -> None:
    part = "struct Part { float x[1024]; };\n"
    raw = """        auto from = (Part*)x.GetPhyAddr();
        auto to = (Part*)y.GetPhyAddr();
        for (uint32_t i = 0; i < count / 1024; ++i) to[i] = from[i];
        Abs(y, y, count);
"""
    row, _ = run(
        edited(
            (KERNEL, "class KernelAbsMath", part + "class KernelAbsMath"),
            (KERNEL, ABS, raw),
        )
    )
    assert latency(row) > 1.5 * honest


@pytest.mark.parametrize(
    ("taken", "cycles_of_a_word"),
    [
        (ON_CHIP_PARTS, 2 * 25),  # read and written
        (
            GLOBAL_PARTS,
            120 / 8,
        ),  # a line of 64 bytes is fetched, its other words are there
    ],
    ids=["on-chip", "global"],
)
def test_an_element_that_is_a_structure_is_paid_for_by_words(
    run: Any, honest: float, taken: str, cycles_of_a_word: float
) -> None:
    """What comes into the scalar unit at the price of one number is computed on for nothing."""
    row, _ = run(
        edited(
            (
                KERNEL,
                "class KernelAbsMath",
                "struct Part { float x[1024]; };\nclass KernelAbsMath",
            ),
            (KERNEL, ABS, f"        {taken}\n{ABS}"),
            (
                KERNEL,
                "void Compute(uint32_t count)",
                "void Compute(uint32_t done, uint32_t count)",
            ),
            (KERNEL, "Compute(count);", "Compute(done, count);"),
            (
                KERNEL,
                "    uint32_t tileLength;\n",
                "    uint32_t tileLength;\n    float sum = 0;\n",
            ),
        )
    )
    assert row["status"] == "pass"
    words = 607488 / 48 / 2
    assert latency(row) > honest + 0.9 * words * cycles_of_a_word / 1850


MAXIMUM = "WholeReduceMax<DTYPE_X>(y, x, 64, 1, 1, 1, 8)"
SUM = "ReduceSum<DTYPE_X>(y, x, top, 64)"
REDUCED = """        LocalTensor<DTYPE_X> top = y[64];
        for (uint32_t round = 0; round < 8 && sizeof(DTYPE_X) == 4; ++round) {
            REDUCE;
            DTYPE_X most = 0, where = 0;
            MOST;
            Adds(top, x, most, 64);
        }
"""


@pytest.mark.system
@pytest.mark.parametrize(
    ("reduce", "register"),
    [
        (MAXIMUM, "GetReduceMaxMinCount<DTYPE_X>(most, where)"),
        (MAXIMUM, "GetReduceRepeatMaxMinSpr<DTYPE_X>(most, where)"),
        (SUM, "most = GetAccVal<DTYPE_X>()"),
    ],
)
def test_a_register_of_the_vector_unit_costs_what_its_value_in_memory_does(
    run: Any, honest: float, reduce: str, register: str
) -> None:
    """The scalar unit waits for the instruction that leaves it, and takes it."""

    def taken(take: str) -> Any:
        work = REDUCED.replace("REDUCE", reduce).replace("MOST", take)
        return run(edited((KERNEL, ABS, work + ABS)))[0]

    by_register, by_value = taken(register), taken("most = y.GetValue(0)")
    assert by_register["status"] == "pass"
    assert by_register["latency"] == by_value["latency"]
    assert latency(by_register) > 1.2 * honest


COUNTED = """        if (count >= 64 && sizeof(DTYPE_X) == 4) {
            uint64_t kept = 0;
            for (uint32_t round = 0; round < 8; ++round) {
                GatherMask(y, x, static_cast<uint8_t>(1), false, 0, {1, 1, 8, 0}, kept);
                Adds(y, x, static_cast<DTYPE_X>(KEPT), 64);
            }
        }
"""


@pytest.mark.system
def test_the_count_of_a_mask_is_waited_for(run: Any) -> None:
    """GatherMask gives the scalar unit how many elements it kept, whoever uses it."""
    used, _ = run(edited((KERNEL, ABS, COUNTED.replace("KEPT", "kept") + ABS)))
    alone, _ = run(
        edited(
            (KERNEL, ABS, COUNTED.replace("KEPT", "GetGatherMaskRemainCount()") + ABS)
        )
    )
    assert used["status"] == alone["status"] == "pass"
    assert latency(alone) > latency(used)


PRODUCT = "op_kernel/basic_matmul.cpp"
SET_UP = """    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    const TCubeTiling& t = data.cube;
"""
WHOLE_K = """    TCubeTiling t = data.cube;
    t.baseK = t.singleCoreK;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
"""
NO_SPLIT = """    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
    const TCubeTiling& t = data.cube;
    mm.SetOrgShape(t.M, t.N, t.Ka, t.Kb);
    mm.SetTail(t.singleCoreM, t.singleCoreN, t.singleCoreK);
"""


@pytest.mark.system
@pytest.mark.parametrize(
    ("set_up", "words"), [(WHOLE_K, "bytes of L0"), (NO_SPLIT, "has no split")]
)
def test_a_product_has_blocks_that_its_core_has_room_for(
    run: Any, set_up: str, words: str
) -> None:
    files = dict(candidate("BasicMatmul").files)
    assert SET_UP in files[PRODUCT]
    files[PRODUCT] = files[PRODUCT].replace(SET_UP, set_up)
    row, rules = run(Candidate(files), "bulk", "BasicMatmul")
    assert words in row["detail"]
    assert rules == {"cube-limit"}


@pytest.mark.system
def test_sums_that_are_stored_twice_are_paid_for_twice(run: Any) -> None:
    files = dict(candidate("BasicMatmul").files)
    again = "    mm.GetTensorC(out);\n"
    end = "    mm.IterateAll(out);\n"
    assert end in files[PRODUCT]
    us = []
    for stores in ("", again, 2 * again):
        files[PRODUCT] = (
            candidate("BasicMatmul").files[PRODUCT].replace(end, end + stores)
        )
        row, _ = run(Candidate(files), "bulk", "BasicMatmul")
        assert row["status"] == "pass"
        us.append(latency(row))
    assert us[0] < us[1] < us[2]


def test_instructions_on_memory_whose_address_is_known_cost_what_they_did(
    run: Any, honest: float
) -> None:
    asked = "auto where = x.GetPhyAddr() + y.GetPhyAddr(); (void)where;\n"
    row, _ = run(edited((KERNEL, ABS, asked + ABS)))
    assert row["latency"]["value"] == honest


@pytest.mark.system
def test_a_store_through_a_reference_is_charged_once(run: Any) -> None:
    by_reference, _ = run(
        edited((KERNEL, ABS, ABS + "y(0) = y.GetValue(1); y(1) = y.GetValue(0);\n"))
    )
    by_value = ABS + "y.SetValue(0, y.GetValue(1)); y.SetValue(1, y.GetValue(0));\n"
    assert by_reference["latency"] == run(edited((KERNEL, ABS, by_value)))[0]["latency"]


def test_a_loop_through_raw_pointers_to_global_memory_is_paid_for(
    run: Any, honest: float
) -> None:
    row, _ = run(
        edited(
            RAW_GM,
            (
                KERNEL,
                "            Compute(count);",
                "            xGm = xGm[0]; Compute(count);",
            ),
        )
    )
    assert latency(row) > 1.5 * honest


LOOPS = {
    "for": "for (int i = 0; i < 20000000; ++i) sum += i * 0.5f;",
    "while": "int i = 0; while (i < 20000000) { sum += i * 0.5f; ++i; }",
    "do": "int i = 0; do { sum += i * 0.5f; ++i; } while (i < 20000000);",
    "goto": "int i = 0; again: sum += i * 0.5f; if (++i < 20000000) goto again;",
    "pasted": "int i = 0;\n#define PASTE(a, b) a##b\n PASTE(wh, ile) (i < 20000000) { ++i; sum += i; }",
}


@pytest.mark.system
def test_twenty_million_scalar_passes_are_paid_for(judged: Any, honest: float) -> None:
    """Each kind of loop on a core of its own: 20 M passes take at least as many cycles, 10 ms at 1.85 GHz."""
    on_cores = [
        f"if (GetBlockIdx() == {core}) {{ {loop} }}"
        for core, loop in enumerate(LOOPS.values())
    ]
    result = judged(
        before_the_work(
            "volatile float sum = 0;\n        " + "\n        ".join(on_cores)
        )
    )
    (row,) = result["cases"]
    assert row["status"] == "pass"
    assert latency(row) > honest + 10_000
    cycles = {core["core"]: core["total_cycles"] for core in result["profile"]["cores"]}
    assert {
        name: cycles[core] >= 20e6 for core, name in enumerate(LOOPS)
    } == dict.fromkeys(LOOPS, True)
    assert cycles[len(LOOPS)] < 1e6, "a core without a loop"


LOSS = "op_kernel/mse_loss.cpp"
LOADED = """            LocalTensor<float> difference = terms.Tile(0);
            Sub(difference, difference, terms.Tile(1), count);
            Mul(difference, difference, difference, count);
            sum += reduce.Sum(difference, count);
"""
SQUARES = """auto square = [](float u, float v) { return (u - v) * (u - v); };
            auto add = [](float u, float v) { return u + v; };
            sum = std::inner_product(p, p + count, q, sum, add, square);
"""
UNROLLED = """template <int N> struct Steps {
    static float Of(const float* p, const float* q) {
        return Steps<N / 2>::Of(p, q) + Steps<N - N / 2>::Of(p + N / 2, q + N / 2);
    }
};
template <> struct Steps<1> {
    static float Of(const float* p, const float* q) { return (*p - *q) * (*p - *q); }
};
"""


def squares_of(p: str, q: str, work: str = SQUARES, before: str = "") -> Candidate:
    """MseLoss that sums the squares of a tile by its own C++, which reads them at `p` and `q`."""
    files = dict(candidate("MseLoss").files)
    terms = f"auto a = terms.Tile(0); auto b = terms.Tile(1); const float* p = {p}; const float* q = {q};\n"
    kept = (
        "pa = (const float*)predict; pb = (const float*)label; terms.Set(0, predict);"
    )
    for old, new in (
        (LOADED, terms + work),
        ("terms.Set(0, predict);", kept),
        (
            "    TileReduce reduce;",
            "    TileReduce reduce;\n    const float* pa;\n    const float* pb;",
        ),
        (
            "using namespace AscendC;",
            f"#include <numeric>\nusing namespace AscendC;\n{before}",
        ),
    ):
        assert old in files[LOSS]
        files[LOSS] = files[LOSS].replace(old, new)
    return Candidate(files)


@pytest.fixture(scope="module")
def loss(run: Any) -> Any:
    """Judges a kernel of MseLoss."""
    return lambda kernel: run(kernel, "mean-batch-float32", "MseLoss")


@pytest.mark.system
@pytest.mark.parametrize(
    "kernel",
    [
        squares_of("pa + run.start + done", "pb + run.start + done"),
        squares_of(
            "pa + run.start + done",
            "pb + run.start + done",
            "for (int i = 0; i + 256 <= count; i += 256) sum += Steps<256>::Of(p + i, q + i);\n"
            "for (int i = count / 256 * 256; i < count; ++i) sum += Steps<1>::Of(p + i, q + i);\n",
            UNROLLED,
        ),
        squares_of("(const float*)a.GetPhyAddr()", "(const float*)b.GetPhyAddr()"),
    ],
    ids=["library", "unrolled", "on chip"],
)
def test_reading_through_pointers_is_paid_for_where_no_loop_shows(
    loss: Any, kernel: Candidate
) -> None:
    """A sum has next to no output, so that nothing but its reads gives such work away."""
    row, rules = loss(kernel)
    assert row["status"] == "pass"
    assert latency(row) > 2 * latency(loss(candidate("MseLoss"))[0])
    assert "raw-read" in rules


@pytest.mark.system
def test_a_reference_to_one_element_leads_to_no_other(loss: Any) -> None:
    row, _ = loss(squares_of("&a(0)", "&b(0)"))
    assert row["status"] != "pass"


@pytest.mark.system
def test_the_workspace_is_read_at_the_price_of_global_memory(loss: Any) -> None:
    files = dict(candidate("MseLoss").files)
    read = "volatile float first = *(__gm__ float*)workspace; (void)first; op.Run();"
    files[LOSS] = files[LOSS].replace("op.Run();", read)
    row, rules = loss(Candidate(files))
    assert "raw-read" in rules
    assert latency(row) > latency(loss(candidate("MseLoss"))[0])


@pytest.mark.system
def test_a_file_of_the_candidate_takes_no_place_of_ours(
    run: Any, honest: float
) -> None:
    loop = "volatile int sum = 0; for (int i = 0; i < 20000; ++i) sum = sum + 1;"
    files = dict(before_the_work(loop).files)
    files["op_kernel/twin/count_loops.h"] = "#pragma once\n"
    row, _ = run(Candidate(files))
    assert latency(row) > 2 * honest


@pytest.mark.system
def test_references_to_elements_mean_what_values_do(run: Any) -> None:
    """Everything they change is overwritten, or put back, before the tile leaves."""
    expressions = "y(0) = x(1); y(1) = y(0) + x(2); y(0) += y(1);"
    held = "auto& held = y(3); held = 1.0f; Abs(y, x, count); held = held + held; held -= 0.0f; held *= 0.5f;"
    row, _ = run(edited((KERNEL, ABS, f"{ABS}{expressions}\n{ABS}{held}\n")))
    assert row["status"] == "pass"


def test_the_same_loop_costs_the_same_on_every_run(run: Any) -> None:
    kernel = before_the_work(
        "volatile int sum = 0; for (int i = 0; i < 5000; ++i) sum += i;"
    )
    assert run(kernel)[0]["latency"] == run(kernel)[0]["latency"]


def test_copying_by_the_c_library_is_paid_for(run: Any, honest: float) -> None:
    copies = "DataCopyPad(local, xGm[offset], params, pad);"
    raw = "memcpy((void*)local.GetPhyAddr(), xGm.GetPhyAddr(offset), count * sizeof(DTYPE_X));"
    row, _ = run(edited((KERNEL, copies, raw)))
    assert latency(row) > honest


@pytest.mark.system
@pytest.mark.parametrize(
    "work",
    [
        "std::for_each_n(&seed, 1, Spin{});",
        "sum = Fibonacci(40);",
    ],
    ids=["library", "recursion"],
)
def test_work_that_no_loop_of_its_own_shows_leaves_no_latency(
    run: Any, work: str
) -> None:
    spin = """#include <algorithm>
#include <numeric>
#include <vector>
static int Fibonacci(int n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }
struct Spin {
    void operator()(int& seed) const {
        int room[1 << 12];
        for (int pass = 0; pass < 640000; ++pass) seed += std::accumulate(room, room + (1 << 12), pass);
    }
};
class KernelAbsMath {"""
    code = f"volatile int sum = 0; int seed = 1; (void)seed; if (GetBlockIdx() == 0) {{ {work} }}"
    kernel = edited(
        (KERNEL, "class KernelAbsMath {", spin),
        (KERNEL, PROCESS, f"        {code}\n{PROCESS}"),
    )
    row, rules = run(kernel)
    assert row["latency"] is None
    assert "scalar-work" in rules


@pytest.mark.system
@pytest.mark.parametrize(
    "theft",
    ["for (auto& pipe : twin::core().time) pipe = {};", "twin::loop_passes = 0;"],
    ids=["clock", "passes"],
)
def test_a_kernel_that_sets_its_own_clock_back_gains_nothing(
    run: Any, honest: float, theft: str
) -> None:
    end = "    op.Process();\n"
    loop = "    volatile int sum = 0; for (int i = 0; i < 5000; ++i) sum = i; PipeBarrier<PIPE_ALL>();\n"
    row, _ = run(edited((KERNEL, end, f"{end}{loop}    {theft}\n")))
    assert row["status"] != "pass" or latency(row) > honest


@pytest.mark.system
def test_op_host_that_computes_for_long_is_noted(run: Any, honest: float) -> None:
    start = "    auto platform = platform_ascendc"
    busy = "    volatile double sum = 0; for (int i = 0; i < 200000000; ++i) sum = sum + i;\n"
    row, rules = run(edited((HOST, start, busy + start)))
    assert row["status"] == "pass"
    assert "host-work" in rules


@pytest.mark.parametrize(
    "text",
    [
        "#undef for",
        "  # /* */ define while(x) while (x)",
        "%:undef goto",
        "#un\\\ndef for",
        "#define memcpy other",
        '#pragma push_macro("for")',
        '_Pragma("pop_macro(\\"for\\")")',
    ],
)
def test_nobody_takes_the_counting_away(text: str) -> None:
    assert redefinition({KERNEL: f"int a;\n{text}\nint b;\n"})


@pytest.mark.parametrize(
    "text", ["#define FOR_EACH(x) for (auto& y : x)", "// #undef for", "#undef format"]
)
def test_other_macros_stay_allowed(text: str) -> None:
    assert not redefinition({KERNEL: text})


@pytest.mark.system
def test_small_scalar_code_costs_what_it_did(run: Any, honest: float) -> None:
    code = (
        "uint32_t most = 0; for (int i = 0; i < 16; ++i) most = most < length + i ? length : most;",
        "constexpr float table[4] = {1, 2, 3, 4}; float sum = 0; for (float one : table) sum += one;",
        "uint32_t bits = 0; while (length >> bits > 1) ++bits; do { --bits; } while (bits > 8 && bits < 64);",
        "for (uint32_t i = 0; i < 3; ++i)\n if (i == 7) return; else continue;",
        "if (length == 1) for (int i = 0; i < 2; ++i) tileLength += 0; else tileLength += 0;",
    )
    row, rules = run(before_the_work("\n        ".join(code)))
    assert row["status"] == "pass"
    assert row["latency"]["value"] == honest
    assert not rules & {"scalar-work", "host-work", "raw-write"}


@pytest.mark.system
def test_constant_evaluation_and_printing_cost_what_they_did(
    run: Any, honest: float
) -> None:
    table = """constexpr int Primes(int below) {
    int found = 0;
    for (int n = 2; n < below; ++n) {
        bool prime = true;
        for (int d = 2; d * d <= n; ++d) { prime = prime && n % d != 0; }
        found += prime ? 1 : 0;
    }
    return found;
}
class KernelAbsMath {"""
    quiet = (
        'static_assert(Primes(1000) == 168, ""); if (length == 1) printf("%d\\n", 1);'
    )
    kernel = edited(
        (KERNEL, "class KernelAbsMath {", table),
        (KERNEL, PROCESS, f"        {quiet}\n{PROCESS}"),
    )
    assert run(kernel)[0]["latency"]["value"] == honest


@pytest.mark.system
def test_element_access_through_the_interface_is_charged_by_the_interface_alone(
    run: Any,
) -> None:
    """GetValue and SetValue in a loop: every call is charged, the loop around them is part of it."""
    touched = "for (uint32_t i = 0; i < 4; ++i) x.SetValue(i, x.GetValue(i));\n"
    unrolled = "".join(f"x.SetValue({i}, x.GetValue({i}));\n" for i in range(4))
    looped, rules = run(edited((KERNEL, ABS, touched + ABS)))
    assert looped["latency"] == run(edited((KERNEL, ABS, unrolled + ABS)))[0]["latency"]
    assert not rules & {"scalar-work", "raw-write"}


@pytest.mark.system
def test_a_kernel_on_a_tensor_list_is_not_flagged(run: Any, tmp_path: Path) -> None:
    """It reads the list's addresses through a raw pointer."""
    spec = operator("ForeachAbs")
    timed = next(case.name for case in spec.cases if case.timed and not case.big)
    folder = shutil.copytree(
        KERNELS / "ForeachAbs", tmp_path / "kernel"
    )  # files in place of links
    row, rules = run(read_candidate(folder), timed, "ForeachAbs")
    assert row["latency"] is not None
    assert not rules & {"scalar-work", "host-work", "raw-write"}
