"""PyTorch definition of FusedScatterUpdateAndComputeDigest."""

import torch


def make_inputs(inputs, case, generator):
    """Negative numbers stay -1, the others become distinct slots; a run of slots as drawn stays as it is."""
    drawn = inputs["slot_mapping"].long()
    slots = inputs["key_cache"].shape[0] * inputs["key_cache"].shape[1]
    if drawn.numel() > 1 and bool((drawn.diff() == 1).all()):
        return inputs
    shuffled = torch.randperm(slots, generator=generator)[: drawn.numel()]
    return inputs | {"slot_mapping": torch.where(drawn < 0, -1, shuffled).to(torch.int32)}


def reference(key, slot_mapping, key_cache, digest_cache):
    """New values of both caches."""
    pages, digests = key_cache.clone(), digest_cache.clone()
    size = pages.shape[1]
    fresh = {}
    for token, slot in enumerate(slot_mapping.tolist()):
        if slot >= 0:
            pages[slot // size, slot % size] = key[token]
            fresh.setdefault(slot // size, []).append((slot % size, token))
    for page, written in fresh.items():
        new = key[[token for _, token in written]]
        largest, smallest = new.amax(dim=0), new.amin(dim=0)
        if all(row != 0 for row, _ in written):
            largest = torch.maximum(largest, digests[page, 0])
            smallest = torch.minimum(smallest, digests[page, 1])
        digests[page, 0], digests[page, 1] = largest, smallest
    return pages, digests
