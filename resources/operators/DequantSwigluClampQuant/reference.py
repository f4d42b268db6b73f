"""PyTorch definition of DequantSwigluClampQuant."""

import torch


def make_inputs(inputs, case, generator):
    """Turn the drawn numbers into rows per group that sum to M: the last group takes what is left."""
    counts = inputs.get("group_index")
    if counts is None:
        return inputs
    ends = torch.cumsum(counts, 0).clamp(max=inputs["x"].shape[0])
    ends[-1] = inputs["x"].shape[0]
    return inputs | {"group_index": torch.diff(ends, prepend=torch.zeros_like(ends[:1]))}


def reference(
    x, weight_scale, activation_scale, quant_scale=None, group_index=None,
    activate_left=False, swiglu_mode=1, clamp_limit=7.0, glu_alpha=1.702, glu_bias=1.0,
):
    """Quantised rows and their scales."""
    rows = torch.tensor([x.shape[0]], device=x.device) if group_index is None else group_index
    group = torch.repeat_interleave(torch.arange(rows.numel(), device=x.device), rows)
    values = x.double() * weight_scale[group] * activation_scale[:, None]
    if swiglu_mode == 1:
        gate, linear = values[:, 0::2], values[:, 1::2]
    else:
        left, right = values.chunk(2, dim=-1)
        gate, linear = (left, right) if activate_left else (right, left)
    gate = gate.clamp(max=clamp_limit)
    linear = linear.clamp(-clamp_limit, clamp_limit)
    activated = gate * torch.sigmoid(glu_alpha * gate) * (linear + glu_bias)
    if quant_scale is not None:
        activated = activated * quant_scale[group]
    scale = activated.abs().amax(dim=-1) / 127
    steps = torch.round(activated / torch.where(scale == 0, torch.ones_like(scale), scale)[:, None])
    return steps.to(torch.int8), scale
