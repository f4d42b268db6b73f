"""PyTorch definition of Swish."""

import torch


def reference(x, scale=1.0):
    """y = x * sigmoid(scale * x)."""
    return x * torch.sigmoid(scale * x)
