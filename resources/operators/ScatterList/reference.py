"""PyTorch definition of ScatterList."""

import torch


def make_inputs(inputs, case, generator):
    """Draw pieces that lie within var[i] and updates[i]."""
    axis = case["attributes"]["axis"]
    indice, updates = inputs["indice"], inputs["updates"]
    for i, tensor in enumerate(inputs["var"]):
        room, available = tensor.shape[axis], updates[i].shape[axis]
        length = available
        if indice.dim() == 2:
            length = int(torch.randint(1, available + 1, (1,), generator=generator))
            indice[i, 1] = length
        start = torch.randint(0, room - length + 1, (1,), generator=generator)
        indice.view(len(indice), -1)[i, 0] = int(start)
    return inputs


def reference(var, indice, updates, mask=None, reduce="update", axis=-2):
    """New values of the list var."""
    written = []
    for i, tensor in enumerate(var):
        tensor = tensor.clone()
        written.append(tensor)
        if mask is not None and not mask[i]:
            continue
        start = int(indice.reshape(len(var), -1)[i, 0])
        length = int(indice[i, 1]) if indice.dim() == 2 else updates[i].shape[axis]
        tensor.narrow(axis, start, length).copy_(updates[i].narrow(axis, 0, length))
    return written
