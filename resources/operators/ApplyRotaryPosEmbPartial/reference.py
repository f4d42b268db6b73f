"""PyTorch definition of ApplyRotaryPosEmbPartial."""

import torch


def turn(v, rotary_mode):
    """A quarter turn of every pair of columns: (first, second) becomes (-second, first)."""
    if rotary_mode == "half":
        first, second = v.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
    pairs = v.unflatten(-1, (-1, 2))
    return torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)


def reference(query, key, cos, sin, partial_slice, rotary_mode="half"):
    """New values of query and key."""
    begin, end = partial_slice
    results = []
    for tensor in (query, key):
        part = tensor[..., begin:end]
        rotated = tensor.clone()
        rotated[..., begin:end] = part * cos + turn(part, rotary_mode) * sin
        results.append(rotated)
    return tuple(results)
