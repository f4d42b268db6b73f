"""PyTorch definition of Cross."""

import torch


def reference(x1, x2, dim=-65530):
    """Cross products along dim, by default the first dimension of length 3."""
    if dim == -65530:
        dim = x1.shape.index(3)
    return torch.linalg.cross(x1, x2, dim=dim)
