import torch


def reference(logits, k, renormalize):
    probabilities = torch.softmax(logits, dim=-1)
    ordered = torch.sort(probabilities, dim=-1, descending=True, stable=True)
    weights, experts = ordered.values[:, :k], ordered.indices[:, :k]
    if renormalize:
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights, experts.int()
