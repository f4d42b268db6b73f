"""PyTorch definition of GroupNormSwish."""

import torch


def reference(x, gamma, beta, num_groups, data_format="NCHW", eps=1e-5, activate_swish=True, swish_scale=1.0):
    """y and the statistics of every group."""
    grouped = x.unflatten(1, (num_groups, -1)).flatten(2)
    mean = grouped.mean(dim=-1)
    rstd = 1 / torch.sqrt(((grouped - mean[..., None]) ** 2).mean(dim=-1) + eps)
    channels = (1, -1, *[1] * (x.dim() - 2))
    hidden = ((grouped - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    hidden = hidden * gamma.reshape(channels) + beta.reshape(channels)
    return hidden * torch.sigmoid(swish_scale * hidden) if activate_swish else hidden, mean, rstd
