"""PyTorch definition of MoeGatingTopKRemap."""

import torch


def make_inputs(inputs, case, generator):
    """Well separated logits (shuffled steps, exact in every dtype) and distinct physical experts.

    Some steps are twice as wide and each row lies elsewhere, so that rows have no common maximum or sum. What was
    drawn for x decides about all of them.
    """
    x, replicas = inputs["x"], inputs["replica_num"]
    tokens, experts = x.shape
    drawn = torch.Generator()
    drawn.manual_seed(int(x.contiguous().view(torch.uint8).long().sum()))
    ranks = torch.argsort(torch.rand(tokens, experts, generator=drawn), dim=-1)
    wide = torch.rand(tokens, experts, generator=drawn) < 1 / 16
    steps = (1 + wide.long()).cumsum(dim=-1).gather(-1, ranks)
    middle = torch.randint(-8, 9, (tokens, 1), generator=drawn) - experts // 2
    grid = (steps + middle) * (1 / 8 if experts <= 64 else 1 / 32)
    physical = torch.randperm(int(replicas.sum()), generator=generator)
    expert_map = torch.full(inputs["expert_map"].shape, -1, dtype=torch.int32)
    used = torch.arange(expert_map.shape[1]) < replicas[:, None]
    expert_map[used] = physical.to(torch.int32)
    x.copy_(grid.to(x.dtype))
    return inputs | {"expert_map": expert_map}


def reference(
    x, bias=None, expert_map=None, replica_num=None, k=1, k_group=1, group_count=1, group_select_mode=0,
    renorm=0, norm_type=0, routed_scaling_factor=1.0, eps=1e-20,
):
    """Weights of the chosen experts and the physical copies that serve them."""
    tokens = x.shape[0]
    p = torch.softmax(x, dim=-1) if norm_type == 0 else torch.sigmoid(x)
    choice = p if bias is None else p + bias
    if group_count > 1:
        grouped = choice.unflatten(-1, (group_count, -1))
        best = grouped.topk(1 + group_select_mode, dim=-1).values.sum(dim=-1)
        kept = torch.zeros_like(best, dtype=torch.bool)
        kept.scatter_(-1, best.topk(k_group, dim=-1).indices, True)
        choice = grouped.masked_fill(~kept[..., None], -torch.inf).flatten(-2)
    chosen = torch.argsort(choice, dim=-1, descending=True, stable=True)[:, :k]
    y = p.gather(-1, chosen)
    if norm_type == 1 or renorm == 1:
        y = y / (y.sum(dim=-1, keepdim=True) + eps)
    copy = torch.arange(tokens, device=x.device)[:, None] % replica_num[chosen]
    return y * routed_scaling_factor, expert_map[chosen, copy]
