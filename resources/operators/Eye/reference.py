"""PyTorch definition of Eye."""

import torch

UNREAD = ("y",)  # the buffer that is overwritten


def reference(y, num_rows, num_columns=0, batch_shape=(), dtype=0):
    """Identity matrices in the shape batch_shape + [num_rows, num_columns]."""
    one = torch.eye(num_rows, num_columns or num_rows, dtype=y.dtype, device=y.device)
    return one.expand(*batch_shape, *one.shape)
