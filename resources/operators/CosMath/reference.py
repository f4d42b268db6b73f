"""PyTorch definition of CosMath."""

import torch


def reference(x):
    """y = cos(x)."""
    return torch.cos(x)
