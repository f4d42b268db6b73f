import torch
import torch.nn as nn
import kernel_gen_ops


class Model(nn.Module):
    def __init__(self, gamma, shift):
        super().__init__()
        self.gamma, self.shift = gamma, shift

    def forward(self, x):
        y = (x + self.shift) * self.gamma
        return [y, y.sum(-1)]


class ModelNew(nn.Module):
    def __init__(self, gamma, shift):
        super().__init__()
        self.gamma, self.shift = gamma, shift

    def forward(self, x):
        return kernel_gen_ops.shift_scale_v2(self.shift, x, self.gamma, [0])
