"""PyTorch definition of BatchedMatmul."""

import torch


def reference(a, b):
    """c[t] = a[t] @ b[t]."""
    return torch.bmm(a, b)
