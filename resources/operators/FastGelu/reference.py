"""PyTorch definition of FastGelu."""

import torch


def reference(x):
    """y = x * sigmoid(1.702 * x)."""
    return x * torch.sigmoid(1.702 * x)
