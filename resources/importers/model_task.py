"""Runs a task of the `class Model` kind (KernelBench, MultiKernelBench) in the judge's child.

The arguments of `forward` are the operator's inputs and attributes; what the model learned, its parameters and
buffers, is one more input, the list `parameters`, in the order of its state.

A case that is `derived` is the task in other sizes: numbers of its file are changed as the first of the case's
plans says with which the task's code runs.
"""

import ast
import importlib.util
import io
import json
import sys
import types
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent / "task"
TASK = json.loads((HERE / "interface.json").read_text())


def _load(folder, texts=None):
    """The task's module. It finds `texts` (path -> content) where it opens these files; nothing is written."""
    spec = importlib.util.spec_from_file_location(f"{HERE.parent.name}_model", folder / TASK["file"])
    module = importlib.util.module_from_spec(spec)
    given = {path.name: text for path, text in (texts or {}).items()}

    def opened(file, mode="r", *arguments, **options):
        text = given.get(Path(file).name) if isinstance(file, str | Path) else None
        if text is None:
            return open(file, mode, *arguments, **options)
        return io.BytesIO(text.encode()) if "b" in mode else io.StringIO(text)

    if given:
        module.open = opened
    # Dataclasses and the like look for the module of a class among those loaded.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _resized(plan):
    """The task's module with the sizes of `plan`: constants at its top, numbers in the functions that give inputs."""
    tree = ast.parse((HERE / TASK["file"]).read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                entries = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else []
                if isinstance(target, ast.Tuple) and len(target.elts) == len(entries):
                    keys = [name.id if isinstance(name, ast.Name) else "" for name in target.elts]
                else:
                    keys = [f"{ast.unparse(target)}[{place}]" for place in range(len(entries))]
                for place, key in enumerate(keys):
                    if key in plan:
                        entries[place] = ast.copy_location(ast.Constant(plan[key]), node.value)
                if isinstance(target, ast.Name) and target.id in plan:
                    node.value = ast.copy_location(ast.Constant(plan[target.id]), node.value)
        elif isinstance(node, ast.FunctionDef) and node.name in (TASK["giver"], "get_init_inputs"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and type(inner.value) is int and str(inner.value) in plan:
                    inner.value = plan[str(inner.value)]
    module = types.ModuleType(f"{HERE.parent.name}_derived")
    module.__file__ = str(HERE / TASK["file"])
    sys.modules[module.__name__] = module
    exec(compile(tree, module.__file__, "exec"), module.__dict__)  # noqa: S102 - the task's own code, in the child
    return module


MODULE = _load(HERE)


def _given(module, group):
    """Inputs of one group. Where groups are lines of a file, only that line is given to the task's code."""
    giver = getattr(module, TASK["giver"])
    if TASK["giver"] == "get_inputs":
        return list(giver())
    cases = (HERE / TASK["file"]).with_suffix(".json")
    if not cases.is_file():
        return list(giver()[group])
    lines = [line for line in cases.read_text().splitlines() if line.strip()]
    only = _load(HERE, {cases: lines[group] + "\n"})
    groups = only.get_input_groups()
    return list(groups[0] if len(groups) == 1 else groups[group])


def _model(module):
    init = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    if isinstance(init, dict):
        return module.Model(**init), init
    if len(init) == 2 and isinstance(init[0], list | tuple) and isinstance(init[1], dict):
        return module.Model(*init[0], **init[1]), init[1]
    return module.Model(*init), dict(zip(TASK["init"], init, strict=False))


def _is_tensors(value):
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(v, torch.Tensor) for v in value)


def _plain(value):
    """A number, text or list of them as an attribute; None for what cannot be one."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, list | tuple) and value and all(isinstance(v, bool | int | float) for v in value):
        return list(value)
    return None


def _copy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return type(value)(_copy(v) for v in value) if isinstance(value, list | tuple) else value


def _flat(returned):
    values = list(returned) if isinstance(returned, list | tuple) else [returned]
    return tuple(value.detach() for value in values)


def evaluate(row, seed):
    """Inputs, attributes and results of one input group, or of the first plan by which the task can be smaller."""
    if "derived" not in row:
        return _evaluate(MODULE, row, seed)
    reasons = []
    for plan in json.loads(row["derived"]):
        try:
            return _evaluate(_resized(plan), row, seed)
        except Exception as error:  # noqa: BLE001 - whatever the task's code objects to: the next plan may do
            reasons.append(f"with {plan}: {error}")
    raise RuntimeError(f"the task permits no smaller sizes ({'; '.join(reasons)})")


def _evaluate(module, row, seed):
    torch.manual_seed(seed)
    model, settings = _model(module)
    model = model.eval() if TASK["eval"] else model
    given = _given(module, int(row["group"]))
    inputs, attributes = {}, {name: _plain(value) for name, value in settings.items()}
    for name, value in zip(TASK["forward"], given, strict=False):
        if isinstance(value, torch.Tensor):
            inputs[name] = value
        elif _is_tensors(value):
            inputs[name] = list(value)
        else:
            attributes[name] = _plain(value)
    state = [tensor.detach().clone() for tensor in model.state_dict().values()]
    if state and not TASK["parameters"]:
        raise RuntimeError("the model has parameters although its constructor shows none")
    if state:
        inputs["parameters"] = state
    known = {name: value for name, value in attributes.items() if value is not None and name in TASK["attributes"]}
    with torch.no_grad():
        returned = model(*_copy(given))
    return {name: inputs[name] for name in TASK["inputs"] if name in inputs}, known, _flat(returned)


# What the benchmarks allow: torch.allclose's two numbers; CANN's mean relative error, ten times that at most; and
CLOSE = 1e-4
MEAN = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7, torch.float32: 2.0**-13}
ONE_OFF = (torch.int8, torch.int16)  # quantised: a value near a half rounds either way


def check_row(expected, actual, row):
    """The benchmark's own rule; NaN and infinities stand where the model has them, truth values are exact."""
    for index, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        if wanted is None:
            continue
        objection = _objection(wanted, got)
        if objection:
            return f"output {index}: {objection}"
    return ""


def _objection(wanted, got):
    if wanted.dtype == torch.bool:
        return "" if torch.equal(wanted, got) else "differs"
    a, b = (value.to(torch.complex128) if value.is_complex() else value.double() for value in (wanted, got))
    if TASK["comparison"] == "close":
        if torch.allclose(b, a, rtol=CLOSE, atol=CLOSE, equal_nan=True):
            return ""
        return f"off by up to {(b - a).abs().max().item():.3g}, allowed {CLOSE:g} plus that share of the value"
    finite = a.isfinite()
    if not torch.equal(finite, b.isfinite()) or not torch.equal(a.isnan(), b.isnan()):
        return "infinities or NaN differ"
    same = (a == b) | a.isnan()
    if bool((~same & ~finite).any()):
        return "infinities differ"
    error = (a - b).abs()[finite]
    size = a.abs()[finite]
    if not error.numel():
        return ""
    limit = MEAN.get(wanted.dtype)
    if limit is None:
        most, allowed = error.max().item(), int(wanted.dtype in ONE_OFF)
        return "" if most <= allowed else f"off by up to {most:.3g}, allowed {allowed}"
    relative = error / (size + 1e-7)
    relative[error < limit * 1e-3] = 0
    if relative.mean() < limit and relative.max() < 10 * limit:
        return ""
    return f"mean relative error {relative.mean():.3g}, largest {relative.max():.3g}, limit {limit:.3g}"
