"""PyTorch definition of ForeachZeroInplace."""

import torch

CONSTANT = True
UNREAD = ("x",)  # what stood there before is overwritten


def reference(x):
    """New value of every tensor: zeros."""
    return [torch.zeros_like(tensor) for tensor in x]
