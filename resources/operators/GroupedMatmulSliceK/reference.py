"""PyTorch definition of GroupedMatmulSliceK."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, within k, the last one covering all of k."""
    k = inputs["b"].shape[0]
    ends, _ = torch.sort(inputs["groupList"].clamp(0, k))
    ends[-1] = k
    return inputs | {"groupList": ends}


def reference(a, b, groupList):
    """One product per slice of k; the memory of `a` holds its transpose, k-major."""
    k_major = a.reshape(b.shape[0], a.shape[0])
    starts = [0, *groupList.tolist()]
    slices = [k_major[start:end].T @ b[start:end] for start, end in zip(starts, starts[1:], strict=False)]
    return torch.cat(slices).reshape(-1)
