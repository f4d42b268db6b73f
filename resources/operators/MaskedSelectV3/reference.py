"""PyTorch definition of MaskedSelectV3."""

import torch


def reference(x, mask):
    """The elements of x where mask is true."""
    return torch.masked_select(x, mask)
