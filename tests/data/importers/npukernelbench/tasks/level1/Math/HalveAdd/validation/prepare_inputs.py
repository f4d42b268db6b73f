import torch


def get_inputs(param, device=None):
    shape = eval(param.get("input_shape", "[1]"))
    dtype = getattr(torch, param.get("dtype", "float16"))
    return torch.randn(shape, device=device, dtype=dtype), torch.rand(shape, device=device, dtype=dtype)


def get_init_inputs(param, device=None):
    return []
