"""PyTorch definition of ReverseSequence."""

import torch


def reference(x, seq_lengths, seq_dim, batch_dim=0):
    """Every sequence with its first seq_lengths[b] elements reversed."""
    place = torch.arange(x.shape[seq_dim], device=x.device)
    lengths = seq_lengths.long()[:, None]
    source = torch.where(place < lengths, lengths - 1 - place, place)
    shape = [1] * x.dim()
    shape[batch_dim], shape[seq_dim] = source.shape
    source = source if batch_dim < seq_dim else source.T
    return torch.gather(x, seq_dim, source.reshape(shape).expand(x.shape))
