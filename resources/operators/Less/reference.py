"""PyTorch definition of Less."""

import torch


def reference(x1, x2):
    """y = (x1 < x2), broadcast."""
    return torch.lt(x1, x2)
