"""PyTorch definition of GroupedMatmulSwigluQuantX."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, the last one covering all rows."""
    ends, _ = torch.sort(inputs["group_list"])
    ends[-1] = inputs["x"].shape[0]
    return inputs | {"group_list": ends}


def reference(x, weight, weight_scale, x_scale, smooth_scale=None, group_list=None):
    """Quantised activations of every row and their scales."""
    starts = [0, *group_list.tolist()]
    slices = []
    for expert, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        total = x[start:end].double() @ weight[expert].double()
        gate, linear = (total * weight_scale[expert] * x_scale[start:end, None]).chunk(2, dim=-1)
        activated = torch.nn.functional.silu(gate) * linear
        slices.append(activated if smooth_scale is None else activated * smooth_scale[expert])
    activated = torch.cat(slices)
    scale = activated.abs().amax(dim=-1) / 127
    steps = torch.round(activated / torch.where(scale == 0, torch.ones_like(scale), scale)[:, None])
    return steps.to(torch.int8), scale
