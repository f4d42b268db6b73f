"""PyTorch definition of MlaPrologV3X."""

import torch

SHARE = 2.0**-6


def make_inputs(inputs, case, generator):
    """Negative numbers stay -1, the others become distinct slots."""
    drawn, cache = inputs["cache_index"], inputs["kv_cache"]
    slots = torch.randperm(cache.shape[0] * cache.shape[1], generator=generator)[: drawn.numel()]
    return inputs | {"cache_index": torch.where(drawn < 0, -1, slots)}


def norm(v, gamma, epsilon):
    """Root-mean-square normalisation of the last dimension."""
    return v / torch.sqrt(torch.mean(v * v, dim=-1, keepdim=True) + epsilon) * gamma


def rope(v, cos, sin):
    """Rotate pairs (v[i], v[i + Dr/2])."""
    first, second = v.chunk(2, dim=-1)
    return v * cos + torch.cat([-second, first], dim=-1) * sin


def reference(
    token_x, weight_dq, weight_uq_qr, weight_uk, weight_dkv_kr, rmsnorm_gamma_cq, rmsnorm_gamma_ckv, rope_sin,
    rope_cos, kv_cache, kr_cache, cache_index, rmsnorm_epsilon_cq=1e-5, rmsnorm_epsilon_ckv=1e-5,
    qc_qr_scale=1.0, kc_scale=1.0,
):
    """Query parts, new values of both caches, and the normalised query latent."""
    heads, head_size, latent = weight_uk.shape
    query_norm = qc_qr_scale * norm(token_x @ weight_dq, rmsnorm_gamma_cq, rmsnorm_epsilon_cq)
    projected = (query_norm @ weight_uq_qr).unflatten(-1, (heads, -1))
    query = torch.einsum("thd,hdc->thc", projected[..., :head_size], weight_uk)
    query_rope = rope(projected[..., head_size:], rope_cos[:, None], rope_sin[:, None])
    down = token_x @ weight_dkv_kr
    stored = cache_index >= 0
    slots = cache_index[stored]
    new_kv, new_kr = (cache.clone(memory_format=torch.contiguous_format) for cache in (kv_cache, kr_cache))
    normalised = kc_scale * norm(down[:, :latent], rmsnorm_gamma_ckv, rmsnorm_epsilon_ckv)
    new_kv.flatten(0, 1)[slots, 0] = normalised[stored]
    new_kr.flatten(0, 1)[slots, 0] = rope(down[:, latent:], rope_cos, rope_sin)[stored]
    return query, query_rope, new_kv, new_kr, query_norm


def check(expected, actual, inputs, attributes):
    """Untouched slots exactly; the rest against a share of the value and of the root mean square."""
    names = ("query", "query_rope", "kv_cache", "kr_cache", "query_norm")
    written = inputs["cache_index"][inputs["cache_index"] >= 0]
    for name, want, have in zip(names, expected, actual, strict=True):
        wanted, got = want.double(), have.double()
        if name in inputs:
            kept = torch.ones(wanted.flatten(0, 1).shape[0], dtype=torch.bool)
            kept[written] = False
            if not torch.equal(have.flatten(0, 1)[kept], inputs[name].flatten(0, 1)[kept]):
                return f"{name}: a slot that is not written has changed"
            wanted, got = wanted.flatten(0, 1)[written], got.flatten(0, 1)[written]
        if wanted.numel() == 0:
            continue
        allowed = SHARE * (wanted.abs() + wanted.square().mean().sqrt())
        if not bool(torch.all((got - wanted).abs() <= allowed)):
            return f"{name}: an element is off by more than bfloat16 between the products explains"
    return ""
