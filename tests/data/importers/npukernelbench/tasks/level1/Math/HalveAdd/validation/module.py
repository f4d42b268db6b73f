import torch
import torch.nn as nn
import torch_npu
from torch_npu.contrib import transfer_to_npu


class Model(nn.Module):
    def forward(self, x1, x2):
        return ((x1.float() + x2.float()) / 2).to(x1.dtype)


class ModelNew(nn.Module):
    def forward(self, x1, x2):
        import kernel_gen_ops

        return kernel_gen_ops.halve_add(x1, x2)
