"""Tensors as bytes, and bytes as tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import torch

from .inputs import DTYPES


def tensor_bytes(tensor: torch.Tensor) -> bytes:
    """Memory of a contiguous tensor."""
    flat = tensor.contiguous()
    size = flat.numel() * flat.element_size()
    # Not string_at: its size is a C int, which ends at 2 GiB.
    return (ctypes.c_char * size).from_address(flat.data_ptr()).raw if size else b""


def tensor_from(data: bytes | bytearray, dtype: str, shape: Sequence[int]) -> torch.Tensor:
    """A tensor from its memory."""
    if not data:
        return torch.empty(tuple(shape), dtype=DTYPES[dtype])
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(DTYPES[dtype]).reshape(tuple(shape))
