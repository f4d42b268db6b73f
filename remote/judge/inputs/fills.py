"""Inputs of a test case from its description and seed: the same bytes on every machine.

Random bits come from torch's Mersenne Twister (integers, the same everywhere); everything after that is exact
or correctly rounded arithmetic on float64, so no library's `log` or `cos` can make two hosts differ.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from core.operators.spec import InputSpec, TestCase
from remote.judge.inputs.case_data import WIDTHS

DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in WIDTHS}

_CALL = re.compile(r"(\w+)\(([^)]*)\)")
_AND_IN, _PLACE = " and in ", re.compile(r"(?:(\d+)@)?(\d+):(\d+)")
_BY = re.compile(r"by (\w+): (.*)")
_WHOLE = re.compile(r"[+-]?\d+")
# Numbers that are worked out one by one; where a tensor has more, others are drawn from these.
_TABLE = 1 << 16
_FINE = 2.0**-20  # between neighbours of a normal number that came from the table
_PIECE_BITS = 15
_PIECES = 4
# Consecutive integers that a dtype holds exactly; `arange` starts again after them.
_EXACT = {
    torch.float16: 2048,
    torch.bfloat16: 256,
    torch.float32: 1 << 24,
    torch.int8: 128,
    torch.uint8: 256,
    torch.int16: 1 << 15,
    torch.bool: 2,
}


@dataclass(frozen=True)
class GivenTensor:
    """One input as it lies in memory.

    Attributes:
        name: Name in the interface.
        logical: What the reference sees (a view of `storage` when the layout is not contiguous).
        storage: Contiguous tensor holding the memory that is handed over.
        strides: Strides of `logical` in elements; empty when it is contiguous.
    """

    name: str
    logical: torch.Tensor
    storage: torch.Tensor
    strides: tuple[int, ...]


def round_once(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Round float64 `values` to `dtype` with a single rounding (to nearest, ties to even).

    torch converts float64 to the 16-bit types through float32, which rounds twice. Rounding to odd first
    makes the second rounding exact, because float32 has more than two bits to spare.
    """
    if values.dtype != torch.float64 or dtype not in (torch.float16, torch.bfloat16):
        return values.to(dtype)
    single = values.float()
    exact = single.double()
    inexact = values.isfinite() & (exact != values)
    toward_zero = torch.where(
        exact.abs() > values.abs(),
        torch.nextafter(single, torch.zeros_like(single)),
        single,
    )
    odd = (toward_zero.view(torch.int32) | 1).view(torch.float32)
    return torch.where(inexact, odd, single).to(dtype)


def make_inputs(operator: str, case: TestCase) -> dict[str, list[GivenTensor]]:
    """All inputs of `case`: per name one tensor, or several for a tensor list.

    Args:
        operator: Name of the operator, part of every seed.
        case: `name`, `seed` and `inputs` (name -> shape, dtype, fill, layout, count, shapes).
    """
    inputs: dict[str, list[GivenTensor]] = {}
    for name, spec in case.inputs.items():
        by = _BY.fullmatch(spec.fill)
        key = f"/{by[1]}" if by else ""
        own = replace(spec, fill=by[2]) if by else spec
        tensors = []
        for index, shape in enumerate(spec.all_shapes):
            stream = f"{operator}/{case.name}/{name}/{index}/{case.seed}{key}"
            generator = _generator(stream)
            tensors.append(_make_input(name, index, shape, own, generator))
        inputs[name] = tensors
    return inputs


def case_generator(operator: str, case: TestCase, name: str) -> torch.Generator:
    """Generator for what else is made of a case, e.g. by its reference file; `name` keeps streams apart."""
    return _generator(f"{operator}/{case.name}/{name}/0/{case.seed}")


def _generator(stream: str) -> torch.Generator:
    digest = hashlib.sha256(stream.encode()).digest()
    generator = torch.Generator()
    generator.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return generator


def _make_input(
    name: str,
    index: int,
    shape: tuple[int, ...],
    spec: InputSpec,
    generator: torch.Generator,
) -> GivenTensor:
    dtype = DTYPES[spec.dtype]

    def filled(memory_shape: Sequence[int]) -> torch.Tensor:
        return fill_tensor(memory_shape, dtype, spec.fill, generator, index)

    if spec.layout == "transposed" and len(shape) >= 2:
        storage = filled((*shape[:-2], shape[-1], shape[-2]))
        logical = storage.transpose(-1, -2)
    elif spec.layout == "strided" and len(shape) >= 1:
        storage = filled((*shape[:-1], shape[-1] * 2))
        logical = storage[..., ::2]
    elif spec.strides and 0 not in shape:
        steps = zip(spec.strides, shape, strict=True)
        last = sum(stride * (size - 1) for stride, size in steps)
        storage = filled((last + 1,))
        logical = storage.as_strided(shape, spec.strides)
    else:
        storage = filled(shape)
        return GivenTensor(name, storage, storage, ())
    return GivenTensor(name, logical, storage, tuple(logical.stride()))


