"""PyTorch definition of ClipByValue."""

import torch


def reference(x, clip_value_min, clip_value_max):
    """y = min(max(x, clip_value_min), clip_value_max)."""
    return torch.minimum(torch.maximum(x, clip_value_min), clip_value_max)
