"""PyTorch definition of MoeDistDispatchMulExp."""

import torch


def make_inputs(inputs, case, generator):
    """Distinct experts for every token, more often small ones, so that some experts stay idle."""
    shape, experts = inputs["expert_ids"].shape, case["attributes"]["moe_expert_num"]
    weights = torch.linspace(1, 0.05, experts).square().expand(shape[0], -1)
    chosen = torch.multinomial(weights, shape[1], replacement=False, generator=generator)
    return inputs | {"expert_ids": chosen.to(torch.int32)}


def reference(x, expert_ids, scales=None, moe_expert_num=1, ep_world_size=1, expert_token_nums_type=1):
    """Send buffer ordered by expert, its scales, and the bookkeeping the receivers need."""
    top_k = expert_ids.shape[1]
    experts = expert_ids.reshape(-1).long()
    order = torch.argsort(experts, stable=True)
    rows = x[order // top_k]
    if scales is not None:
        rows = rows * scales[experts[order]]
    scale = rows.abs().amax(dim=-1) / 127
    steps = torch.round(rows / torch.where(scale == 0, torch.ones_like(scale), scale)[:, None])
    counts = torch.bincount(experts, minlength=moe_expert_num)
    ends = torch.cumsum(counts, dim=0)
    position = torch.empty_like(order)
    position[order] = torch.arange(order.numel(), device=x.device) - (ends - counts)[experts[order]]
    numbers = counts if expert_token_nums_type == 1 else ends
    sends = counts.reshape(ep_world_size, -1).sum(dim=-1)
    return steps.to(torch.int8), scale, position.to(torch.int32), numbers, sends.to(torch.int32)
