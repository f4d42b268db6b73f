"""PyTorch definition of CrossEntropyLossGrad."""

import torch


def make_inputs(inputs, case, generator):
    """log_prob is a log softmax of the numbers drawn for it."""
    drawn = inputs["log_prob"]
    drawn.copy_(torch.log_softmax(3 * drawn.double(), dim=1))
    return inputs


def reference(
    grad_loss, log_prob, target, weight=None, grad_zloss=None, lse_for_zloss=None, reduction="mean", ignore_index=-100,
    label_smoothing=0.0, lse_square_scale_for_zloss=0.0,
):
    """Gradient with respect to the logits."""
    rows, classes = log_prob.shape
    probability = log_prob.exp()
    weight = log_prob.new_ones(classes) if weight is None else weight
    counted = log_prob.new_ones(rows)
    if ignore_index >= 0:
        counted = (target != ignore_index).to(log_prob.dtype)
    own_weight = weight[target] * counted
    upstream = grad_loss.expand(rows) * counted
    if reduction == "mean":
        upstream = upstream / own_weight.sum()
    hit = torch.nn.functional.one_hot(target, classes).to(log_prob.dtype)
    nll = (upstream * (1 - label_smoothing) * own_weight)[:, None] * (probability - hit)
    smooth = (upstream * label_smoothing / classes)[:, None] * (probability * weight.sum() - weight)
    result = nll + smooth
    if grad_zloss is not None and lse_for_zloss is not None:
        result = result + (grad_zloss * lse_square_scale_for_zloss * 2 / rows * lse_for_zloss)[:, None] * probability
    return result
