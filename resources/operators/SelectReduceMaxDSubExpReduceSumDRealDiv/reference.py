"""PyTorch definition of SelectReduceMaxDSubExpReduceSumDRealDiv."""

import torch


def make_inputs(inputs, case, generator):
    """In `masked-scores` the first position of every row is chosen, so that no row is -inf throughout."""
    if case["name"].startswith("masked-scores"):
        inputs["sel"][..., 0] = True
    return inputs


def reference(sel, input1, input2):
    """Softmax over the last dimension of the chosen values."""
    return torch.softmax(torch.where(sel, input1, input2), dim=-1)
