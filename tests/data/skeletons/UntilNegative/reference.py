"""Reference."""

import torch


def reference(x):
    """Everything before the first negative element."""
    flat = x.reshape(-1)
    negative = torch.nonzero(flat < 0)
    return flat[: int(negative[0])] if len(negative) else flat
