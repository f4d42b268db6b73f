"""Tensors as bytes, and bytes as tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import torch

from remote.judge.inputs.file_memory import Memory, same_addresses
from remote.judge.inputs.fills import DTYPES


def tensor_bytes(tensor: torch.Tensor) -> bytes:
    """Memory of a contiguous tensor."""
    flat = tensor.contiguous()
    size = flat.numel() * flat.element_size()
    # Not string_at: its size is a C int, which ends at 2 GiB.
    return (ctypes.c_char * size).from_address(flat.data_ptr()).raw if size else b""


def tensor_from(data: bytes | Memory, dtype: str, shape: Sequence[int]) -> torch.Tensor:
    """A tensor from its memory: in it where that can be written, else in a copy."""
    if not data:
        return torch.empty(tuple(shape), dtype=DTYPES[dtype])
    memory = bytearray(data) if isinstance(data, bytes) else data
    return (
        torch.frombuffer(memory, dtype=torch.uint8)
        .view(DTYPES[dtype])
        .reshape(tuple(shape))
    )


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors of one shape and dtype hold the same bits; False where that takes a copy to see."""
    if not (one.is_contiguous() and other.is_contiguous()):
        return False
    return same_addresses(
        one.data_ptr(), other.data_ptr(), one.numel() * one.element_size()
    )
