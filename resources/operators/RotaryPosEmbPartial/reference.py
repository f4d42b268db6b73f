"""PyTorch definition of RotaryPosEmbPartial."""

import torch


def turn(v, rotary_mode):
    """A quarter turn of every pair of columns: (first, second) becomes (-second, first)."""
    if rotary_mode == "half":
        first, second = v.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
    pairs = v.unflatten(-1, (-1, 2))
    return torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)


def reference(x, cos, sin, partial_slice, rotary_mode="half"):
    """x with the columns of the slice rotated by the angle of their token."""
    begin, end = partial_slice
    part = x[..., begin:end]
    y = x.clone()
    y[..., begin:end] = part * cos[:, None] + turn(part, rotary_mode) * sin[:, None]
    return y
