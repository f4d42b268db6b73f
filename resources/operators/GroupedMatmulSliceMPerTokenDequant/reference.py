"""PyTorch definition of GroupedMatmulSliceMPerTokenDequant."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, the last one covering all rows."""
    ends, _ = torch.sort(inputs["groupList"])
    ends[-1] = inputs["a"].shape[0]
    return inputs | {"groupList": ends}


def reference(a, b, scale, per_token_scale, groupList):
    """Integer product per expert, scaled per column and per row; float64 holds the int32 sums exactly."""
    starts = [0, *groupList.tolist()]
    slices = []
    for group, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        total = a[start:end].double() @ b[group].double()
        slices.append(total * scale[group] * per_token_scale[start:end, None])
    return torch.cat(slices).reshape(-1)
