"""Bindings of imported tasks, followed in Python: rooms of the outputs and what is handed back."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
import torch

from core.operators.importers.binding_translation import translate_binding

ROOMS = runpy.run_path(
    str(Path(__file__).parents[3] / "resources/importers/npukernelbench_binding.py")
)


def follow(text: str, *arguments: Any) -> Any:
    """What `bound` of a binding does with `arguments`; None when that cannot be told."""
    return ROOMS["run"](translate_binding(text), "bound", list(arguments))


def shapes(ran: Any) -> list[Any]:
    return [
        list(value.shape) if isinstance(value, ROOMS["Room"]) else value
        for value in ran.arguments
    ]


def test_sizes_are_computed_as_the_binding_computes_them() -> None:
    text = """
        #include <torch/extension.h>
        /* a comment with { a brace */
        std::vector<at::Tensor> bound(at::Tensor &x, c10::optional<at::Tensor> bias, const std::string& mode,
                                      int64_t axis = -1)
        {
            std::vector<int64_t> half_sizes = x.sizes().vec();
            half_sizes.back() /= 2;
            int64_t rows = 1;
            for (size_t i = 0; i < x.dim() - 1; ++i) {
                rows *= x.sizes()[i];  // all but the last
            }
            auto options = torch::TensorOptions().dtype(torch::kFloat).device(x.device());
            at::Tensor y = torch::empty(half_sizes, x.options().dtype(torch::kInt8));
            int64_t few = rows > 4 ? 4 : (int64_t)rows;
            at::Tensor scale;
            if (mode == "row" && bias.has_value()) {
                scale = at::zeros({rows, static_cast<int64_t>(1)}, options);
            } else
                scale = at::empty({few}, options);
            TORCH_CHECK(x.dim() > 1, "rank {", 2);
            const char* mode_text = mode.c_str();
            EXEC_NPU_CMD(aclnnCustomOp, x, bias, mode_text, axis, y, scale);
            return {y, scale};
        }
        PYBIND11_MODULE(kernel_gen_ops, m) { m.def("bound", &bound, ""); }
    """
    ran = follow(text, torch.ones(2, 3, 8), torch.ones(8), "row")
    assert shapes(ran) == [[2, 3, 8], [8], "row", -1, [2, 3, 4], [6, 1]]
    assert [value.zero for value in ran.arguments[-2:]] == [False, True]
    assert [ran.position(place) for place in (4, 5, 0)] == [0, 1, -1]
    assert shapes(follow(text, torch.ones(2, 3, 8), None, "row", 1))[-3:] == [
        1,
        [2, 3, 4],
        [4],
    ]


@pytest.mark.parametrize(("more", "positions"), [(True, [1, 0]), (False, [0, -1])])
def test_what_is_handed_back_depends_on_the_arguments(
    more: bool, positions: list[int]
) -> None:
    ran = follow(
        """
        void inner(at::Tensor x, at::Tensor a, at::Tensor b) { EXEC_NPU_CMD(aclnnInner, x, a, b); }
        std::vector<at::Tensor> bound(at::Tensor x, bool more) {
            at::Tensor a = torch::empty_like(x);
            at::Tensor b = torch::empty({}, x.options());
            b.fill_(0.0);
            inner(x, a, b);
            std::vector<at::Tensor> result;
            if (more) { result.push_back(b); }
            result.push_back(a);
            return result;
        }
        """,
        torch.ones(3),
        more,
    )
    assert [ran.position(place) for place in (1, 2)] == positions
    assert (shapes(ran), ran.arguments[2].zero) == ([[3], [3], []], True)


def test_a_part_of_a_tensor_is_that_tensor() -> None:
    ran = follow(
        """
        at::Tensor bound(at::Tensor &x, at::Tensor &mask) {
            auto shape = at::infer_size(x.sizes(), mask.sizes());
            int64_t size = 1;
            for (auto dim : shape) size *= dim;
            at::Tensor out = torch::empty({size}, x.options());
            EXEC_NPU_CMD(aclnnCustomOp, x, mask, out);
            int64_t selected = mask.sum().item<int64_t>();
            return out.narrow(0, 0, selected);
        }
        """,
        torch.ones(4, 1),
        torch.ones(3),
    )
    assert (shapes(ran)[2], ran.position(2)) == ([12], 0)


@pytest.mark.parametrize(
    "line",
    [
        "while (true) { x.numel(); }",
        "auto f = [&](int i) { return i; };",
        "at::Tensor made = unknown_function(x);",
        "for (int i = 8; i > 0; --i) { x.numel(); }",
    ],
)
def test_other_code_is_left_alone(line: str) -> None:
    text = f"at::Tensor bound(at::Tensor x) {{ {line} EXEC_NPU_CMD(aclnnCustomOp, x, x); return x; }}"
    assert follow(text, torch.ones(2)) is None


def test_a_call_that_is_not_reached_tells_nothing() -> None:
    text = "at::Tensor bound(at::Tensor x) { if (x.dim() > 4) { EXEC_NPU_CMD(aclnnCustomOp, x); } return x; }"
    assert follow(text, torch.ones(2)) is None


def test_a_call_without_arguments_stops_nothing() -> None:
    assert "npu_call()" in translate_binding("void bound() { EXEC_NPU_CMD(); }")
