"""PyTorch definition of DequantSwigluQuant."""

import torch


def reference(
    x, weight_scale=None, activation_scale=None, bias=None, quant_scale=None, quant_offset=None, group_index=None,
    activate_left=False, quant_mode="static",
):
    """y and scale; in static mode scale is not written."""
    rows = x.shape[0]
    counts = torch.tensor([rows], device=x.device) if group_index is None else group_index.long()
    group = torch.repeat_interleave(torch.arange(len(counts), device=x.device), counts)
    values = x.double()
    if not x.is_floating_point():
        integer_bias = bias is not None and not bias.is_floating_point()
        if integer_bias:
            values = values + bias
        values = values * weight_scale[group]
        if activation_scale is not None:
            values = values * activation_scale
        if bias is not None and not integer_bias:
            values = values + bias
    left, right = values.chunk(2, dim=-1)
    gate, up = (left, right) if activate_left else (right, left)
    result = torch.nn.functional.silu(gate) * up
    if quant_mode == "static":
        return quantise(result / quant_scale[group] + quant_offset[group]), torch.empty(rows, device="meta")
    if quant_scale is not None:
        result = result * quant_scale[group]
    scale = result.abs().amax(dim=-1) / 127
    return quantise(result / scale[:, None]), scale


def quantise(values):
    """Nearest int8, ties to even."""
    return values.round().clamp(-128, 127).to(torch.int8)
