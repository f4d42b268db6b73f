"""PyTorch definition of Tril."""

import torch


def reference(x, diagonal=0):
    """Keep j <= i + diagonal, zero the rest."""
    return torch.tril(x, diagonal)
