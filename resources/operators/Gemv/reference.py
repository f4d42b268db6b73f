"""PyTorch definition of Gemv."""

import torch


def reference(a, x, y, alpha, beta):
    """out = alpha * (a @ x) + beta * y, where beta = 0 means that y is not read."""
    product = alpha * torch.mv(a, x)
    return product if beta == 0 else product + beta * y
