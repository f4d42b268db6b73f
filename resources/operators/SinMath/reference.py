"""PyTorch definition of SinMath."""

import torch


def reference(x):
    """y = sin(x)."""
    return torch.sin(x)
