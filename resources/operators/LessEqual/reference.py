"""PyTorch definition of LessEqual."""

import torch


def reference(x1, x2):
    """y = (x1 <= x2)."""
    return torch.le(x1, x2)
