"""A kernel's simulator is another process: nothing of a verdict comes from the kernel's own."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from tests.remote.helpers import (
    HOST,
    KERNEL,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

pytestmark = pytest.mark.system
SLOW = pytest.mark.slow  # each compiles kernels that no other test needs

TIMED = "feature-map-float32"
SYSCALL = """
inline long system_call(long number, long file, void* data, long count) {
    long done;
    asm volatile("syscall" : "=a"(done) : "a"(number), "D"(file), "S"(data), "d"(count)
                 : "rcx", "r11", "memory");
    return done;
}
class KernelAbsMath {"""
# A reply that no call made: state, core, whether the kernel waits, and how many bytes of calls follow.
FORGED = """
    if (GetBlockIdx() == 0) {
        unsigned reply[4] = {STATE, 0u, 1u, 0u};
        system_call(1, 5, reply, sizeof reply);
    }
    KernelAbsMath op;"""
# Answers every command with calls of random numbers and arguments, some of them the bytes of honest ones.
GARBAGE = """
    unsigned long state = 0x9e3779b97f4a7c15ul + SEED;
    const auto chance = [&]() {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        return unsigned(state >> 33);
    };
    int slot = GetBlockIdx();
    unsigned char command[32];
    unsigned words[1028];
    for (;;) {
        const unsigned count = 1 + chance() % 64;
        words[0] = chance() % 2, words[1] = slot, words[2] = 1, words[3] = 4 * count;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned kind = chance() % 8;
            words[4 + i] = kind < 4 ? chance() % 4 : kind < 6 ? chance() % 4096 : chance() - kind % 2;
            if (i == 0) words[4] = 1 + chance() % 60;
        }
        system_call(1, 5, words, 16 + 4 * count);
        if (system_call(0, 4, command, 32) != 32) break;
        slot = ((int*)command)[1];
        int left = ((int*)command)[7];
        while (left > 0) {
            const long taken = system_call(0, 4, words, left < 4096 ? left : 4096);
            if (taken <= 0) break;
            left -= int(taken);
        }
        if (*(int*)command == 2) break;
    }
    system_call(231, 0, nullptr, 0);
    KernelAbsMath op;"""


def attack(code: str, before: str = "class KernelAbsMath {") -> Candidate:
    """AbsMath whose entry begins with other code."""
    return edited(
        (KERNEL, "class KernelAbsMath {", before),
        (KERNEL, "\n    KernelAbsMath op;", code),
    )


def verdict(judge: Judge, kernel: Candidate, cache: Path) -> tuple[str, float, str]:
    """Status of one timed case, its modelled time (0 for none), rules and messages of all findings."""
    evaluation = judge_job(judge, job(operator(), kernel, cache, [TIMED]))
    (case,) = evaluation["cases"]
    latency = case["latency"]["value"] if case["latency"] else 0.0
    told = [f"{each['rule']}: {each['message']}" for each in evaluation["findings"]]
    return case["status"], latency, "\n".join(told)


def test_a_short_symbol_of_an_endless_name_costs_the_judge_nothing(
    judge: Judge, build_cache: Path
) -> None:
    """What reads symbols writes 2 to the power of 28 names of 26 characters for these 600."""
    doubled = "".join(
        f"using T{at} = Two<T{at - 1}, T{at - 1}>;\n" for at in range(1, 29)
    )
    endless = f"""namespace AscendC {{
template <class A, class B> struct Two {{}};
using T0 = Two<int, int>;
{doubled}
template <class T> __aicore__ inline uint32_t Zero() {{
    static volatile uint32_t twin_call;
    return twin_call;
}}
}}
class KernelAbsMath {{"""
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code = (
        "\n    if (AscendC::Zero<AscendC::T28>() != 0) return;\n    KernelAbsMath op;"
    )
    assert verdict(judge, attack(code, endless), build_cache)[0] == "pass"
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
    assert grown_kib < 256 << 10


@pytest.mark.parametrize(
    "state", ["0u", *(pytest.param(state, marks=SLOW) for state in ("1u", "2u", "77u"))]
)
def test_a_forged_reply_gains_nothing(
    judge: Judge, build_cache: Path, state: str
) -> None:
    kernel = attack(FORGED.replace("STATE", state), SYSCALL)
    assert verdict(judge, kernel, build_cache)[0] == "run-error"


def test_a_crash_behind_a_wait_for_other_cores_is_told_of_its_core(
    judge: Judge, build_cache: Path
) -> None:
    """The process of all of them is gone before the simulator looks at the others."""
    crash = "if (GetBlockIdx() == 0) *reinterpret_cast<volatile int*>(8) = 1;"
    status, latency, findings = verdict(
        judge, attack(f"\n    SyncAll(); {crash}\n    KernelAbsMath op;"), build_cache
    )
    assert (status, latency) == ("run-error", 0.0)
    assert "core 0: crashed with SIGSEGV" in findings


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=SLOW)])
def test_replies_of_anything_are_findings_not_crashes(
    judge: Judge, build_cache: Path, seed: int
) -> None:
    kernel = attack(GARBAGE.replace("SEED", str(seed)), SYSCALL)
    status, _, findings = verdict(judge, kernel, build_cache)
    assert status == "run-error"
    assert "bad-record" in findings
    assert "SIG" not in findings


STATE_OF_A_SIMULATOR = """
extern "C" {
extern thread_local char* _ZN4twin12current_coreE;
extern volatile double _ZN4twin15raw_read_cyclesE;
extern thread_local unsigned long _ZN4twin11loop_passesE;
}
class KernelAbsMath {"""
CHEAPER = """
    const char* const words = _ZN4twin12current_coreE;
    volatile double* launch = *(double**)words;
    for (int i = 0; i < 256; ++i) {
        if (launch[i] > 1 && launch[i] < 1e4) launch[i] = launch[i] * 1.5;
    }
    KernelAbsMath op;"""


def test_what_lies_in_the_kernels_process_is_no_clock(
    judge: Judge, build_cache: Path
) -> None:
    """Every number of its launch that looks like a rate is made larger: no time changes."""
    honest = verdict(judge, candidate(), build_cache)
    changed = verdict(judge, attack(CHEAPER, STATE_OF_A_SIMULATOR), build_cache)
    assert changed[0] != "pass" or changed[1] >= honest[1]


ABS = "        Abs(y, x, count);\n"
OWN_POINTERS = """
        auto from = *(DTYPE_X**)&x;
        auto to = *(DTYPE_Y**)&y;
        for (uint32_t i = 0; i < count; ++i) to[i] = from[i] < DTYPE_X(0) ? -from[i] : from[i];
"""


def test_the_first_word_of_a_tensor_leads_to_nothing_free(
    judge: Judge, build_cache: Path
) -> None:
    honest = verdict(judge, candidate(), build_cache)
    kernel = edited((KERNEL, ABS, OWN_POINTERS))
    status, latency, findings = verdict(judge, kernel, build_cache)
    assert status == "pass"
    assert latency > 2 * honest[1]
    assert "raw-read" in findings


LONG_WORK = """
    volatile float sink = 0;
    float value = GetBlockIdx();
    const auto passes = _ZN4twin11loop_passesE;
    for (int i = 0; i < 3000000; ++i) value = value * 0.5f + 1.0f;
    sink = value;
    _ZN4twin11loop_passesE = passes;
    KernelAbsMath op;"""


def test_work_that_is_kept_silent_about_leaves_no_latency(
    judge: Judge, build_cache: Path
) -> None:
    kernel = attack(LONG_WORK, STATE_OF_A_SIMULATOR)
    status, latency, findings = verdict(judge, kernel, build_cache)
    assert (status, latency) == ("pass", 0.0)
    assert "scalar-work" in findings


FORGED_CALL = """
unsigned forged asm("_ZZN4twin11count_movedEmE9twin_call") = 0;
class KernelAbsMath {"""


@SLOW
def test_only_functions_of_the_api_are_called_in_the_simulator(
    judge: Judge, build_cache: Path
) -> None:
    kernel = edited((KERNEL, "class KernelAbsMath {", FORGED_CALL))
    evaluation = judge_job(judge, job(operator(), kernel, build_cache, [TIMED]))
    assert evaluation["verdict"] == "fail-build"
    assert "twin::count_moved is no call of the API" in evaluation["cause"]


# What a core leaves for the next one in its process, where the C library keeps a number.
BOARD = """#include <cerrno>
class KernelAbsMath {"""
# Told a value, it says that it runs on other cores: the launch starts again.
REMEMBERS = """
    if ASCEND_IS_AIC {
        if (GetBlockIdx() == 0 && errno != 0) printf("it remembers %d\\n", errno);
    }
    GlobalTensor<DTYPE_X> given;
    given.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    errno = 1000 + int(float(given.GetValue(0)));
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    KernelAbsMath op;"""


def test_a_kernel_that_starts_again_knows_nothing_of_the_first_time(
    judge: Judge, build_cache: Path
) -> None:
    kernel = attack(REMEMBERS, BOARD)
    evaluation = judge_job(judge, job(operator(), kernel, build_cache, [TIMED]))
    assert evaluation["build"]["ok"]
    assert not [note for note in evaluation["notes"] if "remembers" in note]


# All but one wait until they are complete; that one, wherever it is, does not count.
MEETING = """
    KernelAbsMath op;
    if (++errno == int(GetBlockNum()) - 1) {
        GlobalTensor<DTYPE_X> from, to;
        from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
        to.SetGlobalBuffer((__gm__ DTYPE_X*)y);
        for (uint32_t i = 0; i < tilingData.totalLength; ++i) {
            const DTYPE_X value = from.GetValue(i);
            to.SetValue(i, value < DTYPE_X(0) ? -value : value);
        }
    }
    return;"""


def test_cores_meet_nowhere_but_in_global_memory(
    judge: Judge, build_cache: Path
) -> None:
    """One of many in another process is not enough: whoever counts to all but one does its share himself."""
    kernel = attack(MEETING, BOARD)
    status, _, _ = verdict(judge, kernel, build_cache)
    assert status == "wrong-result"


# One call, again and again, at a time that never moves: it would explain any CPU time.
FREE_CALLS = (
    """
    for (int i = 0; i < 40000; ++i) twin::enter("nothing", twin::Site{});"""
    + LONG_WORK
)


def test_calls_that_cost_nothing_explain_no_work(
    judge: Judge, build_cache: Path
) -> None:
    kernel = attack(FREE_CALLS, STATE_OF_A_SIMULATOR)
    _, latency, findings = verdict(judge, kernel, build_cache)
    assert latency == 0.0
    assert "scalar-work" in findings


KEPT_REFERENCE = """
        DTYPE_X& first = x(0);
        DTYPE_X sum = 0;
        for (int i = 0; i < 64; ++i) {
            Abs(y, x, count);
            READ
        }
        if (sum > DTYPE_X(1e30)) y(0) = sum;
"""


def test_a_reference_that_is_kept_costs_what_reading_the_element_costs(
    judge: Judge, build_cache: Path
) -> None:
    def latency(read: str) -> float:
        kernel = edited((KERNEL, ABS, KEPT_REFERENCE.replace("READ", read)))
        status, microseconds, _ = verdict(judge, kernel, build_cache)
        assert status == "pass"
        return microseconds

    assert latency("sum += first;") >= latency("sum += x.GetValue(0);")


BY_REFERENCES = """
        Abs(y, x, count);
        for (uint32_t i = 0; i < 32; ++i) y(i) = x(i) < DTYPE_X(0) ? -x(i) : x(i);
"""


def test_references_to_elements_are_not_taken_for_hidden_work(
    judge: Judge, build_cache: Path
) -> None:
    """Each costs a page fault, which is CPU time of the kernel's process."""
    kernel = edited((KERNEL, ABS, BY_REFERENCES))
    status, latency, findings = verdict(judge, kernel, build_cache)
    assert status == "pass"
    assert latency > 0.0
    assert "scalar-work" not in findings


# Eight references to elements of 16 bytes; behind an instruction one of them is made once more, and all are read.
REFERENCES = """
        auto quads = x.ReinterpretCast<Quad>();
        Quad* kept[8];
        for (int i = 0; i < 8; ++i) kept[i] = &quads(i);
        float sum = 0;
        for (int again = 0; again < 8; ++again) {
            Abs(y, x, count);
            READ
        }
        if (sum > 1e30f) y(0) = sum;
"""
BY_ONE = "quads(again); for (int i = 0; i < 8; ++i) sum += kept[i]->v[again % 4];"
BY_EACH = "for (int i = 0; i < 8; ++i) sum += quads.GetValue(i).v[again % 4];"


def test_a_new_reference_tells_nothing_of_the_others(
    judge: Judge, build_cache: Path
) -> None:
    def latency(read: str) -> float:
        kernel = edited(
            (KERNEL, ABS, REFERENCES.replace("READ", read)),
            (
                KERNEL,
                "class KernelAbsMath {",
                "struct Quad { float v[4]; };\nclass KernelAbsMath {",
            ),
        )
        status, microseconds, _ = verdict(judge, kernel, build_cache)
        assert status == "pass"
        return microseconds

