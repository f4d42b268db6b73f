"""PyTorch definition of MatmulAdd."""

import torch


def reference(a, b, c):
    """d = a @ b + c."""
    return torch.matmul(a, b) + c
