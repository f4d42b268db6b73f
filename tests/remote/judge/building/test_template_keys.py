"""Tiling keys made of template arguments: op_host names an instance, the twin runs that one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import Candidate
from remote.judge.building.glue import entry_template, kernel_text
from remote.judge.judge import Judge
from tests.remote.helpers import HOST, KERNEL, TWIN, edited, job, judge_job, operator

KEYS = """\
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(AbsMath,
    ASCENDC_TPL_DATATYPE_DECL(D_T, C_DT_FLOAT16, C_DT_FLOAT),
    ASCENDC_TPL_UINT_DECL(PARTS, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_MIX, 1, 0, 2, 7, 5),
    ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1),
);
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_DATATYPE_SEL(D_T, C_DT_FLOAT16), ASCENDC_TPL_UINT_SEL(PARTS, ASCENDC_TPL_UI_LIST, 1),
        ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1), ),
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_BOOL_SEL(NEGATE, 0), ASCENDC_TPL_DATATYPE_SEL(D_T, C_DT_FLOAT),
        ASCENDC_TPL_UINT_SEL(PARTS, ASCENDC_TPL_UI_LIST, 2, 5), ), );
"""
ENTRY = 'extern "C" __global__ __aicore__ void abs_math('
TEMPLATE = """\
template <typename D_T, int PARTS, bool NEGATE>
__global__ __aicore__ void abs_math("""
CHECKED = """\
    static_assert(sizeof(D_T) == 2 ? PARTS == 1 : PARTS == 2 || PARTS == 5, "an instance nobody selected");
    if (PARTS != 5 || NEGATE) return;
    KernelAbsMath op;"""


DECLARED = "C_DT_FLOAT16, C_DT_FLOAT)"
FOLLOWS_OUTPUT = "C_DT_FLOAT16, C_DT_FLOAT, ASCENDC_TPL_OUTPUT(0))"
ONLY_FLOAT = 'static_assert(sizeof(D_T) == 4, "an instance of another type");'


def with_key(key: str, keys: str = KEYS, check: str = "", times: int = 1) -> Candidate:
    """AbsMath as a template whose instance for float and five parts alone computes.

    Args:
        key: The key that op_host sets.
        keys: Text of the header of the keys.
        check: What the kernel asserts of its instances besides.
        times: How often the kernel includes that header.
    """
    tiled = "tiling.SaveToBuffer(context->GetRawTilingData()"
    changed = edited(
        (KERNEL, ENTRY, f"{TEMPLATE}"),
        (KERNEL, "    KernelAbsMath op;", f"{check}{CHECKED}"),
        (
            HOST,
            tiled,
            f"const uint32_t parts = 5;\n    context->SetTilingKey({key});\n    {tiled}",
        ),
    )
    include = '#include "../op_kernel/abs_math_key.h"\n'
    often = {HOST: 1, KERNEL: times}
    files = {
        path: include * often.get(path, 0) + text
        for path, text in changed.files.items()
    }
    return Candidate({**files, "op_kernel/abs_math_key.h": keys})


def judged(cache: Path, candidate: Candidate) -> dict[str, Any]:
    wanted = ["aligned-float32"]
    return judge_job(
        Judge(cache, TWIN, workers=2), job(operator(), candidate, cache, wanted)
    )


@pytest.mark.system
def test_the_instance_of_the_key_runs(build_cache: Path) -> None:
    # The first parameter is lowest; UINT stands as its place among 0, 1, 2, 7, 5.
    same = "GET_TPL_TILING_KEY(0, parts, 0) == (0u | 4u << 8 | 0u << 12) ? GET_TPL_TILING_KEY(0, parts, 0) : 99"
    right = judged(build_cache, with_key(same))
    assert (right["verdict"], right["cause"]) == ("pass", "")


@pytest.mark.system
def test_a_key_without_an_instance_is_told(build_cache: Path) -> None:
    # 7 is declared, but no selection has it.
    wrong = judged(build_cache, with_key("GET_TPL_TILING_KEY(0, 7, 0)"))
    assert wrong["verdict"] == "fail-run"
    said = [finding["message"] for finding in wrong["findings"]]
    assert any(
        "belongs to none of the 4 instances that ASCENDC_TPL_SEL names" in text
        for text in said
    )


@pytest.mark.system
def test_only_instances_of_the_output_s_type_are_compiled(build_cache: Path) -> None:
    """CANN, "模板参数定义", ASCENDC_TPL_DATATYPE_DECL; the header stands in the kernel twice, without a guard."""
    keys = KEYS.replace(DECLARED, FOLLOWS_OUTPUT)
    assert keys != KEYS
    candidate = with_key("GET_TPL_TILING_KEY(0, parts, 0)", keys, ONLY_FLOAT, times=2)
    right = judged(build_cache, candidate)
    assert (right["verdict"], right["cause"]) == ("pass", "")


@pytest.mark.system
def test_a_key_of_another_type_has_no_kernel(build_cache: Path) -> None:
    keys = KEYS.replace(DECLARED, FOLLOWS_OUTPUT.replace("OUTPUT", "INPUT"))
    wrong = judged(build_cache, with_key("GET_TPL_TILING_KEY(1, 1, 0)", keys))
    assert wrong["verdict"] == "fail-run"
    messages = [finding["message"] for finding in wrong["findings"]]
    assert any("compiled for these data types" in text for text in messages)


def test_template_parameters_of_an_entry_are_read() -> None:
    text = (
        f"{TEMPLATE}GM_ADDR x) {{}}\n__global__ __aicore__ void other(GM_ADDR x) {{}}\n"
    )
    files = {KERNEL: text, "op_kernel/abs_math_key.h": KEYS}
    assert entry_template(files, KERNEL, "abs_math") == [
        "typename D_T",
        "int PARTS",
        "bool NEGATE",
    ]
    assert entry_template(files, KERNEL, "other") == []
    chosen = text.replace(
        "template <", "#if A\ntemplate <int A, int B>\n#else\ntemplate <", 1
    ).replace("__global__", "#endif\n__global__", 1)
    assert len(entry_template({**files, KERNEL: chosen}, KERNEL, "abs_math")) == 3


def test_an_entry_for_cann_s_cpu_debugging_is_not_the_kernel() -> None:
    debugged = "__global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR extra) {}\n"
    device = f"{TEMPLATE}GM_ADDR x) {{}}\n"
    text = f"#ifdef __CCE_KT_TEST__\n{debugged}#else\n{device}#endif\n"
    files = {KERNEL: text, "op_kernel/abs_math_key.h": KEYS}
    assert len(entry_template(files, KERNEL, "abs_math")) == 3
    turned = f"#ifndef __CCE_KT_TEST__\n{device}#else\n{debugged}#endif\n"
    assert len(entry_template({**files, KERNEL: turned}, KERNEL, "abs_math")) == 3


def test_device_attributes_behind_inline_are_left_out() -> None:
    assert kernel_text(
        "#define BOTH __forceinline__[host, aicore]\nint a = b[aicore];"
    ) == ("#define BOTH __forceinline__              \nint a = b[aicore];")
