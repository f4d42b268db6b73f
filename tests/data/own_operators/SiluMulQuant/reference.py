import torch


def reference(x):
    gate, value = x.chunk(2, dim=-1)
    product = gate * torch.sigmoid(gate) * value
    largest = product.abs().amax(dim=-1)
    scale = torch.where(largest == 0, torch.ones_like(largest), largest / 127)
    return torch.round(product / scale.unsqueeze(-1)).clamp(-128, 127), scale
