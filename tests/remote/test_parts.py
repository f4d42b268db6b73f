"""The judge's parts on their own: store, compiler reading, generated glue, child processes, references."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from remote.hosts.process_tree import descendants, end_tree, marked
from remote.judge.artifacts import ArtifactStore, digest_of
from remote.judge.compiler import cause_of, find_compiler, read_messages, without_addresses
from remote.judge.faults import Cancelled, EnvironmentFault, fault_of
from remote.judge.glue import (
    declared_outputs,
    entry_name,
    entry_parameters,
    host_sources,
    interface_names,
    kernel_glue,
    kernel_source,
    without_c_linkage,
)
from remote.judge.reference import References
from remote.judge.results import output_dtypes
from remote.judge.run import JOB_COOKIE, ChildGroup, Limits
from remote.judge.source_text import leans_on_empty_assert, strip_comments
from remote.judge.tiling_source import tiling_lines

QUICK = Limits(wall_s=10, cpu_s=10, memory_mb=1024)


# --- store ---
def write(folder: Path) -> dict[str, Any]:
    (folder / "data").write_text("right")
    return {"n": 1}


def test_a_product_is_made_once_and_found_again(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    first = store.get("ab12", write)
    again = ArtifactStore(tmp_path).get("ab12", lambda _folder: pytest.fail("made twice"))
    assert (first.made_now, again.made_now, again.record) == (True, False, {"n": 1})
    assert again.path("data").read_text() == "right"


@pytest.mark.parametrize("damage", ["truncate", "change", "lose", "record"])
def test_a_damaged_product_is_made_again(tmp_path: Path, damage: str) -> None:
    folder = ArtifactStore(tmp_path).get("ab12", write).folder
    if damage == "lose":
        (folder / "data").unlink()
    else:
        name, text = (
            ("record.json", "{")
            if damage == "record"
            else ("data", {"truncate": "rig", "change": "wrong"}[damage])
        )
        (folder / name).write_text(text)
    again = ArtifactStore(tmp_path).get("ab12", write)
    assert again.made_now
    assert again.path("data").read_text() == "right"


def test_a_failed_make_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> dict[str, Any]:
        (folder / "half").write_text("x")
        raise EnvironmentFault("no")

    store = ArtifactStore(tmp_path)
    with pytest.raises(EnvironmentFault):
        store.get("ab12", fail)
    assert store.find("ab12") is None
    assert not list((tmp_path / "partial").iterdir())


def test_threads_that_want_one_product_make_it_once(tmp_path: Path) -> None:
    store, made = ArtifactStore(tmp_path), []
    gate = threading.Barrier(4)

    def work() -> None:
        gate.wait()
        store.get("ab12", lambda folder: made.append(1) or write(folder))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_the_products_unused_for_longest_go_first(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    for age, key in enumerate(["aa", "bb", "cc"]):
        folder = store.get(key, lambda folder: (folder / "data").write_bytes(b"x" * 1000) and {}).folder
        os.utime(folder / "record.json", (1000 + age, 1000 + age))
    assert ArtifactStore(tmp_path).find("aa") is not None  # using it makes it the youngest
    assert store.collect(2000) == 1000
    assert [store.find(key) is not None for key in ("aa", "bb", "cc")] == [True, False, True]


def test_no_two_lists_of_parts_share_a_digest() -> None:
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("ab") != digest_of("ab", "")


# --- compiler ---
DEEP = """In file included from /store/include/kernel_operator.h:9:
/store/include/twin/api/vector.h: In instantiation of 'void AscendC::Add(LocalTensor<T>) [with T = double]':
op_kernel/x.cpp:30:12:   required from 'void K::Compute() [with T = double]'
op_kernel/x.cpp:44:20:   required from here
/store/include/twin/api/vector.h:10:5: error: static assertion failed: Add: this dtype is not supported
/store/include/twin/api/vector.h:10:5: note: 'false' evaluates to false
"""


def test_an_error_inside_a_header_is_moved_to_the_line_that_led_there() -> None:
    messages = read_messages(DEEP, {"/store/include": ""})
    error = next(message for message in messages if message.severity == "error")
    assert (error.file, error.line) == ("op_kernel/x.cpp", 44)
    assert "Add: this dtype is not supported (in vector.h)" in cause_of(messages)


def test_functions_that_only_have_an_address_are_no_candidates() -> None:
    log = (
        "op_kernel/x.cpp:7:91: error: no matching function for call to 'Exp(T&, T&, int, int)'\n"
        "/store/include/twin/api/vector_unary.h:114:12: note: candidate: 'void Exp(T, T, int32_t)'\n"
        "op_kernel/x.cpp:7:91: note:   candidate expects 3 arguments, 4 provided\n"
        "/store/include/twin/api/vector_addresses.h:71:22: note: candidate: 'A Exp(T, T, const int32_t&)'\n"
        "  71 | TWIN_UNARY_ADDRESSES(Exp)\n"
        "op_kernel/x.cpp:7:91: note:   candidate expects 3 arguments, 4 provided\n"
        "op_kernel/x.cpp:7:91: note:   couldn't deduce template parameter 'AddressOnly'\n"
        "/store/include/twin/lib/math.h:66:6: note: candidate: 'void Exp(T, T, T)'\n"
        "op_kernel/x.cpp:8:1: error: expected ';'\n"
    )
    kept = without_addresses(log).splitlines()
    assert kept == [log.splitlines()[at] for at in (0, 1, 2, 7, 8)]


def test_the_first_error_is_the_cause_and_the_telling_note_comes_with_it() -> None:
    log = (
        "op_kernel/x.cpp:9:3: warning: unused variable 'a'\n"
        "op_kernel/x.cpp:12:7: error: no matching function for call to 'Muls(...)'\n"
        "   12 |       Muls(y, x, 1, n);\n"
        "/store/include/twin/v.h:3:6: note: candidate: 'template<class T> void Muls(T, T)'\n"
        "/store/include/twin/v.h:3:6: note:   template argument deduction/substitution failed:\n"
        "op_kernel/x.cpp:12:7: note:   deduced conflicting types for parameter 'T' ('half' and 'float')\n"
        "op_kernel/x.cpp:20:1: error: something later\n"
    )
    cause = cause_of(read_messages(log, {"/store/include": ""}))
    assert cause.startswith("op_kernel/x.cpp:12:7: error: no matching function")
    assert cause.endswith("deduced conflicting types for parameter 'T' ('half' and 'float')")
    assert "later" not in cause


def test_linker_and_fatal_errors_are_read() -> None:
    log = (
        "/usr/bin/ld: a.o: in function `f':\n"
        "x.cpp:(.text+0x5): undefined reference to `g()'\n"
        "collect2: error: ld returned 1 exit status\n"
    )
    assert "undefined reference to `g()'" in cause_of(read_messages(log, {}))
    fatal = read_messages("op_host/x.cpp:1:10: fatal error: y.h: No such file or directory\n", {})
    assert cause_of(fatal) == "op_host/x.cpp:1:10: error: y.h: No such file or directory"


def fake_compiler(folder: Path, major: int) -> Path:
    path = folder / "g++"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in\n  --version) echo "g++ (fake) {major}.1.0";;\n'
        f'  *) printf "#define __GNUC__ {major}\\n#define __GNUC_MINOR__ 1\\n";'
        ' printf "#define __GNUC_PATCHLEVEL__ 0\\n";;\nesac\n'
    )
    path.chmod(0o755)
    return path


def test_a_missing_or_old_compiler_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"No C\+\+ compiler.*apt install g\+\+"):
        find_compiler({"PATH": str(tmp_path)})
    fake_compiler(tmp_path, 9)
    with pytest.raises(EnvironmentFault, match=r"Found only g\+\+ 9\.1\.0.*g\+\+ 11 or newer"):
        find_compiler({"PATH": str(tmp_path)})
    fake_compiler(tmp_path, 13)
    found = find_compiler({"PATH": str(tmp_path)})
    assert (found.kind, found.version, found.label) == ("gcc", "13.1.0", "g++ 13.1.0")


# --- glue ---
def test_names_follow_the_definition_unless_it_cannot_be_read() -> None:
    text = 'this->Input("self"); // this->Input("old")\nconfig.Input("self"); this->Output("out");'
    assert interface_names([text], "Input", ["x"]) == ["self"]
    assert interface_names([text], "Output", ["y"]) == ["out"]
    assert interface_names([text], "Input", ["x", "y"]) == ["x", "y"]


def test_comments_go_and_lines_and_strings_stay() -> None:
    text = 'a /* b\n c */ d // e\n"// f" g'
    assert strip_comments(text).split("\n")[2] == '"// f" g'
    assert "b" not in strip_comments(text)
    assert "e" not in strip_comments(text)
    assert strip_comments(text).count("\n") == 2


def test_only_the_linkage_of_entries_is_blanked() -> None:
    text = 'extern "C" int other();\nextern "C" __global__ __aicore__ void sqrt(GM_ADDR x);'
    blanked = without_c_linkage(text)
    assert blanked.startswith('extern "C" int other();')
    assert "extern" not in blanked.split("\n")[1]
    assert blanked.index("__global__") == text.index("__global__")
    launch = without_c_linkage("void run(int n) { mine<<<n, nullptr, s>>>(x); } bool b = 1 << 2;")
    assert launch.replace(" ", "") == "voidrun(intn){mine(x);}boolb=1<<2;"


def test_the_kernel_source_is_the_one_cann_would_compile() -> None:
    assert kernel_source({"op_kernel/a.cpp": "", "op_kernel/b.cpp": ""}, "b") == "op_kernel/b.cpp"
    assert kernel_source({"op_kernel/only.cpp": ""}, "b") == "op_kernel/only.cpp"
    assert kernel_source({"op_kernel/a.cpp": "", "op_kernel/c.cpp": ""}, "b") is None


def test_an_assert_that_is_no_statement_is_noticed() -> None:
    assert not leans_on_empty_assert("void f() { ASSERT(g(1) && 2); if (a) {} ASSERT(c); // ASSERT(d)\n }")
    assert leans_on_empty_assert("void f() { ASSERT(g(1)) int a = 1; }")
    assert leans_on_empty_assert("void f() { a = b ASSERT(b != 0); }")


def test_only_the_structs_of_the_operator_reach_the_kernel_and_no_host_code() -> None:
    shared = """
