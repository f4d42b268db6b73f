import json
import os

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor, repeats: list, bias: torch.Tensor = None) -> torch.Tensor:
        total = x.sum(0) * repeats[0]
        return total if bias is None else total + bias


def get_input_groups():
    path = os.path.join(os.path.dirname(__file__), "7_add_rows.json")
    groups = []
    with open(path) as file:
        for line in file:
            x, repeats, *rest = json.loads(line)["inputs"]
            kind = getattr(torch, x["dtype"])
            bias = torch.randn(rest[0]["shape"], dtype=kind) if rest else None
            groups.append([torch.randn(x["shape"], dtype=kind), repeats["value"], bias])
    return groups


def get_init_inputs():
    return []
