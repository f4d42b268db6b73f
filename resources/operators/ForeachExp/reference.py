"""PyTorch definition of ForeachExp."""

import torch


def reference(x):
    """y[i] = exp(x[i])."""
    return [torch.exp(tensor) for tensor in x]
