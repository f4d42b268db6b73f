"""PyTorch definition of Fill."""

import torch


def OUTPUT_DTYPES(dtypes):
    """The dtype of the value, not that of the dimensions."""
    return (dtypes["value"],)


def reference(dims, value):
    """value, repeated in the shape dims."""
    return value.reshape(()).repeat(tuple(dims.tolist()))
