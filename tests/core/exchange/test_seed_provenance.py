"""No bank that ships was learnt from an operator it is evaluated on (paper, "Cold-start knowledge")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from core.engine.beginning import experience_of
from core.engine.shipped import mined_experiences, recorded_run
from core.exchange.seeds import cold_start_bank
from core.memory.records import CodeDiff, Experience
from core.operators.catalogue import operator_names
from core.operators.spec import plain_name

DOCUMENTS = (
    "Ascend C API reference",
    "Ascend C programming guide",
    "Ascend C best practices",
    "Ascend C debugging guide",
    "CANN operator development guide",
    "CANN API reference",
    "CANN error code reference",
    "CANN runtime",
    "torch_npu custom operator guide",
    "C++ standard",
    "IEEE 754",
    "POSIX",
    "Debugging guide among our references",
    "measured on the CPU twin",  # kernels of no operator: tests/twin/kernels/measured.cpp
)
MINED = re.compile(r"mined from an expert solution of (\w+)")

# A benchmark's name without what the benchmark added: AbsMath is Abs, GatherV3 is Gather.
ADDED = re.compile(r"^(?:Foreach|Inplace|Apply)(?=[A-Z])|(?:V\d|X|Op|Math|Custom)+$")
# What projects put around an operator's name: KernelAbs, LerpTilingData, abs_custom.
AROUND = re.compile(r"^kernel|(?:tilingdata|tiling|kernel|custom)+$")
# Other names of evaluated operators, in prose and in code.
ALIASES = {
    "softmax": "InplaceAttnSoftmax",
    "silu": "Swish",
    "sigmoid": "ForeachSigmoid",
    "layernorm": "LayerNormV4",
    "batchnorm": "BatchNormV3",
    "groupnorm": "GroupNormSwish",
    "clamp": "ClipByValue",
    "attention": "Mla",
    "flashattention": "FlashAttentionScoreWithLargeHeadDim",
    "rope": "RotaryPosEmbPartial",
    "mla": "Mla",
    "crossentropy": "CrossEntropyLoss",
    "mse": "MseLoss",
    "adamw": "ApplyAdamWV2",
    "topk": "TopKV3",
    "geglu": "GeGluV2",
    "arithprogression": "Arange",
    "moe": "MoeGatingTopKRemap",
}
# Instructions of Ascend C and English words: the operator only where a project or the word says so.
ALSO_SOMETHING_ELSE = {
    "abs",
    "cast",
    "cos",
    "cross",
    "equal",
    "exp",
    "eye",
    "fill",
    "gather",
    "less",
    "neg",
    "sin",
    "sqrt",
}
WORD = re.compile(r"[A-Za-z_]\w*")


def evaluated() -> dict[str, str]:
    """Plain spelling of every name an evaluated operator goes by -> its name."""
    known = {plain_name(ADDED.sub("", name)): name for name in operator_names()}
    return {**known, **ALIASES, **{plain_name(name): name for name in operator_names()}}


def operators_named(experience: Experience) -> list[str]:
    """Evaluated operators that text or code of an experience names, as `word: operator`."""
    names = evaluated()
    code = experience.code_diff
    parts = (
        experience.title,
        experience.error_message,
        experience.summary,
        experience.source,
        experience.category,
        code.wrong_code,
        code.correct_code,
    )
    found = []
    for part in parts:
        before = ""
        for word in WORD.findall(part):
            whole = plain_name(word)
            inner = AROUND.sub("", whole)
            meant = before.casefold() == "operator" or (inner != whole)
            for spelled in (whole, inner):
                if spelled in names and (meant or spelled not in ALSO_SOMETHING_ELSE):
                    found.append(f"{word}: {names[spelled]}")
            before = word
    return list(dict.fromkeys(found))


def fault_of_source(source: str) -> str:
    """What is wrong with where an experience says it comes from, empty if nothing."""
    mined = MINED.match(source)
    if mined:
        plain = plain_name(mined[1])
        operator = evaluated().get(plain) or evaluated().get(AROUND.sub("", plain))
        return f"is mined from {operator}" if operator else ""
    return (
        ""
        if source.startswith(DOCUMENTS)
        else f"names neither document nor operator: {source!r}"
    )


def banks() -> Iterator[tuple[str, Sequence[tuple[str, Experience]]]]:
    yield "seeds", cold_start_bank()
    yield "mined", mined_experiences()
    run = recorded_run()
    yield "recorded run", [(item.uid, experience_of(item)) for item in run.items]


@pytest.mark.parametrize(
    ("name", "bank"), [pytest.param(*row, id=row[0]) for row in banks()]
)
def test_every_seed_says_where_it_comes_from_and_names_no_evaluated_operator(
    name: str, bank: Sequence[tuple[str, Experience]]
) -> None:
    assert bank, name
    assert {
        uid: fault for uid, seed in bank if (fault := fault_of_source(seed.source))
    } == {}
    assert {uid: named for uid, seed in bank if (named := operators_named(seed))} == {}


def test_what_the_paper_learnt_while_it_was_evaluated_is_not_in_the_bank() -> None:
    """Items 181, 193, 139, 159 of its GatherV3 table, its Mla table, the examples of its record schemas."""
    text = "\n".join(str(seed) for _, seed in cold_start_bank())
    for learnt in (
        "device data returned by GetData",
        "ValueDepend",
        "__gm__ int64_t*",
        "GET_TILING_DATA_WITH_STRUCT",
        "ArithProgression",
        "Horner",
        "REGIST_MATMUL_OBJ",
        "KERNEL_TYPE_MIX_AIC",
        "AutoContiguous",
    ):
        assert learnt not in text, learnt


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"title": "Subtract the maximum in every softmax"}, "InplaceAttnSoftmax"),
        ({"error_message": "'class optiling::LerpTilingData' has no member"}, "Lerp"),
        ({"code_diff": CodeDiff("", "KernelEye<DTYPE_X> op;")}, "Eye"),
        ({"code_diff": CodeDiff("", "void rms_norm(GM_ADDR x)")}, "RmsNorm"),
        ({"summary": "Found while writing operator Fill."}, "Fill"),
        (
            {"summary": "As the sparse_flash_attention kernel does."},
            "SparseFlashAttention",
        ),
        ({"source": "CANN host interface; the Mla trajectory"}, "Mla"),
    ],
)
def test_the_check_finds_operators_under_their_other_names(
    changes: dict[str, object], named: str
) -> None:
    clean = replace(
        cold_start_bank()[0][1], source="Ascend C API reference, DataCopyPad"
    )
    assert operators_named(clean) == []
    assert [
        entry.split(": ")[1] for entry in operators_named(replace(clean, **changes))
    ] == [named]  # type: ignore[arg-type]


def test_a_mined_source_names_an_operator_outside_the_evaluation() -> None:
    assert fault_of_source("mined from an expert solution of Softplus by a model") == ""
    assert "Tril" in fault_of_source("mined from an expert solution of tril_custom")
    assert "AbsMath" in fault_of_source("mined from an expert solution of abs_math")
    assert "neither" in fault_of_source("differential mining on level 1 operators")
