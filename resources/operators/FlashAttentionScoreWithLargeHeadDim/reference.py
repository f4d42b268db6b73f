"""PyTorch definition of FlashAttentionScoreWithLargeHeadDim."""

import torch


def reference(query, key, value, scale_value, head_num):
    """Softmax statistics (each repeated 8 times) and attention, head by head."""

    def heads(tensor):
        return tensor.unflatten(-1, (head_num, -1)).transpose(1, 2)

    scores = scale_value * heads(query) @ heads(key).transpose(-1, -2)
    largest = scores.max(dim=-1, keepdim=True).values
    weights = torch.exp(scores - largest)
    total = weights.sum(dim=-1, keepdim=True)
    attention = (weights @ heads(value) / total).transpose(1, 2).flatten(2)
    return largest.repeat(1, 1, 1, 8), total.repeat(1, 1, 1, 8), attention
