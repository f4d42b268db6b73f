"""PyTorch definition of Mla."""

import torch

COARSE = True  # the probabilities pass through the 16-bit type before the second product
BOUND = {torch.float16: 1 / 256, torch.bfloat16: 1 / 128}


def make_inputs(inputs, case, generator):
    """Give every sequence its own blocks, in random order."""
    blocks = torch.randperm(inputs["kv_nope_cache"].shape[0], generator=generator)
    shape = inputs["block_tables"].shape
    return inputs | {"block_tables": blocks[: shape.numel()].reshape(shape).to(torch.int32)}


def reference(
    query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables, q_seqlen_list, k_seqlen_list
):
    """Attention of each sequence over the pages its block table names."""
    query = torch.cat([query_nope, query_rope], dim=-1)
    group = query.shape[1] // kv_nope_cache.shape[2]
    scale = query.shape[-1] ** -0.5
    outputs, token = [], 0
    for sequence, (queries, length) in enumerate(zip(q_seqlen_list, k_seqlen_list, strict=True)):
        pages = block_tables[sequence].long()
        value = kv_nope_cache[pages].flatten(0, 1)[:length]
        key = torch.cat([value, kv_rope_cache[pages].flatten(0, 1)[:length]], dim=-1)
        key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
        scores = scale * torch.einsum("qhd,khd->hqk", query[token : token + queries], key)
        outputs.append(torch.einsum("hqk,khd->qhd", torch.softmax(scores, dim=-1), value))
        token += queries
    return torch.cat(outputs)


def check(expected, actual, inputs, attributes):
    """Error as a share of the value and of its head's root mean square, bound by the 16-bit type in use."""
    bound = BOUND[actual[0].dtype]
    wanted, got = expected[0].double(), actual[0].double()
    size = wanted.square().mean(dim=-1, keepdim=True).sqrt()
    allowed = bound * (wanted.abs() + 2 * size)
    excess = (got - wanted).abs() - allowed
    if bool(torch.all(excess <= 0)):
        return ""
    worst = int(excess.flatten().argmax())
    error, most = (got - wanted).abs().flatten()[worst], allowed.flatten()[worst]
    return f"out: error {error:.3g} at index {worst}, allowed {most:.3g}"
