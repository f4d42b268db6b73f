"""PyTorch definition of Sqrt."""

import torch


def reference(x):
    """y = sqrt(x)."""
    return torch.sqrt(x)
