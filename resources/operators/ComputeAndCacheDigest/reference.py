"""PyTorch definition of ComputeAndCacheDigest."""

import torch


def make_inputs(inputs, case, generator):
    """Distinct pages in random order; no NaN among the tokens that count."""
    cache, lengths = inputs["key_cache"], inputs["lengths"]
    pages = torch.randperm(cache.shape[0], generator=generator)[: lengths.numel()]
    for page, length in zip(pages.tolist(), lengths.tolist(), strict=True):
        counted = cache[page, :length]
        cache[page, :length] = torch.where(counted.isnan(), torch.zeros_like(counted), counted)
    return inputs | {"page_ids": pages.to(torch.int32)}


def reference(key_cache, page_ids, lengths, digest_cache):
    """New value of digest_cache: maxima and minima of the named pages, the others as they were."""
    digests = digest_cache.clone()
    for page, length in zip(page_ids.tolist(), lengths.tolist(), strict=True):
        tokens = key_cache[page, :length]
        digests[page, 0] = tokens.amax(dim=0)
        digests[page, 1] = tokens.amin(dim=0)
    return digests
