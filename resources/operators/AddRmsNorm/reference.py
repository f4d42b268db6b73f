"""PyTorch definition of AddRmsNorm."""

import torch


def reference(x1, x2, gamma, epsilon=1e-6):
    """y, rstd and the sum."""
    hidden = x1 + x2
    rstd = 1 / torch.sqrt(torch.mean(hidden * hidden, dim=-1, keepdim=True) + epsilon)
    return hidden * rstd * gamma, rstd, hidden
