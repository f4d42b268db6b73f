"""PyTorch definition of ApplyAdamWV2."""

import torch


def reference(
    var, m, v, grad, step, max_grad_norm=None, lr=0.1, beta1=0.1, beta2=0.1, weight_decay=0.1, eps=0.1, amsgrad=False,
    maximize=False,
):
    """New values of var, m, v and max_grad_norm; without amsgrad the last is not written."""
    count = float(step) + 1
    gradient = -grad if maximize else grad
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    bound = torch.maximum(max_grad_norm, v) if amsgrad else torch.empty(v.shape, device="meta")
    second = bound if amsgrad else v
    denominator = torch.sqrt(second / (1 - beta2**count)) + eps
    var = var * (1 - lr * weight_decay) - lr / (1 - beta1**count) * m / denominator
    return var, m, v, bound
