"""The calls that kernels and simulators know by number, so that a kernel that makes them compiles nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.judge.building.wired_calls import usual_symbols, wired_calls
from tools.usual_calls import LIST, list_text, symbols_of_kernels


def test_the_list_is_as_its_tool_writes_it() -> None:
    text = LIST.read_text()
    assert list_text(usual_symbols(text)) == text, "run `python -m tools.usual_calls`"


@pytest.mark.slow
def test_kernels_of_ours_make_no_other_calls(tmp_path: Path) -> None:
    made = symbols_of_kernels(["AbsMath", "TopKV3", "BatchedMatmul"], tmp_path)
    assert len(wired_calls(made)) > len(("Abs", "TopK", "Mmad"))
    assert wired_calls(made, usual_symbols(LIST.read_text())) == []


@pytest.mark.parametrize(
    "symbol",
    [
        '_ZZN4twin1fEvE9twin_call"); int evil = 1; //E9twin_call',
        "_ZZN4twin1fEvE9twin_call\n",
        "_ZZN7AscendC2\u00e4bEvE9twin_call",
        "_ZZN4mine3AbsEvE9twin_call",
    ],
)
def test_names_that_no_function_of_the_api_has_are_no_calls(symbol: str) -> None:
    assert wired_calls([symbol]) == []


def test_a_parameter_that_only_chooses_an_overload_has_a_name() -> None:
    """`DataCopy<float, half, void>`: half into the bias table, with widening."""
    tensors = "RKNS_11LocalTensorIT_EERKNS1_IT0_EE"
    tail = "RKNS_14DataCopyParamsERKN4twin4SiteEE9twin_call"
    (call,) = wired_calls([f"_ZZN7AscendC8DataCopyIf4halfvEEv{tensors}{tail}"])
    assert call.function == "AscendC::DataCopy<float, half, void>"
