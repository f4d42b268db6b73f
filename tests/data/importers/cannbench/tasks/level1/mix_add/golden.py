import torch


def get_input(x, parts, bias=None, **kwargs):
    return {"x": x.abs(), "parts": parts, "bias": bias}


def mix_add(x, parts, bias=None, scale=1.0, taps=None):
    y = x.float() * scale + sum(parts)
    return (y if bias is None else y + bias), torch.tensor([y.numel()])