    assert latency(BY_ONE) >= latency(BY_EACH)


WORKSPACE = (HOST, "workspace[0] = 0;", "workspace[0] = 64 << 20;")
# Computes into its workspace, then asks for other cores: the launch starts again.
STARTS_AGAIN = """
    const auto source = twin::core().launch.task_source;
    KernelAbsMath op;
    if (source == twin::TaskSource::assumed) {
        op.Init(x, workspace, tilingData);
        op.Process();
        if (GetBlockIdx() == GetBlockNum() - 1) KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
        return;
    }
    if (source == twin::TaskSource::declared) {
        KERNEL_TASK_TYPE(0, KERNEL_TYPE_AIV_ONLY);
        return;
    }
    op.Init(workspace, y, tilingData);"""


def test_a_launch_that_starts_again_has_a_workspace_of_its_own(
    judge: Judge, build_cache: Path
) -> None:
    init = (KERNEL, "    op.Init(x, y, tilingData);\n", "")
    kernel = edited(WORKSPACE, init, (KERNEL, "\n    KernelAbsMath op;", STARTS_AGAIN))
    assert verdict(judge, kernel, build_cache)[0] == "wrong-result"


# Sends a tile through the workspace and back, and there changes it through a pointer.
MAILBOX = """
        PipeBarrier<PIPE_ALL>();
        auto box = workspaceGm[GetBlockIdx() * 65536];
        const DataCopyExtParams tile{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
        DataCopyPad(box, x, tile);
        float* const words = (float*)box.GetPhyAddr();
        for (uint32_t i = 0; i < count; i += 64) words[i] = words[i] < 0 ? -words[i] : words[i];
        PipeBarrier<PIPE_ALL>();
        Abs(y, x, count);
"""
ELEMENTS = """
        for (uint32_t i = 0; i < count; i += 64) x.SetValue(i, x.GetValue(i) < 0 ? -x.GetValue(i) : x.GetValue(i));
        Abs(y, x, count);
"""


def test_pages_of_the_workspace_are_paid_for_each_time(
    judge: Judge, build_cache: Path
) -> None:
    member = (
        KERNEL,
        "    TPipe pipe;\n",
        "    TPipe pipe;\npublic:\n    GlobalTensor<DTYPE_X> workspaceGm;\n",
    )
    buffer = "op.workspaceGm.SetGlobalBuffer((__gm__ DTYPE_X*)workspace);"
    start = (KERNEL, "    op.Process();\n", f"    {buffer}\n    op.Process();\n")

