"""PyTorch definition of HcPost."""

import torch


def reference(x, residual, post, comb):
    """Output of the layer spread over the streams plus the old streams mixed by comb."""
    return post[..., None] * x[:, None] + torch.einsum("tij,tid->tjd", comb, residual.to(comb.dtype))
