"""PyTorch definition of GeluGrad."""

import math

import torch

UNREAD = ("y",)  # the gradient follows from x alone


def make_inputs(inputs, case, generator):
    """y is what the forward operator gave for x."""
    inputs["y"].copy_(torch.nn.functional.gelu(inputs["x"].double(), approximate="tanh"))
    return inputs


def reference(dy, x, y):
    """dy times the derivative of 0.5 * x * (1 + tanh(u(x)))."""
    root = math.sqrt(2 / math.pi)
    tanh = torch.tanh(root * (x + 0.044715 * x**3))
    return dy * (0.5 * (1 + tanh) + 0.5 * x * (1 - tanh**2) * root * (1 + 3 * 0.044715 * x**2))
