"""PyTorch definition of RmsNorm."""

import torch


def reference(x, gamma, epsilon=1e-6):
    """y = x / sqrt(mean(x^2) + epsilon) * gamma over the last dimension; rstd is returned beside it."""
    rstd = 1 / torch.sqrt(torch.mean(x * x, dim=-1, keepdim=True) + epsilon)
    return x * rstd * gamma, rstd
