"""PyTorch definition of TopKV3."""

import torch


def make_inputs(inputs, case, generator):
    """Special values without NaN, whose order is nobody's business."""
    inputs["x"].nan_to_num_(nan=0.0, posinf=torch.inf, neginf=-torch.inf)
    return inputs


def reference(x, k, sorted=True, dim=-1, largest=True):
    """A stable sort: among equal elements the first positions, in order; also when `sorted` is false."""
    values, indices = torch.sort(x, dim=dim, descending=largest, stable=True)
    count = int(k)
    return values.narrow(dim, 0, count), indices.narrow(dim, 0, count).to(torch.int32)


def check(expected, actual, inputs, attributes):
    """Right values, indices that point at them, no index twice."""
    dim = attributes["dim"]
    values, indices = actual[0], actual[1].long()
    if bool(((indices < 0) | (indices >= inputs["x"].shape[dim])).any()):
        return "indices: a position lies outside the dimension"
    ordered = torch.sort(indices, dim=dim).values
    if bool((ordered.diff(dim=dim) == 0).any()):
        return "indices: a position appears twice"
    if not torch.equal(inputs["x"].gather(dim, indices), values):
        return "indices: a position does not hold the value given for it"
    if not attributes["sorted"]:
        values = torch.sort(values, dim=dim, descending=attributes["largest"]).values
    return "" if torch.equal(values, expected[0]) else "values: not the wanted elements in the wanted order"
