"""PyTorch definition of LayerNormV4."""

import torch

UNREAD = ("normalized_shape",)  # only its length matters, its values repeat the shape of x


def reference(x, normalized_shape, gamma=None, beta=None, epsilon=1e-5):
    """y, mean and rstd over the trailing dimensions."""
    trailing = tuple(range(x.dim() - len(normalized_shape), x.dim()))
    mean = x.mean(dim=trailing, keepdim=True)
    rstd = 1 / torch.sqrt(((x - mean) ** 2).mean(dim=trailing, keepdim=True) + epsilon)
    y = (x - mean) * rstd
    y = y if gamma is None else y * gamma
    return y if beta is None else y + beta, mean, rstd