    def latency(code: str) -> float:
        kernel = edited(WORKSPACE, member, start, (KERNEL, ABS, code))
        status, microseconds, _ = verdict(judge, kernel, build_cache)
        assert status == "pass"
        return microseconds

    assert latency(MAILBOX) > latency(ELEMENTS)


# Goes through a tensor by elements, and now and then doubles the next one: the kernel may have been told it.
BY_ELEMENTS = """
        for (uint32_t i = 0; i < count; ++i) {
            const bool is_doubled = i % 64 == 0 && i > 0;
            const DTYPE_X v = x.GetValue(i) / DTYPE_X(is_doubled ? 2 : 1);
            y.SetValue(i, v < 0 ? -v : v);
            if (i % 64 == 63 && i + 1 < count) { CHANGE }
        }
"""


@pytest.mark.parametrize(
    "change",
    [
        "x.SetValue(i + 1, 2 * x.GetValue(i + 1));",
        pytest.param("x(i + 1) = 2 * x(i + 1);", marks=SLOW),
        pytest.param("((DTYPE_X*)x.GetPhyAddr())[i + 1] *= 2;", marks=SLOW),
    ],
)
def test_an_element_that_was_told_ahead_is_what_it_is_when_it_is_read(
    judge: Judge, build_cache: Path, change: str
) -> None:
    kernel = edited((KERNEL, ABS, BY_ELEMENTS.replace("CHANGE", change)))
    assert verdict(judge, kernel, build_cache)[0] == "pass"


# A product of the kernel's own making, of two rows of 16 zeros, with one number no library gives.
PRODUCT = "op_kernel/basic_matmul.cpp"
OF_ITS_OWN = """
    if (GetBlockIdx() == 0) {
        twin::MatmulJob job;
        job.a.global = job.b.global = reinterpret_cast<const uint8_t*>(a);
        job.a.row_stride = job.b.row_stride = 16;
        job.m = job.n = job.k = 16;
        job.c_bytes = 2;
        twin::MatmulTarget target;
        target.global = reinterpret_cast<uint8_t*>(c);
        target.bytes = target.fix.target_bytes = 2;
        target.row_stride = 16;
        target.fix.target_float = true;
        target.fix.quant = F322F16;
        twin::MatmulSums sums;
        FORGED;
        const twin::Site site = twin::Site::here();
        twin::matmul_multiply("Matmul::IterateAll", site, job, sums, false);
        twin::matmul_store("Matmul::IterateAll", site, target, sums, 16, 16, false, true);
    }
    mm.IterateAll(out);
"""


@pytest.mark.parametrize(
    "forged",
    [
        "target.bytes = 4096, target.nz = true, target.nz_width = (1ul << 52) + 1",
        "target.nz_width = (1ul << 52) + 1",
        "target.row_stride = 1ul << 60",
        "target.fix.target_bytes = 4",
        "target.fix.quant = VDEQF16",
        "job.c_bytes = 1",
        "job.base_k = 0",
        "job.m = 1ul << 33, job.k = 1ul << 33",
        "job.a.row_stride = ~0ul",
        "job.a.type = static_cast<twin::CubeType>(77)",
    ],
)
def test_numbers_of_a_product_are_those_a_library_gives(
    judge: Judge, build_cache: Path, forged: str
) -> None:
    """A process can change what it is about to send; no rule is asked here."""
    files = dict(candidate("BasicMatmul").files)
    call = "    mm.IterateAll(out);\n"
    assert call in files[PRODUCT]
    files[PRODUCT] = files[PRODUCT].replace(call, OF_ITS_OWN.replace("FORGED", forged))
    asked = job(operator("BasicMatmul"), Candidate(files), build_cache, ["projection"])
    result = judge_job(judge, asked)
    assert {each["rule"] for each in result["findings"]} == {"bad-record"}, forged


# Every core needs a number that takes many scalar reads; in memory of their process one leaves it to the next.
NEEDED = """
    KernelAbsMath op;
    GlobalTensor<float> all;
    all.SetGlobalBuffer((__gm__ float*)x);
    int needed = errno;
    if (needed == 0) {
        for (uint32_t i = 0; i < 512; ++i) needed += all.GetValue(i) < 0 ? 3 : 2;
        KEEP
    }
    if (needed < 0) return;"""


@pytest.mark.parametrize(("keep", "is_right"), [("", True), ("errno = needed;", False)])
def test_cores_leave_each_other_nothing_in_their_process(
    judge: Judge, build_cache: Path, keep: str, is_right: bool
) -> None:
    kernel = attack(
        NEEDED.replace("KEEP", keep), "#include <cerrno>\nclass KernelAbsMath {"
    )
    status, _, findings = verdict(judge, kernel, build_cache)
    assert (status == "pass") == is_right
    assert ("shared-process" in findings) != is_right


# Cores that meet at a place in global memory, by a barrier of some of them or by flags of one.
MEETING_PLACE = """
    GlobalTensor<int32_t> place;
    place.SetGlobalBuffer((__gm__ int32_t*)workspace);
    LocalTensor<int32_t> none;
    MEET
    KernelAbsMath op;"""


@pytest.mark.parametrize(
    "meet",
    [
        "SyncAll(place, none, GetBlockNum());",
        "if (GetBlockIdx() == 0) IBSet(place, none, 0, 0);\nif (GetBlockIdx() == 1) IBWait(place, none, 0, 0);",
    ],
)
def test_cores_of_two_processes_meet_at_a_place_in_global_memory(
    judge: Judge, build_cache: Path, meet: str
) -> None:
    code = MEETING_PLACE.replace("MEET", meet)
    kernel = edited(WORKSPACE, (KERNEL, "\n    KernelAbsMath op;", code))
    status, latency, findings = verdict(judge, kernel, build_cache)
    assert (status, "deadlock" in findings) == ("pass", False), findings
    assert latency > 0.0
