"""PyTorch definition of SplitkMatmul."""

import torch


def reference(a, b):
    """c = a @ b; how k is shared out is the kernel's business."""
    return torch.matmul(a, b)
