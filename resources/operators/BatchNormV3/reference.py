"""PyTorch definition of BatchNormV3."""

import torch


def reference(x, weight, bias, running_mean, running_var, epsilon=1e-5, momentum=0.1, is_training=True):
    """y, new running statistics, and the statistics that were used."""
    mean, variance = running_mean, running_var
    if is_training:
        others = [0, *range(2, x.dim())]
        count = x.numel() // x.shape[1]
        mean = x.mean(dim=others)
        variance = ((x - per_channel(mean, x)) ** 2).mean(dim=others)
        running_mean = (1 - momentum) * running_mean + momentum * mean
        running_var = (1 - momentum) * running_var + momentum * variance * count / (count - 1)
    rstd = 1 / torch.sqrt(variance + epsilon)
    y = (x - per_channel(mean, x)) * per_channel(rstd * weight, x) + per_channel(bias, x)
    return y, running_mean, running_var, mean, rstd


def per_channel(values, x):
    """[C] in a shape that broadcasts against [N, C, ...]."""
    return values.reshape(1, -1, *[1] * (x.dim() - 2))