#include "register/tilingdata_base.h"
namespace optiling {
constexpr uint16_t WIDTH = 4;
enum Axis { ROWS = 2, COLUMNS };
BEGIN_TILING_DATA_DEF(Part)
  TILING_DATA_FIELD_DEF_ARR(int32_t, WIDTH, sizes);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(Whole)
  TILING_DATA_FIELD_DEF_STRUCT(Part, part);
  TILING_DATA_FIELD_DEF_ARR(float, COLUMNS, means);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mine, Whole)
inline void fill(Whole& data) {
  const uint32_t sizes = 3;
  data.set_means(nullptr);
}
}
"""
    other = "BEGIN_TILING_DATA_DEF(Other)\n  TILING_DATA_FIELD_DEF(int, WIDTH);\nEND_TILING_DATA_DEF;\n"
    files = {"op_host/a_tiling.h": shared, "op_host/b_tiling.h": other, "op_kernel/mine.cpp": ""}
    lines = tiling_lines(files, "Mine")
    text = "\n".join(lines)
    assert "set_means" not in text
    assert "sizes = 3" not in text  # a variable that is called like a field
    assert "Other" not in text
    assert text.index("WIDTH = 4") < text.index("(Part)") < text.index("COLUMNS }") < text.index("(Whole)")
    assert "REGISTER_TILING_DATA_CLASS(Mine, Whole)" in lines
    assert '#line 9 "op_host/a_tiling.h"' in lines
    # A header that the kernel includes by itself must not be declared twice.
    files["op_kernel/mine.cpp"] = '#include "../op_host/a_tiling.h"\n'
    assert tiling_lines(files, "Mine") == ['#include "op_host/a_tiling.h"']


def test_the_entry_may_divide_its_name_otherwise() -> None:
    entry = 'extern "C" __global__ __aicore__ void {}(GM_ADDR x) {{}}'
    assert entry_name(entry.format("apply_adam_w_v2"), "apply_adam_wv2") == "apply_adam_w_v2"
    assert entry_name(entry.format("other") + entry.format("mine"), "mine") == "mine"
    assert entry_name(entry.format("other"), "mine") == "mine"


def test_sources_of_the_aclnn_interface_are_not_the_host_side() -> None:
    files = {
        "op_host/mine.cpp": "OP_ADD(Mine);", "op_host/aclnn_mine.cpp": '#include "opdev/op_log.h"\nint a;',
        "op_host/mine_proto.cpp": '#include "aclnn/opdev/op_log.h"\nIMPL_OP_INFERSHAPE(Mine);',
        "op_host/mine_tiling.h": "", "op_kernel/mine.cpp": "",
    }  # fmt: skip
    assert host_sources(files) == ["op_host/mine.cpp", "op_host/mine_proto.cpp"]


def test_an_input_changed_in_place_has_one_kernel_argument() -> None:
    read = ['this->Input("x"); this->AICore();']
    both = ['this->Input("x"); this->Output("x");']
    made_by_macros = ["OPDEF_TENSORLIST(Input, x)"]
    entry = 'extern "C" __global__ __aicore__ void zero(GM_ADDR x,\n    GM_ADDR workspace, GM_ADDR tiling) {}'
    assert entry_parameters(entry, "zero") == 3
    assert entry_parameters(entry, "one") == 0
    assert declared_outputs(read, ["x"], ["x"], 4) == []
    assert declared_outputs(both, ["x"], ["x"], 3) == ["x"]
    assert declared_outputs(made_by_macros, ["x"], ["x"], 3) == []
    assert declared_outputs(made_by_macros, ["x"], ["x"], 4) == ["x"]
    assert declared_outputs(made_by_macros, ["x"], ["y"], 3) == ["y"]


def test_the_glue_defines_what_the_definition_names() -> None:
    files = {"op_host/a.cpp": "", "op_kernel/a.cpp": ""}
    text = kernel_glue(
        {"name": "A", "snake": "a"}, files, "op_kernel/a.cpp", [("self", "float16")], [("out", "bfloat16")]
    )
    for line in (
        "#define DTYPE_SELF half",
        "#define ORIG_DTYPE_SELF DT_FLOAT16",
        "#define DTYPE_OUT bfloat16_t",
    ):
        assert line in text
    assert "::a(pointers[0], pointers[1], pointers[2], pointers[3]);" in text
    assert "_REF" not in text
    in_place = [("out", "float16")]
    text = kernel_glue({"name": "A", "snake": "a"}, files, "op_kernel/a.cpp", in_place, in_place)
    assert "#define DTYPE_OUT_REF half" in text


# --- child processes ---
def test_output_and_exit_code_of_a_child_are_kept(tmp_path: Path) -> None:
    finished = ChildGroup("j").run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path, QUICK)
    assert (finished.code, finished.timed_out) == (3, False)
    assert sorted(finished.output.split()) == ["err", "out"]


def test_a_child_that_exceeds_its_time_goes_with_its_children(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > pid; sleep 60"
    started = time.monotonic()
    finished = ChildGroup("j").run(["/bin/sh", "-c", script], tmp_path, Limits(wall_s=0.5, cpu_s=5))
    assert finished.timed_out
    assert time.monotonic() - started < 5
    assert is_gone(int((tmp_path / "pid").read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process has ended, giving the kernel a moment to reap it."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (OSError, IndexError):
            return True
        threading.Event().wait(0.01)
    return False


def test_memory_and_file_size_are_limited(tmp_path: Path) -> None:
    greedy = ["python3", "-c", "bytearray(3 << 30)"]
    assert ChildGroup("j").run(greedy, tmp_path, Limits(wall_s=20, cpu_s=20, memory_mb=1024)).code != 0
    big = ["/bin/sh", "-c", "head -c 3000000 /dev/zero > big"]
    assert ChildGroup("j").run(big, tmp_path, Limits(wall_s=20, cpu_s=20, file_mb=1)).code != 0
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_a_flood_of_output_keeps_its_two_ends(tmp_path: Path) -> None:
    script = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last"
    output = ChildGroup("j").run(["/bin/sh", "-c", script], tmp_path, QUICK).output
    assert output.startswith("first")
    assert output.rstrip().endswith("last")
    assert len(output) < 1.1 * (1 << 20)


def test_cancelling_ends_running_children_and_refuses_new_ones(tmp_path: Path) -> None:
    group = ChildGroup("j")
    timer = threading.Timer(0.3, group.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        group.run(["/bin/sleep", "30"], tmp_path, Limits(wall_s=30, cpu_s=5))
    assert time.monotonic() - started < 3
    with pytest.raises(Cancelled):
        group.run(["/bin/true"], tmp_path, QUICK)


def test_a_command_that_is_not_there_is_no_fault_of_a_candidate(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot be started"):
        ChildGroup("j").run(["/bin/true"], tmp_path / "missing", QUICK)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see environments")
def test_a_tree_ends_even_where_a_child_left_its_group(tmp_path: Path) -> None:
    import subprocess

    script = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n"
        "print(os.getpid(), flush=True)\ntime.sleep(60)"
    )
    cookie = f"{JOB_COOKIE}=test-{os.getpid()}"
    child = subprocess.Popen(
        ["python3", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, JOB_COOKIE: cookie.partition("=")[2]},
    )
    assert child.stdout is not None
    pids = [int(child.stdout.readline()), int(child.stdout.readline())]
    assert set(pids) <= set(marked(cookie))
    assert not set(pids) <= set(descendants(child.pid)) | {
        child.pid
    }  # the escaped one is no descendant any more
    end_tree(child.pid, cookie)
    assert child.wait(5) == -signal.SIGKILL
    assert all(is_gone(pid) for pid in pids)
    child.stdout.close()


def test_errors_of_the_machine_say_what_to_do() -> None:
    assert "disk is full" in str(fault_of(OSError(errno.ENOSPC, "No space left on device", "/cache/x")))
    assert "/cache/x" in str(fault_of(OSError(errno.EACCES, "Permission denied", "/cache/x")))


# --- references ---
def toy(source: str, outputs: list[dict[str, Any]] | None = None, digest: str = "d1") -> dict[str, Any]:
    return {
        "name": "Toy", "snake": "toy", "digest": digest, "reference_source": source, "attributes": [],
        "inputs": [{"name": "x", "dtypes": ["float32", "float16"]}],
        "outputs": outputs or [{"name": "y", "dtypes": ["float32", "float16"]}],
    }  # fmt: skip


def toy_case(dtype: str = "float16") -> dict[str, Any]:
    return {
        "name": "c",
        "seed": 1,
        "attributes": {},
        "inputs": {"x": {"shape": [3, 4], "dtype": dtype, "fill": "normal"}},
    }


def test_references_are_computed_in_float64_and_rounded_once(tmp_path: Path) -> None:
    source = (
        "import torch\ndef reference(x):\n    assert x.dtype == torch.float64\n"
        "    return x * 0 + 1 + 2.0**-11 + 2.0**-40"
    )
    data = References(tmp_path).case(toy(source), toy_case())
    assert data.expected[0].dtype == torch.float16
    assert float(data.expected[0][0, 0]) == 1 + 2**-10
    wanted = data.inputs["x"][0]
    assert (wanted.dtype, wanted.shape, wanted.strides) == ("float16", (3, 4), ())
    assert wanted.path.stat().st_size == 24


def test_results_are_kept_and_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    note = f"with open({str(tmp_path / 'calls')!r}, 'a') as calls:\n        calls.write('x')"
    source = f"def reference(x):\n    {note}\n    return x"
    first = References(tmp_path / "r").case(toy(source), toy_case())
    again = References(tmp_path / "r").case(toy(source), toy_case())
    assert torch.equal(first.expected[0], again.expected[0])
    assert (tmp_path / "calls").read_text() == "x"
    first.outputs[0].path.write_bytes(b"\0" * 24)
    repaired = References(tmp_path / "r").case(toy(source), toy_case())
    assert torch.equal(first.expected[0], repaired.expected[0])
    assert (tmp_path / "calls").read_text() == "xx"
    References(tmp_path / "r").case(toy(source, digest="d2"), toy_case())
    assert (tmp_path / "calls").read_text() == "xxx"


def test_a_cache_deleted_meanwhile_is_filled_again_and_old_cases_go_first(tmp_path: Path) -> None:
    references = References(tmp_path)
    source = "def reference(x):\n    return x"
    first = references.case(toy(source), toy_case())
    shutil.rmtree(tmp_path / "cases")
    again = references.case(toy(source), toy_case())
    assert again.inputs["x"][0].path.exists()
    assert torch.equal(first.expected[0], again.expected[0])
    older = again.outputs[0].path.parent
    os.utime(older / "case.json", (1000, 1000))
    younger = references.case(toy(source), {**toy_case(), "seed": 5}).outputs[0].path.parent
    size = sum(path.stat().st_size for path in younger.iterdir())
    assert references.collect(size) > 0
    assert (older.exists(), younger.exists()) == (False, True)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def reference(x):\n    raise KeyError('w')", "fails on case c: KeyError"),
        ("def other(x):\n    return x", "defines no function"),
        ("import nothing_like_this", "cannot be loaded"),
        ("def reference(x):\n    return x, x", "returns 2 results where the interface has 1"),
    ],
)
def test_a_broken_reference_is_the_operators_fault(tmp_path: Path, source: str, words: str) -> None:
    with pytest.raises(EnvironmentFault, match=words):
        References(tmp_path).case(toy(source), toy_case())


def test_output_dtypes_follow_the_interface_the_file_or_the_result(tmp_path: Path) -> None:
    two = [
        {"name": "y", "dtypes": ["float32", "float16"]},
        {"name": "rstd", "dtypes": ["float32", "float32"]},
    ]
    assert output_dtypes(toy("", two), {"x": "float16"}, None) == ("float16", "float32")
    assert output_dtypes(toy(""), {"x": "int32"}, None) == ("",)
    named = (
        "import torch\ndef OUTPUT_DTYPES(dtypes):\n    return ('bool',)\ndef reference(x):\n    return x > 0"
    )
    assert References(tmp_path).case(toy(named), toy_case()).expected[0].dtype == torch.bool
    free = "import torch\ndef reference(x):\n    return torch.argmax(x, -1)"
    outputs = [{"name": "y", "dtypes": []}]
    assert References(tmp_path).case(toy(free, outputs, "d3"), toy_case()).expected[0].dtype == torch.int64


def test_what_is_kept_names_everything_it_depends_on(tmp_path: Path) -> None:
    data = References(tmp_path).case(toy("def reference(x):\n    return x"), toy_case())
    rows = json.loads((data.outputs[0].path.parent / "case.json").read_text())
    assert rows["outputs"][0]["name"] == "y"
    other = References(tmp_path).case(toy("def reference(x):\n    return x"), {**toy_case(), "seed": 2})
    assert other.outputs[0].path.parent != data.outputs[0].path.parent
