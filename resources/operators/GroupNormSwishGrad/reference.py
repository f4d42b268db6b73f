"""PyTorch definition of GroupNormSwishGrad."""

import torch


def make_inputs(inputs, case, generator):
    """mean and rstd are the statistics of x, rounded to its dtype as the forward operator saves them."""
    x = inputs["x"].double()
    grouped = x.reshape(x.shape[0], case["attributes"]["num_groups"], -1)
    mean = grouped.mean(dim=-1)
    rstd = 1 / torch.sqrt(grouped.var(dim=-1, correction=0) + 1e-5)
    dtype = inputs["x"].dtype
    return inputs | {"mean": mean.to(dtype), "rstd": rstd.to(dtype)}


def reference(
    dy, mean, rstd, x, gamma, beta, num_groups, data_format="NCHW", swish_scale=1.0, dgamma_is_require=True,
    dbeta_is_require=True,
):
    """dx, dgamma and dbeta; None for those not asked for."""
    samples, channels = x.shape[:2]
    groups = (samples, num_groups, channels // num_groups, -1)
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
    return dx, dgamma if dgamma_is_require else None, dbeta if dbeta_is_require else None
