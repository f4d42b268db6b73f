"""PyTorch definition of AddSigmoidMulReduceSumD."""

import torch


def reference(add_0_input0, add_0_input1, mul_0_input1, mult_1_input1, mult_2_input1):
    """The gated products, summed over the middle dimension."""
    gate = torch.sigmoid((add_0_input0 + add_0_input1) * mul_0_input1)
    return (gate * mult_1_input1 * mult_2_input1).sum(dim=1)
