"""PyTorch definition of MseLoss."""

import torch


def reference(predict, label, reduction="mean"):
    """Squared difference, as it is or reduced to a scalar."""
    error = (predict - label) ** 2
    if reduction == "none":
        return error
    return torch.mean(error) if reduction == "mean" else torch.sum(error)
