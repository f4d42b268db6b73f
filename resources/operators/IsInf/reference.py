"""PyTorch definition of IsInf."""

import torch


def reference(x):
    """Infinite of either sign."""
    return torch.isinf(x)
