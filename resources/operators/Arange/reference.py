"""PyTorch definition of Arange."""

import math

import torch


def reference(start, end, step):
    """start + i * step up to, but without, end."""
    count = max(0, math.ceil((end.item() - start.item()) / step.item()))
    return start + torch.arange(count, dtype=start.dtype, device=start.device) * step
