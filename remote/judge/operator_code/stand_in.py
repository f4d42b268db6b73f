"""Lets the code of imported tasks run where there is no NPU: `torch_npu` and `.npu()` then mean the CPU.

Benchmarks import `torch_npu` at the top of their files and move tensors to `npu` or, through its transfer
layer, `cuda`. With the real package installed nothing is changed.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

_DEVICES = ("npu", "cuda")
_MAKERS = "empty zeros ones full rand randn randint arange tensor randperm eye"


def install() -> None:
    """Put the stand-ins in place, once; they stay for the life of the process."""
    if "torch_npu" in sys.modules or importlib.util.find_spec("torch_npu") is not None:
        return
    package = types.ModuleType("torch_npu")
    contrib = types.ModuleType("torch_npu.contrib")
    transfer = types.ModuleType("torch_npu.contrib.transfer_to_npu")
    contrib.transfer_to_npu = transfer  # type: ignore[attr-defined]
    package.contrib, package.npu = contrib, _npu()  # type: ignore[attr-defined]
    for module in (package, contrib, transfer):
        sys.modules[module.__name__] = module
    if not hasattr(torch, "npu"):
        torch.npu = package.npu  # type: ignore[attr-defined]
    for owner in (torch.Tensor, torch.nn.Module):
        for name in _DEVICES:
            setattr(owner, name, _same)
        setattr(owner, "to", _on_cpu(owner.to))  # noqa: B010 - assigning a method is what is meant
    for name in _MAKERS.split():
        setattr(torch, name, _on_cpu(getattr(torch, name)))
    for name in ("rand", "randn", "rand_like", "randn_like"):
        setattr(torch, name, _drawing_integers(getattr(torch, name)))
    for name in ("uniform_", "normal_"):
        setattr(torch.Tensor, name, _filling_integers(getattr(torch.Tensor, name)))
    _install_framework()


def _npu() -> types.ModuleType:
    """`torch.npu` of a machine that has none."""
    module = types.ModuleType("torch.npu")
    answers: dict[str, Callable[..., Any]] = {
        "is_available": lambda: False,
        "device_count": lambda: 0,
        "current_device": lambda: 0,
        "synchronize": lambda *_: None,
        "set_device": lambda *_: None,
        "empty_cache": lambda: None,
        "manual_seed": torch.manual_seed,
        "manual_seed_all": torch.manual_seed,
    }
    for name, answer in answers.items():
        setattr(module, name, answer)
    return module


def _same(self: Any, *_args: object, **_options: object) -> Any:
    """Stands for `.npu()` and `.cuda()`."""
    return self


def _is_device(value: object) -> bool:
    return isinstance(value, str) and value.split(":")[0] in _DEVICES


def _on_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with the names of accelerators read as the CPU."""

    @functools.wraps(function)
    def call(*arguments: object, **options: object) -> Any:
        cpu = {
            key: "cpu" if _is_device(value) else value for key, value in options.items()
        }
        return function(
            *("cpu" if _is_device(value) else value for value in arguments), **cpu
        )

    return call


def _is_integer(dtype: object) -> bool:
    return (
        isinstance(dtype, torch.dtype)
        and not dtype.is_floating_point
        and not dtype.is_complex
    )


def _drawing_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same generator, which on an NPU also gives integers: real numbers cut off towards zero."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        like = (
            arguments[0].dtype
            if arguments and isinstance(arguments[0], torch.Tensor)
            else None
        )
        dtype = options.get("dtype") or like
        if not _is_integer(dtype):
            return function(*arguments, **options)
        return function(*arguments, **{**options, "dtype": torch.float32}).to(dtype)

    return call


def _filling_integers(method: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, which on an NPU also fills tensors of integers: real numbers cut off towards zero."""

    @functools.wraps(method)
    def call(self: torch.Tensor, *arguments: Any, **options: Any) -> Any:
        if not _is_integer(self.dtype):
            return method(self, *arguments, **options)
        return self.copy_(method(torch.empty(self.shape), *arguments, **options))

    return call


def _install_framework() -> None:
    """NPUKernelBench's checkers call its harness; this is the one function they use."""
    if "framework" in sys.modules:
        return
    framework = types.ModuleType("framework")
    utils = types.ModuleType("framework.utils")
    utils.check_precision = check_precision  # type: ignore[attr-defined]
    framework.utils = utils  # type: ignore[attr-defined]
    sys.modules["framework"], sys.modules["framework.utils"] = framework, utils


def check_precision(
    outputs: torch.Tensor | Sequence[torch.Tensor],
    outputs_new: torch.Tensor | Sequence[torch.Tensor],
    max_abs_error: float,
    max_rel_error: float,
) -> tuple[int, torch.Tensor, torch.Tensor]:
    """The benchmark's default rule: an element fails when both errors exceed their limit or it is not finite.

    Returns:
        1 or 0, and the flat absolute and relative errors of all outputs.
    """
    expected_outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    got = [outputs_new] if isinstance(outputs_new, torch.Tensor) else list(outputs_new)
    absolute, relative, passed = [], [], True
    for expected, actual in zip(expected_outputs, got, strict=True):
        reference = expected.int() if actual.dtype == torch.bool else expected
        difference = (
            (actual.int() if actual.dtype == torch.bool else actual) - reference
        ).abs()
        share = difference / (reference.abs() + 1e-7)
        finite = torch.isfinite(reference) & torch.isfinite(difference)
        exceeded = (difference > max_abs_error) & (share > max_rel_error)
        passed = passed and bool(finite.all()) and not bool(exceeded.any())
        absolute.append(difference.reshape(-1))
        relative.append(share.reshape(-1))
    return int(passed), torch.cat(absolute), torch.cat(relative)
