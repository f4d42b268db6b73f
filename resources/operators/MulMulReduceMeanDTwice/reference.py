"""PyTorch definition of MulMulReduceMeanDTwice."""

import torch


def reference(mul0_input0, mul0_input1, mul1_input0, add_y, gamma, beta):
    """The triple product, normalised over the last dimension."""
    product = mul0_input0 * mul0_input1 * mul1_input0
    mean = product.mean(dim=-1, keepdim=True)
    variance = ((product - mean) ** 2).mean(dim=-1, keepdim=True)
    return beta + gamma / torch.sqrt(variance + add_y) * (product - mean)
