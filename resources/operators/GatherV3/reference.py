"""PyTorch definition of GatherV3."""

import torch


def reference(x, indices, axis, batchDims=0, negativeIndexSupport=False):
    """Slices of x along axis, in the order of indices; the first batchDims dimensions run together."""
    axis = int(axis) % x.dim()
    if negativeIndexSupport:
        indices = torch.where(indices < 0, indices + x.shape[axis], indices)
    batches = x.shape[:batchDims]
    if not batchDims:
        return gather(x, indices, axis)
    pairs = zip(x.flatten(0, batchDims - 1), indices.flatten(0, batchDims - 1), strict=True)
    rows = [gather(slab, own, axis - batchDims) for slab, own in pairs]
    return torch.stack(rows).unflatten(0, batches)


def gather(x, indices, axis):
    """Without batch dimensions."""
    taken = torch.index_select(x, axis, indices.reshape(-1))
    return taken.reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])
