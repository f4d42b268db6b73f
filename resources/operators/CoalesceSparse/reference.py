"""PyTorch definition of CoalesceSparse."""

import torch

UNREAD = ("unique_len",)  # only its length matters


def make_inputs(inputs, case, generator):
    """Every number below U occurs in unique_indices; rows of indices are the digits of the flattened position."""
    positions, numbers = len(inputs["unique_len"]), inputs["unique_indices"].clone()
    order = torch.randperm(len(numbers), generator=generator)
    numbers[order[:positions]] = torch.arange(positions, dtype=numbers.dtype)
    flattened = 3 * torch.arange(positions) + 2
    width = inputs["indices"].shape[1]
    base = 1
    while base**width <= 3 * positions + 2:
        base += 1
    digits = [(flattened // base ** (width - 1 - place)) % base for place in range(width)]
    rows = torch.stack(digits, dim=1)[numbers.long()]
    return inputs | {
        "unique_len": flattened.to(inputs["unique_len"].dtype),
        "unique_indices": numbers,
        "indices": rows.to(inputs["indices"].dtype),
    }


def reference(unique_len, unique_indices, indices, values):
    """Positions and sums of the merged entries."""
    numbers = unique_indices.long()
    new_indices = indices.new_zeros((len(unique_len), indices.shape[1]))
    new_indices[numbers] = indices
    new_values = values.new_zeros((len(unique_len), *values.shape[1:]))
    return new_indices, new_values.index_add_(0, numbers, values)
