"""PyTorch definition of MulSigmoidMulAddCustom."""

import torch


def reference(input, mulscalar1, mulscalar2, addscalar3):
    """outputs = sigmoid(input * mulscalar1) * mulscalar2 + addscalar3."""
    return torch.sigmoid(input * mulscalar1) * mulscalar2 + addscalar3
