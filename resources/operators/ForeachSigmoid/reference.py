"""PyTorch definition of ForeachSigmoid."""

import torch


def reference(x):
    """y[i] = sigmoid(x[i])."""
    return [torch.sigmoid(tensor) for tensor in x]
