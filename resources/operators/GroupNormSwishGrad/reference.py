"""PyTorch definition of GroupNormSwishGrad."""

import math

import torch


def make_inputs(inputs, case, generator):
    """mean and rstd are the statistics of x, rounded to its dtype as the forward operator saves them."""
    x = inputs["x"].double()
    grouped = x.unflatten(1, (case["attributes"]["num_groups"], -1)).flatten(2)
    mean = grouped.mean(dim=-1, keepdim=True)
    variance = (grouped - mean).square().mean(dim=-1)
    inputs["mean"].copy_(mean.squeeze(-1))
    inputs["rstd"].copy_(1 / torch.sqrt(variance + 1e-5))
    return inputs


def reference(
    dy, mean, rstd, x, gamma, beta, num_groups, data_format="NCHW", swish_scale=1.0, dgamma_is_require=True,
    dbeta_is_require=True,
):
    """dx, dgamma and dbeta; those not asked for are not written."""
    samples, channels = x.shape[:2]
    groups = (samples, num_groups, channels // num_groups, math.prod(x.shape[2:]))
    scale, shift = (values.reshape(1, num_groups, -1, 1) for values in (gamma, beta))
    factor = rstd[..., None, None]
    normal = (x.reshape(groups) - mean[..., None, None]) * factor
    hidden = normal * scale + shift
    sigmoid = torch.sigmoid(swish_scale * hidden)
    inner = dy.reshape(groups) * (sigmoid + swish_scale * hidden * sigmoid * (1 - sigmoid))
    weighted = inner * scale
    first = weighted.mean(dim=(2, 3), keepdim=True)
    second = (weighted * normal).mean(dim=(2, 3), keepdim=True)
    dx = (factor * (weighted - first - normal * second)).reshape(x.shape)
    dgamma = (inner * normal).sum(dim=(0, 3)).reshape(-1)
    dbeta = inner.sum(dim=(0, 3)).reshape(-1)
    unwritten = torch.empty(gamma.shape, device="meta")
    return dx, dgamma if dgamma_is_require else unwritten, dbeta if dbeta_is_require else unwritten
