"""Sources the judge generates around a candidate."""

from __future__ import annotations

from core.cpp_text import code_in_place
from remote.judge.building.glue import (
    declared_outputs,
    entry_name,
    entry_parameters,
    entry_template,
    host_sources,
    interface_names,
    kernel_glue,
    kernel_source,
    kernel_text,
)
from remote.judge.building.source_text import leans_on_empty_assert
from remote.judge.building.tiling_source import tiling_lines
from remote.judge.job import Names


def test_names_follow_the_definition_unless_it_cannot_be_read() -> None:
    text = 'this->Input("self"); // this->Input("old")\nconfig.Input("self"); this->Output("out");'
    assert interface_names({"op_host/mine.cpp": text}, "Input", ["x"]) == ["self"]
    assert interface_names({"op_host/mine.cpp": text}, "Output", ["y"]) == ["out"]
    assert interface_names({"op_host/mine.cpp": text}, "Input", ["x", "y"]) == [
        "x",
        "y",
    ]


def test_comments_go_and_lines_and_strings_stay() -> None:
    text = 'a /* b\n c */ d // e\n"// f" g'
    assert code_in_place(text).split("\n")[2] == '"// f" g'
    assert "b" not in code_in_place(text)
    assert "e" not in code_in_place(text)
    assert code_in_place(text).count("\n") == 2


def test_literals_hide_nothing_and_every_column_stays() -> None:
    code = 'char c = \'"\'; // " hidden();\nint n = 1\'000; /* x */ auto s = R"(// kept)";\n'
    assert "hidden" not in code_in_place(code)
    assert "// kept" in code_in_place(code)
    assert len(code_in_place(code)) == len(code)


def test_only_the_linkage_of_entries_is_blanked() -> None:
    text = 'extern "C" int other();\nextern "C" __global__ __aicore__ void sqrt(GM_ADDR x);'
    blanked = kernel_text(text)
    assert blanked.startswith('extern "C" int other();')
    assert "extern" not in blanked.split("\n")[1]
    assert blanked.index("__global__") == text.index("__global__")


def test_functions_that_launch_never_reach_the_device() -> None:
    """Their names are the runtime's; a brace in a macro has no partner and hides nothing."""
    text = """#define OPEN {
extern "C" __global__ __aicore__ void mine(GM_ADDR x) { DataCopy(x); }
#ifndef __CCE_KT_TEST__
void mine_do(int blocks, void* stream, uint8_t* x)
{
    if (blocks) { mine<<<blocks, nullptr, stream>>>(x); }
    aclrtSynchronizeStream(stream);
}
#endif
bool after(int n) { return 1 << 2; }
"""
    shown = kernel_text(text)
    assert "aclrtSynchronizeStream" not in shown
    assert "mine_do" not in shown
    assert "DataCopy(x);" in shown
    kept = [line for line in shown.split("\n") if line.strip()]
    assert kept[2:] == [
        "#ifndef __CCE_KT_TEST__",
        "#endif",
        "bool after(int n) { return 1 << 2; }",
    ]
    assert [len(line) for line in shown.split("\n")] == [
        len(line) for line in text.split("\n")
    ]


def test_the_kernel_source_is_the_one_cann_would_compile() -> None:
    assert (
        kernel_source({"op_kernel/a.cpp": "", "op_kernel/b.cpp": ""}, "b")
        == "op_kernel/b.cpp"
    )
    assert kernel_source({"op_kernel/only.cpp": ""}, "b") == "op_kernel/only.cpp"
    assert kernel_source({"op_kernel/a.cpp": "", "op_kernel/c.cpp": ""}, "b") is None


def test_an_assert_that_is_no_statement_is_noticed() -> None:
    assert not leans_on_empty_assert(
        "void f() { ASSERT(g(1) && 2); if (a) {} ASSERT(c); // ASSERT(d)\n }"
    )
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
    files = {
        "op_host/a_tiling.h": shared,
        "op_host/b_tiling.h": other,
        "op_kernel/mine.cpp": "",
    }
    lines = tiling_lines(files, "Mine")
    text = "\n".join(lines)
    assert "set_means" not in text
    assert "sizes = 3" not in text  # a variable that is called like a field
    assert "Other" not in text
    assert (
        text.index("WIDTH = 4")
        < text.index("(Part)")
        < text.index("COLUMNS }")
        < text.index("(Whole)")
    )
    assert "REGISTER_TILING_DATA_CLASS(Mine, Whole)" in lines
    assert '#line 9 "op_host/a_tiling.h"' in lines
    # A header that the kernel includes by itself must not be declared twice.
    files["op_kernel/mine.cpp"] = '#include "../op_host/a_tiling.h"\n'
    assert tiling_lines(files, "Mine") == ['#include "op_host/a_tiling.h"']


