"""PyTorch definition of Triu."""

import torch


def reference(x, diagonal=0):
    """Keep j >= i + diagonal, zero the rest."""
    return torch.triu(x, diagonal)
