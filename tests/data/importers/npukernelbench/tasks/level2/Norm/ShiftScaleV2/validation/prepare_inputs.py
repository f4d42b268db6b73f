import torch
from framework.utils import check_precision


def get_inputs(param, device=None):
    return (torch.rand(param["rows"], param["columns"], device=device),)


def get_init_inputs(param, device=None):
    return [torch.rand(param["columns"]).npu(), param["shift"]]


def custom_check_precision(param, outputs, outputs_new):
    return check_precision(outputs, outputs_new, param["tolerance"], param["tolerance"])