def fill_tensor(
    shape: Sequence[int],
    dtype: torch.dtype,
    fill: str,
    generator: torch.Generator,
    index: int = 0,
) -> torch.Tensor:
    """A contiguous tensor of `shape` filled as `fill` says (see `InputSpec.fill`), the `index`-th of its list.

    Raises:
        ValueError: Unknown fill.
    """
    usual, divided, places = fill.rpartition(_AND_IN)
    if divided:
        return _filled_apart(shape, dtype, usual, places, generator, index)
    count = math.prod(shape)
    name, arguments = _name_and_arguments(fill)
    is_large = count > _TABLE and dtype.is_floating_point
    # To work out each of many numbers by itself takes twenty times as long.
    if is_large and name == "uniform" and dtype == torch.float32:
        least, most = map(float, arguments)
        filled = _many_uniform(count, least, most, generator)
    elif is_large and name in ("uniform", "normal"):
        filled = _many_from_table(count, dtype, fill, generator)
    else:
        values = _fill_values(count, dtype, fill, generator)
        filled = _cast(values, dtype)
    return filled.reshape(tuple(shape))


def _many_uniform(
    count: int, least: float, most: float, generator: torch.Generator
) -> torch.Tensor:
    """Numbers of a range as float32, of 32 random bits each, `_TABLE` at a time."""
    values = torch.empty(count, dtype=torch.float32)
    for part in torch.split(values, _TABLE):
        share = _bits(len(part), torch.int32, generator).double()
        share.mul_(2.0**-32)
        share.add_(0.5)
        part.copy_(share.mul_(most - least).add_(least))
    return values


def _many_from_table(
    count: int, dtype: torch.dtype, fill: str, generator: torch.Generator
) -> torch.Tensor:
    """Numbers of a fill, drawn from `_TABLE` that are worked out."""
    table = _cast(_fill_values(_TABLE, dtype, fill, generator), dtype)
    values = torch.empty(count, dtype=dtype)
    for part in torch.split(values, _TABLE):
        places = _bits(len(part), torch.int16, generator).to(torch.int32)
        places.add_(_TABLE >> 1)
        torch.index_select(table, 0, places, out=part)
        if dtype == torch.float32:  # which has more numbers than the table
            fine = _bits(len(part), torch.int16, generator).float()
            part.add_(fine, alpha=_FINE)
    return values


