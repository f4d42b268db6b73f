"""PyTorch definition of PaddingMatmul."""

import torch


def reference(a, b):
    """c = a @ b; padding happens inside the kernel and leaves no trace."""
    return torch.matmul(a, b)
