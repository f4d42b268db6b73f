"""PyTorch definition of CrossEntropyLoss."""

import torch


def reference(
    input, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0, return_zloss=False,
):
    """loss, log_prob, zloss and lse_for_zloss."""
    classes = input.shape[1]
    weight = input.new_ones(classes) if weight is None else weight
    lse = torch.logsumexp(input, dim=1)
    log_prob = input - lse[:, None]
    counted = torch.ones_like(lse)
    if ignore_index >= 0:
        counted = (target != ignore_index).to(lse.dtype)
    own_weight = weight[target] * counted
    nll = -own_weight * log_prob.gather(1, target[:, None])[:, 0]
    smooth = -(weight * log_prob).sum(dim=1) * counted
    loss = (1 - label_smoothing) * nll + label_smoothing / classes * smooth
    if reduction != "none":
        loss = loss.sum() / (own_weight.sum() if reduction == "mean" else 1)
    zloss = lse_square_scale_for_zloss * (lse**2).mean().reshape(1)
    return loss, log_prob, zloss if return_zloss else torch.zeros_like(zloss), lse
