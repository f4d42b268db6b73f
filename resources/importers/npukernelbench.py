"""Runs a task of NPUKernelBench in the judge's child: its own inputs, its own model, its own checker.

The kernel's arguments are found by calling the task's `ModelNew` with a recording stand-in for the compiled
extension; `task/binding.json` says which argument is which input or attribute of the operator.
"""

import importlib.util
import json
import sys
import types
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent / "task"
BINDING = json.loads((HERE / "binding.json").read_text())


class Called(Exception):
    """Carries the arguments of the first call of the extension."""


def _load(name):
    spec = importlib.util.spec_from_file_location(f"{HERE.parent.name}_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _recorder():
    def call(*arguments):
        raise Called(list(arguments))

    def operator(name):
        if name.startswith("__"):  # what Python itself asks every module for is not an operator
            raise AttributeError(name)
        return call

    extension = types.ModuleType("kernel_gen_ops")
    extension.__getattr__ = operator
    return extension


sys.modules["kernel_gen_ops"] = _recorder()
PREPARE, MODULE = _load("prepare_inputs"), _load("module")
ROOMS = _load("rooms")


def _copy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return type(value)(_copy(entry) for entry in value) if isinstance(value, list | tuple) else value


def _detached(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    return [_detached(entry) for entry in value] if isinstance(value, list | tuple) else value


def _call_arguments(model, given):
    """What `ModelNew` hands to the extension for the inputs `given`."""
    try:
        model(*given)
    except Called as call:
        return call.args[0]
    raise RuntimeError("ModelNew did not call the extension")


def _value(member, arguments):
    if member["parameter"] >= 0 and member["parameter"] < len(arguments):
        return arguments[member["parameter"]]
    if member["constant"]:
        return json.loads(member["constant"].rstrip("fF") if member["constant"][0] not in "tf\"" else member["constant"])
    return None


def _as_input(member, value, column):
    """A tensor or a list of them; numbers become tensors of the type the operator declares."""
    if value is None or isinstance(value, torch.Tensor):
        return [value] if member["list"] and value is not None else value
    if isinstance(value, list | tuple) and value and all(isinstance(entry, torch.Tensor) for entry in value):
        return list(value)
    types_ = member["types"]
    name = types_[column if len(types_) > 1 else 0] if types_ else None
    return torch.as_tensor(value, dtype=getattr(torch, name) if name else None)


def _column(inputs, arguments):
    """The signature of the operator that the tensor arguments belong to: the one that most of them fit.

    The first of them must fit; others may arrive in another type (a list of int32 scalars for int64 ones).
    """
    typed = []
    for member in inputs:
        value = _value(member, arguments)
        value = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(value, torch.Tensor) and member["types"]:
            typed.append((str(value.dtype).removeprefix("torch."), member["types"]))
    best, most = 0, 0
    for column in range(max((len(types_) for _, types_ in typed), default=1)):
        fitting = [kind == types_[column if len(types_) > 1 else 0] for kind, types_ in typed]
        if fitting and fitting[0] and sum(fitting) > most:
            best, most = column, sum(fitting)
    return best


def _as_attribute(member, value):
    if value is None:
        value = json.loads(member["default"]) if member["default"] else None
    if isinstance(value, torch.Tensor):
        value = value.tolist() if value.numel() > 1 else value.item()
    kind = member["kind"]
    if value is None:
        return None
    if kind.endswith("_list"):
        return list(value) if isinstance(value, list | tuple) else [value]
    return {"int": int, "float": float, "bool": bool, "str": str}[kind](value)


def _parts(value, given):
    """The tensors of a list: a model may hand back one that changed as a single flat tensor."""
    if not isinstance(value, torch.Tensor) or not isinstance(given, list):
        return value if isinstance(value, list | tuple) else [value]
    sizes = [tensor.numel() for tensor in given]
    return [part.view(tensor.shape) for part, tensor in zip(value.flatten().split(sizes), given, strict=True)]


def _rooms(arguments):
    """What the binding makes for each output: its place among the results (-1: not handed back), and its room.

    The room is the shape of the tensor the kernel gets and whether it starts as zeros; None where it is not known.
    """
    ran = ROOMS.run(BINDING["python"], BINDING["function"], arguments) if BINDING.get("python") else None
    lists = [output["argument"] for output in BINDING["outputs"] if output["list"]]
    places, rooms = [], []
    for output in BINDING["outputs"]:
        made = ran.arguments[output["argument"]] if ran and output["argument"] < len(ran.arguments) else None
        known = isinstance(made, ROOMS.Room) and made.defined()
        places.append(ran.position(output["argument"], lists) if known and ran.returned else output["returned"])
        rooms.append({"shape": list(made.shape), "zero": made.zero} if known else None)
    seen = any(place >= 0 for place in places)
    return places if seen else [output["returned"] for output in BINDING["outputs"]], rooms


def _results(returned, inputs, column, places, rooms):
    """Results in the order of the interface: an only output that is a list takes all of them.

    What the benchmark does not look at has no value, only room: what the binding makes for it, else that of the
    input it overwrites, or of the largest.
    """
    outputs = BINDING["outputs"]
    if len(outputs) == 1 and outputs[0]["list"]:
        return ([tensor.detach() for tensor in returned],)
    values = list(returned) if isinstance(returned, list | tuple) else [returned]
    tensors = [value for value in inputs.values() if isinstance(value, torch.Tensor)]
    largest = max(tensors, key=torch.numel, default=torch.empty(1))
    results = []
    for output, place, room in zip(outputs, places, rooms, strict=True):
        if 0 <= place < len(values):
            value = _detached(values[place])
            results.append(_parts(value, inputs.get(output["name"])) if output["list"] else value)
            continue
        shape = room["shape"] if room else inputs.get(output["name"], largest).shape
        types_ = output["types"]
        declared = types_[column if len(types_) > 1 else 0] if types_ else "float32"
        results.append(torch.empty(shape, dtype=getattr(torch, declared), device="meta"))
    return tuple(results)


def evaluate(row, seed):
    """Inputs, attributes, results and the room of each result of one case."""
    if BINDING["obstacle"]:
        raise RuntimeError(BINDING["obstacle"])
    torch.manual_seed(seed)
    given = PREPARE.get_inputs(row, device="cpu")
    given = tuple(given) if isinstance(given, list | tuple) else (given,)
    init = PREPARE.get_init_inputs(row, device="cpu")
    init = tuple(init) if isinstance(init, list | tuple) else (init,)
    arguments = _copy(_call_arguments(MODULE.ModelNew(*_copy(init)), _copy(given)))
    returned = MODULE.Model(*_copy(init))(*_copy(given))
    column = _column(BINDING["inputs"], arguments)
    arguments = _detached(arguments)
    places, rooms = _rooms(arguments)
    inputs = {m["name"]: _as_input(m, _value(m, arguments), column) for m in BINDING["inputs"]}
    attributes = {m["name"]: _as_attribute(m, _value(m, arguments)) for m in BINDING["attributes"]}
    known = {name: value for name, value in attributes.items() if value is not None}
    return inputs, known, _results(returned, inputs, column, places, rooms), rooms


def check_row(expected, actual, row):
    """The task's own checker; it takes what the model returns, a tensor or a list."""
    if not BINDING["outputs"][0]["list"]:
        order = [i for _, i in sorted((o["returned"], i) for i, o in enumerate(BINDING["outputs"]) if o["returned"] >= 0)]
        expected, actual = [expected[i] for i in order], [actual[i] for i in order]
    # What the benchmark does not look at is nothing its checker could take.
    pairs = [(wanted, got) for wanted, got in zip(expected, actual, strict=True) if wanted is not None]
    expected, actual = [wanted for wanted, _ in pairs], [got for _, got in pairs]
    forms = [(expected, actual)]
    if len(expected) == 1:
        # A checker that takes its outputs one by one takes a tensor row by row.
        forms.insert(1 if BINDING.get("returns_list") else 0, (expected[0], actual[0]))
    try:
        verdict = PREPARE.custom_check_precision(row, *forms[0])
    except (TypeError, IndexError, AttributeError):
        if len(forms) == 1:
            raise
        verdict = PREPARE.custom_check_precision(row, *forms[1])
    passed = verdict[0] if isinstance(verdict, list | tuple) else verdict
    return "" if passed else "the benchmark's own checker rejects the result"
