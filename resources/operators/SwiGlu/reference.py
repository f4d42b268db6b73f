"""PyTorch definition of SwiGlu."""

import torch


def reference(x, dim=-1):
    """y = a * sigmoid(a) * b, where a and b are the halves of x along dim."""
    a, b = torch.chunk(x, 2, dim=dim)
    return a / (1 + torch.exp(-a)) * b
