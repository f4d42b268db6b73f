"""PyTorch definition of PreLayerNorm."""

import torch


def reference(x, y, gamma, beta, epsilon):
    """Layer normalisation of x + y over the last dimension."""
    return torch.nn.functional.layer_norm(x + y, x.shape[-1:], gamma, beta, epsilon)
