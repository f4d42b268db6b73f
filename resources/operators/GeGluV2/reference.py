"""PyTorch definition of GeGluV2."""

import torch


def reference(x, dim=-1, approximate=0, activate_left=True):
    """The product of one half with the GELU of the other, and that GELU."""
    left, right = x.chunk(2, dim=dim)
    gate, up = (left, right) if activate_left else (right, left)
    gelu = torch.nn.functional.gelu(gate, approximate="tanh" if approximate else "none")
    return gelu * up, gelu
