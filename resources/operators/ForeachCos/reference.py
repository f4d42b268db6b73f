"""PyTorch definition of ForeachCos."""

import torch


def reference(x):
    """y[i] = cos(x[i])."""
    return [torch.cos(tensor) for tensor in x]
