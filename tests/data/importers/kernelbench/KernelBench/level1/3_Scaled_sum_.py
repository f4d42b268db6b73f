import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a + 2 * b).sum(dim=-1), b


shape = (5, 12)


def get_inputs():
    return [torch.rand(*shape), torch.rand(*shape)]


def get_init_inputs():
    return []
