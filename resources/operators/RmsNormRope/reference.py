"""PyTorch definition of RmsNormRope."""

import torch


def turn(v, rotary_mode):
    """A quarter turn of every pair of columns: (first, second) becomes (-second, first)."""
    if rotary_mode == "half":
        first, second = v.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
    pairs = v.unflatten(-1, (-1, 2))
    return torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)


def reference(x, gamma, cos, sin, epsilon=1e-6, rotary_mode="half"):
    """Every head normalised, scaled by gamma and rotated by the angle of its token."""
    normalised = x / torch.sqrt(torch.mean(x * x, dim=-1, keepdim=True) + epsilon) * gamma
    return normalised * cos[:, None] + turn(normalised, rotary_mode) * sin[:, None]
