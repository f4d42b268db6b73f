"""PyTorch definition of InplaceAttnSoftmax."""

import torch


def make_inputs(inputs, case, generator):
    """In cases with `masked` in their name about a third of the scores is -inf, but never the first of a row."""
    if "masked" in case["name"]:
        x = inputs["x"]
        mask = torch.randint(0, 3, x.shape, generator=generator) == 0
        mask[..., 0] = False
        x.masked_fill_(mask, -torch.inf)
    return inputs


def reference(x):
    """New value of x: softmax of the last dimension."""
    return torch.softmax(x, dim=-1)
