"""PyTorch definition of GroupedMatmulSliceKPerTokenDequant."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into running ends: sorted, within k, the last one covering all of k."""
    k = inputs["b"].shape[0]
    ends, _ = torch.sort(inputs["groupList"].clamp(0, k))
    ends[-1] = k
    return inputs | {"groupList": ends}


def reference(a, b, scale, per_token_scale, groupList):
    """One scaled integer product per slice of k; the memory of `a` holds its transpose, k-major."""
    k_major = a.reshape(b.shape[0], a.shape[0]).double()
    starts = [0, *groupList.tolist()]
    slices = []
    for group, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        total = k_major[start:end].T @ b[start:end].double()
        slices.append(total * scale[group] * per_token_scale[group, :, None])
    return torch.cat(slices).reshape(-1)
