"""PyTorch definition of BasicMatmul."""

import torch


def reference(a, b):
    """c = a @ b."""
    return torch.matmul(a, b)
