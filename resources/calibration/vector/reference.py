"""What the micro kernels leave behind, as a proof that they did their work."""

import torch


def reference(x, kind, cores, repeats, rounds):
    """y for each kind of micro kernel; the other attributes change only how long it takes."""
    if kind == "add":
        return x + x
    if kind == "mul":
        return x * x
    if kind == "div":
        return x / x
    if kind == "exp":
        return torch.exp(x)
    if kind == "cast":
        return x.half().to(x.dtype)
    return x.clone()  # what is reduced or read by the scalar unit are equal numbers
