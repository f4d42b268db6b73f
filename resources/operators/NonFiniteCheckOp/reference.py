"""PyTorch definition of NonFiniteCheckOp."""

import torch


def make_inputs(inputs, case, generator):
    """Cases with `planted` in their name hold exactly one non-finite value, anywhere in the list."""
    if "planted" not in case["name"]:
        return inputs
    filled = [tensor for tensor in inputs["tensor_list"] if tensor.numel()]
    tensor = filled[int(torch.randint(len(filled), (1,), generator=generator))]
    place = int(torch.randint(tensor.numel(), (1,), generator=generator))
    index = torch.unravel_index(torch.tensor(place), tensor.shape)
    tensor[index] = torch.nan if "nan" in case["name"] else -torch.inf
    return inputs


def reference(tensor_list):
    """1.0 when any element of the list is infinite or NaN."""
    found = any(not bool(torch.isfinite(tensor).all()) for tensor in tensor_list)
    return torch.tensor([float(found)], device=tensor_list[0].device)
