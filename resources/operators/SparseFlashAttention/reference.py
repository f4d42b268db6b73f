"""PyTorch definition of SparseFlashAttention."""

import torch

COARSE = True  # the probabilities pass through the 16-bit type before the second product
BOUND = {torch.float16: 1 / 256, torch.bfloat16: 1 / 128}


def visible_keys(b, i, query, keys, lengths_query, lengths_kv, sparse_mode):
    """Number of keys that query i of entry b may see; None for a query beyond the valid ones."""
    valid = query.shape[1] if lengths_query is None else int(lengths_query[b])
    length = keys if lengths_kv is None else int(lengths_kv[b])
    if i >= valid:
        return None
    return length if sparse_mode == 0 else max(length - valid + i + 1, 0)


def make_inputs(inputs, case, generator):
    """Blocks of their own for every entry; per query a random selection of visible blocks, then -1."""
    attributes, query, key = case["attributes"], inputs["query"], inputs["key"]
    lengths = (inputs.get("actual_seq_lengths_query"), inputs.get("actual_seq_lengths_kv"))
    amended = dict(inputs)
    if "block_table" in inputs:
        shape = inputs["block_table"].shape
        blocks = torch.randperm(key.shape[0], generator=generator)[: shape.numel()]
        amended["block_table"] = blocks.reshape(shape).to(torch.int32)
    indices = torch.full(inputs["sparse_indices"].shape, -1, dtype=torch.int32)
    for b in range(indices.shape[0]):
        for i in range(indices.shape[1]):
            visible = visible_keys(b, i, query, key.shape[1], *lengths, attributes["sparse_mode"])
            candidates = -(-(visible or 0) // attributes["sparse_block_size"])
            most = min(indices.shape[-1], candidates)
            if most:
                count = int(torch.randint(-(-most // 2), most + 1, (1,), generator=generator))
                chosen = torch.randperm(candidates, generator=generator)[:count]
                indices[b, i, 0, :count] = chosen.to(torch.int32)
    return amended | {"sparse_indices": indices}


def reference(
    query, key, value, sparse_indices, block_table=None, actual_seq_lengths_query=None,
    actual_seq_lengths_kv=None, query_rope=None, key_rope=None, scale_value=1.0, sparse_block_size=1,
    layout_query="BSND", layout_kv="BSND", sparse_mode=3,
):
    """Attention of every valid query over its selected, visible keys."""
    if query_rope is not None:
        query, key = torch.cat([query, query_rope], dim=-1), torch.cat([key, key_rope], dim=-1)
    out = query.new_zeros(*query.shape[:3], value.shape[-1])
    offsets = torch.arange(sparse_block_size, device=query.device)
    lengths = (actual_seq_lengths_query, actual_seq_lengths_kv)
    for b in range(query.shape[0]):
        if layout_kv == "BSND":
            keys, values = key[b, :, 0], value[b, :, 0]
        else:
            pages = block_table[b].long()
            keys, values = key[pages, :, 0].flatten(0, 1), value[pages, :, 0].flatten(0, 1)
        for i in range(query.shape[1]):
            visible = visible_keys(b, i, query, keys.shape[0], *lengths, sparse_mode)
            blocks = sparse_indices[b, i, 0].long()
            chosen = (blocks[blocks >= 0][:, None] * sparse_block_size + offsets).flatten()
            chosen = chosen[chosen < (visible or 0)]
            if chosen.numel():
                scores = scale_value * query[b, i] @ keys[chosen].T
                out[b, i] = torch.softmax(scores, dim=-1) @ values[chosen]
    return out


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
    return f"attention_out: error {error:.3g} at index {worst}, allowed {most:.3g}"