def test_a_struct_that_is_switched_off_is_not_the_tiling_data() -> None:
    host = """#if 0
BEGIN_TILING_DATA_DEF(AbsMathTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;
#else
BEGIN_TILING_DATA_DEF(AbsMathTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tileNum);
END_TILING_DATA_DEF;
#endif
REGISTER_TILING_DATA_CLASS(AbsMath, AbsMathTilingData)
"""
    lines = "\n".join(tiling_lines({"op_host/abs_tiling.h": host}, "AbsMath"))
    assert "tileNum" in lines
    assert "size" not in lines
    assert '#line 6 "op_host/abs_tiling.h"' in lines


def test_the_entry_for_another_core_is_not_the_one_that_is_called() -> None:
    text = """#if __CCE_AICORE__ == 310
template <int a, int b>
__global__ __aicore__ void mine(GM_ADDR x, GM_ADDR more, GM_ADDR w, GM_ADDR t) {}
#else
template <uint32_t key>
__global__ __aicore__ void mine(GM_ADDR x, GM_ADDR w, GM_ADDR t) {}
#endif
"""
    files = {"op_kernel/mine.cpp": text}
    assert entry_parameters(text, "mine") == 3
    assert entry_template(files, "op_kernel/mine.cpp", "mine") == ["uint32_t key"]


def test_the_entry_may_divide_its_name_otherwise() -> None:
    entry = 'extern "C" __global__ __aicore__ void {}(GM_ADDR x) {{}}'
    assert (
        entry_name(entry.format("apply_adam_w_v2"), "apply_adam_wv2")
        == "apply_adam_w_v2"
    )
    assert entry_name(entry.format("other") + entry.format("mine"), "mine") == "mine"
    assert entry_name(entry.format("other"), "mine") == "mine"


def test_sources_of_the_aclnn_interface_are_not_the_host_side() -> None:
    files = {
        "op_host/mine.cpp": "OP_ADD(Mine);",
        "op_host/aclnn_mine.cpp": '#include "opdev/op_log.h"\nint a;',
        "op_host/mine_proto.cpp": '#include "aclnn/opdev/op_log.h"\nIMPL_OP_INFERSHAPE(Mine);',
        "op_host/mine_tiling.h": "",
        "op_kernel/mine.cpp": "",
    }
    assert host_sources(files) == ["op_host/mine.cpp", "op_host/mine_proto.cpp"]


def test_an_input_changed_in_place_has_one_kernel_argument() -> None:
    read = {"op_host/mine.cpp": 'this->Input("x"); this->AICore();'}
    both = {"op_host/mine.cpp": 'this->Input("x"); this->Output("x");'}
    made_by_macros = {"op_host/mine.cpp": "OPDEF_TENSORLIST(Input, x)"}
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
        Names("A", "a"),
        files,
        "op_kernel/a.cpp",
        [("self", "float16")],
        [("out", "bfloat16")],
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
    text = kernel_glue(Names("A", "a"), files, "op_kernel/a.cpp", in_place, in_place)
    assert "#define DTYPE_OUT_REF half" in text


def test_structs_that_name_each_other_are_followed_once() -> None:
    """Each names all behind it: the paths from the first to the last are 2 to the power of 38."""
    names = [f"S{at}" for at in range(40)]
    host = "".join(
        f"BEGIN_TILING_DATA_DEF({name})\n// {name}\n"
        + "".join(
            f"  TILING_DATA_FIELD_DEF_STRUCT({other}, {other.lower()});\n"
            for other in names[at + 1 :]
        )
        + "END_TILING_DATA_DEF;\n"
        for at, name in enumerate(names)
    )
    files = {
        "op_host/a.cpp": f"{host}REGISTER_TILING_DATA_CLASS(A, S0)\n",
        "op_kernel/a.cpp": "",
    }
    text = "\n".join(tiling_lines(files, "A"))
    assert text.index("DEF(S39)") < text.index("DEF(S1)") < text.index("DEF(S0)")


def test_a_chain_of_constants_may_be_long() -> None:
    count = 4000
    constants = "".join(f"constexpr int C{at} = C{at + 1};\n" for at in range(count))
    host = (
        f"constexpr int C{count} = 1;\n{constants}BEGIN_TILING_DATA_DEF(S)\n"
        "  TILING_DATA_FIELD_DEF_ARR(int32_t, C0, sizes);\nEND_TILING_DATA_DEF;\n"
    )
    files = {"op_host/a.cpp": host, "op_kernel/a.cpp": ""}
    text = "\n".join(tiling_lines(files, "A"))
    assert text.index(f"C{count} = 1") < text.index("C1 = C2") < text.index("C0 = C1")
