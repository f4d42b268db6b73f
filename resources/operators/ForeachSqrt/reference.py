"""PyTorch definition of ForeachSqrt."""

import torch


def reference(x):
    """y[i] = sqrt(x[i])."""
    return [torch.sqrt(tensor) for tensor in x]
