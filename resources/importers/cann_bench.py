"""Runs a task of CANN Bench in the judge's child: inputs by its value ranges, results by its golden function."""

import importlib.util
import json
import math
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent / "task"
PROTO = json.loads((HERE / "interface.json").read_text())
# Relative error the benchmark allows on average, and ten times as much at most.
MEAN_LIMIT = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7, torch.float32: 2.0**-13}


def _load():
    spec = importlib.util.spec_from_file_location(f"{HERE.parent.name}_golden", HERE / "golden.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GOLDEN = _load()


def _number(value):
    return float(value) if isinstance(value, str) else value


def _tensor(shape, dtype, span, generator):
    kind = getattr(torch, dtype)
    floating = kind.is_floating_point
    low, high = (0.0, 1.0) if floating else (0, 100)
    if span is not None:
        low, high = (_number(span[0]), _number(span[-1])) if isinstance(span, list) else (_number(span),) * 2
    if kind == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if not floating:
        return torch.randint(int(low), int(high) + 1, shape, generator=generator, dtype=kind)
    values = torch.rand(shape, generator=generator, dtype=torch.float64)
    if math.isnan(low) or math.isnan(high) or math.isinf(low) or math.isinf(high):
        special = torch.rand(shape, generator=generator)
        values = torch.where(special < 0.25, torch.full_like(values, low), values * 2 - 1)
        return torch.where(special > 0.75, torch.full_like(values, high), values).to(kind)
    limit = torch.finfo(kind)
    return (low + (high - low) * values).clamp(limit.min, limit.max).to(kind)


def _is_list(shape):
    return bool(shape) and isinstance(shape[0], list)


def _inputs(case, generator):
    shapes, dtypes, spans = case["input_shape"], case["dtype"], case.get("value_range")
    shared = isinstance(spans, list) and spans and not isinstance(spans[0], list)
    made = {}
    for index, name in enumerate(PROTO["inputs"]):
        shape = shapes[index] if index < len(shapes) else None
        if shape is None:
            continue
        dtype = dtypes[min(index, len(dtypes) - 1)]
        span = spans if shared or not spans else spans[min(index, len(spans) - 1)]
        if _is_list(shape):
            each = dtype if isinstance(dtype, list) else [dtype] * len(shape)
            ranges = span if span and isinstance(span[0], list) else [span] * len(shape)
            made[name] = [
                _tensor(part, each[i], ranges[min(i, len(ranges) - 1)], generator) for i, part in enumerate(shape)
            ]
        else:
            made[name] = _tensor(shape, dtype if isinstance(dtype, str) else dtype[0], span, generator)
    return made


def _flat(returned):
    return tuple(returned) if isinstance(returned, list | tuple) else (returned,)


def evaluate(row, seed):
    """Inputs, attributes and results of one case."""
    case = json.loads(row["case"])
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    attributes = dict(case.get("attrs") or {})
    inputs = _inputs(case, generator)
    given = {name: inputs.get(name) for name in PROTO["inputs"]}
    if hasattr(GOLDEN, "get_input"):
        amended = GOLDEN.get_input(**given, **attributes)
        if isinstance(amended, dict):
            given |= {name: amended[name] for name in given if name in amended}
        else:
            given = dict(zip(given, _flat(amended), strict=False))
    golden = getattr(GOLDEN, PROTO["function"])
    copies = {name: _copy(value) for name, value in given.items()}
    returned = golden(**(copies | attributes))
    inputs = {name: value for name, value in given.items() if value is not None}
    # An attribute a case leaves open, or one that only gives an absent input its name, is none of the kernel's.
    known = {name: value for name, value in attributes.items() if value is not None and name in PROTO["attributes"]}
    results = zip(PROTO["outputs"], _flat(returned), strict=False)
    # Nobody looks at an ignored output: it may stay unwritten.
    return inputs, known, tuple(t.to("meta") if name in PROTO["ignored"] else t for name, t in results)


def _copy(value):
    return [entry.clone() for entry in value] if isinstance(value, list) else None if value is None else value.clone()


def check_row(expected, actual, row):
    """The benchmark's own rule: mean and largest relative error, integers exactly."""
    for name, wanted, got in zip(PROTO["outputs"], expected, actual, strict=True):
        if name in PROTO["ignored"]:
            continue
        limit = MEAN_LIMIT.get(wanted.dtype)
        if limit is None:
            if not torch.equal(wanted, got):
                return f"{name}: differs"
            continue
        a, b = wanted.double(), got.double()
        same = (a == b) | (a.isnan() & b.isnan())
        if bool((~same & ~(a.isfinite() & b.isfinite())).any()):
            return f"{name}: infinities or NaN differ"
        error = torch.where(same, 0.0, (a - b).abs() / (a.abs() + 1e-7))
        if error.numel() and (error.mean() >= limit or error.max() >= 10 * limit):
            return f"{name}: mean relative error {error.mean():.3g}, largest {error.max():.3g}, limit {limit:.3g}"
    return ""
