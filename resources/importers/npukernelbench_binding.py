"""What the binding of a task does around its kernel: makes room for outputs, calls it, hands tensors back.

`run(functions, name, arguments)` follows the binding's own code, put into Python at import, without any data.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch


class Anything:
    """Options, dtypes and devices: asked for and passed on, of no consequence here."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_arguments):
        return self


class Vector(list):
    """A std::vector, an IntArrayRef or a TensorList."""

    def __init__(self, values=(), _end=None):
        super().__init__([values] if isinstance(values, int) else values)

    push_back = emplace_back = list.append

    def size(self):
        return len(self)

    def empty(self):
        return not self

    def back(self):
        return self[-1]

    def front(self):
        return self[0]

    def begin(self):
        return self

    end = vec = begin

    def reserve(self, _size):
        return self


class Room:
    """A tensor: its shape, whether it starts as zeros, and whose memory it is. Only arguments have values."""

    def __init__(self, shape=None, zero=False, owner=None, values=None):
        sizes = [shape] if isinstance(shape, int) else shape
        self.shape = None if shape is None else Vector(int(size) for size in sizes)
        self.zero = zero
        self.owner = owner or self
        self.values = values

    def size(self, dim):
        return self.shape[dim]

    def sizes(self):
        return Vector(self.shape)

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)

    def defined(self):
        return self.shape is not None

    def options(self):
        return Anything()

    dtype = scalar_type = device = options

    def zero_(self):
        return self.fill_(0)

    def fill_(self, value):
        self.owner.zero = value == 0
        return self

    def item(self):
        return self.values.item()

    def narrow(self, dim, _start, length):
        shape = list(self.shape)
        shape[dim] = length if isinstance(length, int) else shape[dim]
        return Room(shape, owner=self.owner)

    def contiguous(self):
        return self

    cpu = contiguous

    def to(self, *_options):
        return self

    def sum(self):
        return Anything()


def _plain(value):
    if isinstance(value, torch.Tensor):
        return Room(value.shape, values=value)
    return Vector(_plain(entry) for entry in value) if isinstance(value, list | tuple) else value


def _optional(value):
    return value is not None and not (isinstance(value, Room) and not value.defined())


NAMES: dict[str, Callable[..., Any]] = {
    "Tensor": Room,
    "TensorOptions": Anything,
    "vector": Vector,
    "empty": lambda shape, *_options: Room(shape),
    "ones": lambda shape, *_options: Room(shape),
    "full": lambda shape, *_options: Room(shape),
    "zeros": lambda shape, *_options: Room(shape, zero=True),
    "empty_like": lambda tensor, *_options: Room(tensor.shape),
    "ones_like": lambda tensor, *_options: Room(tensor.shape),
    "zeros_like": lambda tensor, *_options: Room(tensor.shape, zero=True),
    "infer_size": lambda a, b: Vector(torch.broadcast_shapes(tuple(a), tuple(b))),
    "has_value": _optional,
    "value": lambda value: value,
    "value_or": lambda value, other: value if _optional(value) else other,
    "static_cast": lambda value: value,
    "dtype": lambda _kind: Anything(),
    "ceil": math.ceil,
    "TensorList": lambda value: value,
    "IntArrayRef": lambda value: value,
    "ConvertType": lambda value: value,
    "ConvertTensorToAclScaler": lambda value: value,
}


@dataclass(frozen=True)
class Ran:
    """Arguments of the kernel call, and what the binding returns; None when that depends on values."""

    arguments: list[Any]
    returned: list[Any] | None

    def position(self, argument: int, lists: Sequence[int] = ()) -> int:
        """Which of the returned values is argument `argument` of the call, -1 for none.

        The tensors of an argument in `lists` are one value, as they are in the model.
        """
        given = self.arguments[argument]
        members = {id(_owner(v)): at for at in lists if at < len(self.arguments) for v in _members(self.arguments[at])}
        place, last = -1, None
        for value in self.returned or ():
            part_of = members.get(id(_owner(value)))
            place += part_of is None or part_of != last
            last = part_of
            if _owner(value) is given.owner:
                return place
        return -1


def _owner(value):
    return value.owner if isinstance(value, Room) else value


def _members(value):
    return value if isinstance(value, list) else [value]


def run(functions: str, name: str, arguments: list[Any]) -> Ran | None:
    """Follow the function `name` of `functions`; None when it needs more than is defined here."""
    calls: list[list[Any]] = []
    names: dict[str, Any] = {**NAMES, "npu_call": lambda *given: calls.append(list(given))}
    returned = None
    try:
        exec(functions, names)  # noqa: S102 - the task's own code, put into Python by the importer
        returned = names[name](*(_plain(argument) for argument in arguments))
    except Exception:  # noqa: BLE001 - anything the few names above do not cover
        if len(calls) != 1:
            return None
    if len(calls) != 1:
        return None
    return Ran(calls[0], list(returned) if isinstance(returned, list) else [returned] if returned else None)
