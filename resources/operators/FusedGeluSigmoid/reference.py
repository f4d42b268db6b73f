"""PyTorch definition of FusedGeluSigmoid."""

import torch


def reference(x, gate, approximate="none"):
    """y = gelu(x) * sigmoid(gate)."""
    return torch.nn.functional.gelu(x, approximate=approximate) * torch.sigmoid(gate)
