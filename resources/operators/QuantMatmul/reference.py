"""PyTorch definition of QuantMatmul."""

import torch


def reference(a, b, scale, per_token_scale):
    """d = (a @ b) * scale per column * per_token_scale per row; float64 holds the int32 sums exactly."""
    total = torch.matmul(a.double(), b.double())
    return total * scale * per_token_scale[:, None]
