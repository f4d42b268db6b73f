"""PyTorch definition of ForeachZeroInplace."""

import torch


def reference(x):
    """New value of every tensor: zeros."""
    return [torch.zeros_like(tensor) for tensor in x]
