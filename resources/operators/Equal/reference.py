"""PyTorch definition of Equal."""

import torch


def make_inputs(inputs, case, generator):
    """In the case `neighbours` a third of x2 equals x1 and a third is the next representable number."""
    if case["name"].startswith("neighbours"):
        x1, x2 = inputs["x1"], inputs["x2"]
        part = torch.randint(0, 3, x1.shape, generator=generator)
        x2.copy_(torch.where(part == 0, x1, x2))
        x2.copy_(torch.where(part == 1, torch.nextafter(x1, torch.full_like(x1, 9.0)), x2))
    return inputs


def reference(x1, x2):
    """y = (x1 == x2)."""
    return torch.eq(x1, x2)
