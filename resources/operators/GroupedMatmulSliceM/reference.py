"""PyTorch definition of GroupedMatmulSliceM."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, the last one covering all rows."""
    ends, _ = torch.sort(inputs["groupList"])
    ends[-1] = inputs["a"].shape[0]
    return inputs | {"groupList": ends}


def reference(a, b, groupList):
    """Each slice of rows times the matrix of its expert, rows one behind the other."""
    starts = [0, *groupList.tolist()]
    slices = [
        torch.matmul(a[start:end], b[group])
        for group, (start, end) in enumerate(zip(starts, starts[1:], strict=False))
    ]
    return torch.cat(slices).reshape(-1)
