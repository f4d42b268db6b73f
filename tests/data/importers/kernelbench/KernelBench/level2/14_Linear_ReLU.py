import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x):
        return torch.relu(self.linear(x))


batch = 4
width = 16


def get_inputs():
    return [torch.rand(batch, width)]


def get_init_inputs():
    return [width, 3]
