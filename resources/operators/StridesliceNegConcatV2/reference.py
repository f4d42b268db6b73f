"""PyTorch definition of StridesliceNegConcatV2."""

import torch


def reference(input):
    """The second half of the last dimension with its sign changed."""
    half = input.shape[-1] // 2
    return torch.cat((input[..., :half], -input[..., half:]), dim=-1)
