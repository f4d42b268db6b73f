import torch


def make_inputs(inputs, case, generator):
    """Distinct slots; every fourth token goes nowhere."""
    slots = inputs["slot_mapping"]
    blocks, size = inputs["key_cache"].shape[:2]
    order = torch.randperm(blocks * size, generator=generator)
    slots.copy_(order[: slots.numel()])
    slots[3::4] = -1
    return inputs


def reference(key, value, key_cache, value_cache, slot_mapping):
    kept = slot_mapping >= 0
    slots = slot_mapping[kept].long()
    caches = []
    for rows, cache in ((key, key_cache), (value, value_cache)):
        flat = cache.reshape(-1, *cache.shape[2:]).clone()
        flat[slots] = rows[kept]
        caches.append(flat.reshape(cache.shape))
    return tuple(caches)
