"""PyTorch definition of GmmDeqSwigluQuantGmmDeq."""

import torch

COARSE = True  # y comes from int8 numbers, of which a step is about 2^-7 of the largest
SHARE = 2.0**-6


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, the last one covering all rows."""
    ends, _ = torch.sort(inputs["group_list"])
    ends[-1] = inputs["x"].shape[0]
    return inputs | {"group_list": ends}


def reference(x, weight1, weight1_scale, x_scale, weight2, weight2_scale, group_list):
    """Both products of every row; float64 holds the int32 sums exactly."""
    starts = [0, *group_list.tolist()]
    slices = []
    for expert, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        total = x[start:end].double() @ weight1[expert].double()
        gate, linear = (total * weight1_scale[expert] * x_scale[start:end, None]).chunk(2, dim=-1)
        activated = torch.nn.functional.silu(gate) * linear
        scale = activated.abs().amax(dim=-1, keepdim=True) / 127
        steps = torch.round(activated / torch.where(scale == 0, torch.ones_like(scale), scale))
        slices.append(steps.double() @ weight2[expert].double() * weight2_scale[expert] * scale)
    return torch.cat(slices)


def check(expected, actual, inputs, attributes):
    """Error against a share of the value and of the root mean square."""
    wanted, got = expected[0].double(), actual[0].double()
    allowed = SHARE * (wanted.abs() + wanted.square().mean().sqrt())
    excess = (got - wanted).abs() - allowed
    if bool(torch.all(excess <= 0)):
        return ""
    count = int((~(excess <= 0)).sum())
    return f"y: {count} of {wanted.numel()} elements are off by more than the quantisation explains"
