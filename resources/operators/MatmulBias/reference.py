"""PyTorch definition of MatmulBias."""

import torch


def reference(a, b, bias):
    """d = a @ b + bias, the bias added to every row."""
    return torch.matmul(a, b) + bias