def _bits(count: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Integers of a dtype from its least to its greatest."""
    each = 8 // dtype.itemsize
    words = torch.empty(math.ceil(count / each), dtype=torch.int64)
    return words.random_(-(1 << 63), None, generator=generator).view(dtype)[:count]


def _fill_values(
    count: int, dtype: torch.dtype, fill: str, generator: torch.Generator
) -> torch.Tensor:
    """The values of a fill before they are rounded, float64 or int64.

    Raises:
        ValueError: Unknown fill.
    """
    name, arguments = _name_and_arguments(fill)
    match name:
        case "integers":
            low, high = (int(float(argument)) for argument in arguments)
            return _random(count, high, generator, low=low)
        case "values":
            return _listed(arguments)
        case "constant":
            return torch.full((count,), float(arguments[0]), dtype=torch.float64)
        case "arange":
            period = _EXACT.get(dtype, 1 << 31)
            return torch.arange(count, dtype=torch.int64) % period
        case "signs":
            signs = torch.tensor([-1.0, 1.0, -1.0, 0.0], dtype=torch.float64)
            return signs[_random(count, len(signs), generator)]
        case "uniform":
            least, most = (float(argument) for argument in arguments)
            # 52 random bits are a float64 in [0, 1) without rounding.
            share = _random(count, 1 << 52, generator).double() * 2.0**-52
            return least + (most - least) * share
        case "normal":
            mean, deviation = map(float, arguments or ("0", "1"))
            return _normal(count, generator).mul_(deviation).add_(mean)
        case "special":
            return _special(count, dtype, generator)
    raise ValueError(f"unknown fill {fill!r}")


def _name_and_arguments(fill: str) -> tuple[str, list[str]]:
    """`uniform(0, 1)` as its name and its arguments."""
    call = _CALL.fullmatch(fill)
    if call is None:
        return fill, []
    return call[1], [argument.strip() for argument in call[2].split(",")]


def _listed(arguments: Sequence[str]) -> torch.Tensor:
    """The numbers of the fill `values`; whole ones as int64, which float64 cannot hold beyond 2**53."""
    if all(_WHOLE.fullmatch(argument) for argument in arguments):
        whole = [int(argument) for argument in arguments]
        return torch.tensor(whole, dtype=torch.int64)
    numbers = [float(argument) for argument in arguments]
    return torch.tensor(numbers, dtype=torch.float64)


def fill_by(key: str, fill: str) -> str:
    """The fill with numbers that a key, a word, draws beside the seed of the case."""
    return f"by {key}: {fill}"


def fill_apart(
    fill: str, places: Mapping[int | None, Sequence[tuple[int, int]]], other: str
) -> str:
    """The fill that is `fill` but for some elements, that are `other`.

    Args:
        fill: Of the tensors elsewhere.
        places: Number of a tensor in its list, None for each -> elements, from the first to the one behind the
            last.
        other: Of these elements.
    """
    ranges = [
        f"{first}:{end}" if tensor is None else f"{tensor}@{first}:{end}"
        for tensor, elements in places.items()
        for first, end in elements
    ]
    return f"{fill}{_AND_IN}{' '.join(ranges)} {other}"


def _filled_apart(
    shape: Sequence[int],
    dtype: torch.dtype,
    usual: str,
    places: str,
    generator: torch.Generator,
    index: int,
) -> torch.Tensor:
    """A tensor as `fill_apart` describes it; elsewhere it is as without."""
    *ranges, other = places.split()
    filled = fill_tensor(shape, dtype, usual, generator, index).flatten()
    for tensor, first, end in _PLACE.findall(" ".join(ranges)):
        if tensor in ("", str(index)):
            part = filled[int(first) : int(end)]
            part.copy_(fill_tensor(part.shape, dtype, other, generator))
    return filled.reshape(tuple(shape))


def _random(
    count: int, high: int, generator: torch.Generator, *, low: int = 0
) -> torch.Tensor:
    """Integers from `low` up to below `high`, int64."""
    return torch.randint(low, high, (count,), generator=generator, dtype=torch.int64)


def _normal(count: int, generator: torch.Generator) -> torch.Tensor:
    """Mean 0, variance 1: the sum of twelve uniform numbers, exact in integers, within +-6."""
    total = torch.zeros(count, dtype=torch.int64)
    # Everything below works in place, because taking memory is what costs time.
    bits = torch.empty_like(total)
    piece = torch.empty_like(total)
    for _ in range(12 // _PIECES):
        bits.random_(0, 1 << (_PIECE_BITS * _PIECES), generator=generator)
        for _piece in range(_PIECES):
            total += torch.bitwise_and(bits, (1 << _PIECE_BITS) - 1, out=piece)
            bits >>= _PIECE_BITS
    # A last random part below the grid of the sum, so that mantissas are full.
    fine = bits.random_(0, 1 << 30, generator=generator).double().mul_(2.0**-30)
    values = total.double()
    values.add_(fine)
    values.add_(5.5)
    values.mul_(2.0**-_PIECE_BITS)
    return values.sub_(6.0)


def _special(
    count: int, dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    """Normal numbers, a quarter of them replaced by infinities, NaN, zeros, subnormals and extremes."""
    values = _normal(count, generator)
    if not dtype.is_floating_point:
        return values
    info = torch.finfo(dtype)
    subnormal = info.smallest_normal * info.eps
    special = [math.inf, -math.inf, math.nan, 0.0, -0.0, subnormal, -subnormal]
    special += [info.smallest_normal, -info.smallest_normal, info.max, info.min]
    special += [info.eps, 1.0, -1.0]
    table = torch.tensor(special, dtype=torch.float64)
    choices = _random(count, 4 * len(table), generator)
    return torch.where(choices < len(table), table[choices % len(table)], values)


def _cast(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if dtype == torch.bool:
        return values.long() % 2 != 0 if not values.is_floating_point() else values > 0
    if dtype.is_floating_point:
        return round_once(values.double(), dtype)
    if dtype.is_complex:  # the numbers, each with its neighbour as imaginary part
        parts = round_once(values.double(), torch.float32)
        return torch.complex(parts, parts.roll(1))
    if values.is_floating_point():
        info = torch.iinfo(dtype)
        values = values.nan_to_num(0.0).clamp(info.min, info.max).round()
    return values.to(dtype)
