"""PyTorch definition of AbsMath."""

import torch


def reference(x):
    """y = |x|, element by element."""
    return torch.abs(x)
