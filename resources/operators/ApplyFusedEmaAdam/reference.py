"""PyTorch definition of ApplyFusedEmaAdam."""

import torch


def reference(
    grad, var, m, v, s, step, lr=1e-3, ema_decay=0.9999, beta1=0.9, beta2=0.999, eps=1e-8, mode=1, bias_correction=True,
    weight_decay=0.0,
):
    """New values of var, m, v and s."""
    count = int(step)
    first, second = (1 - beta1**count, 1 - beta2**count) if bias_correction else (1.0, 1.0)
    if mode == 0:
        grad = grad + weight_decay * var
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    update = (m / first) / (torch.sqrt(v / second) + eps)
    if mode == 1:
        update = update + weight_decay * var
    var = var - lr * update
    return var, m, v, ema_decay * s + (1 - ema_decay) * var
