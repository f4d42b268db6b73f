"""Which bytes count as written after an instruction, against what numpy says it wrote.

Forms are drawn at random: masks as counts and as bits, strides of blocks and repeats, padding, and sources of
which single elements were never written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
import torch

from tests.twin.harness import Library, build

BYTES, BLOCK, REPEAT = 4096, 32, 256
ROUNDED = 128  # lanes in a row that a count rounded up to whole repeats cannot add
FORMS = 12  # of every instruction
Flags = np.ndarray  # one for every byte of a tensor


@pytest.fixture(scope="module")
def library() -> Library:
    return build("shadow")


@dataclass(frozen=True)
class Form:
    """One instruction: `count` or `bits` of lanes, repeats, and strides in blocks."""

    by_bits: bool
    count: int
    bits: int
    repeats: int
    dst_block: int
    dst_repeat: int
    src_block: int
    src_repeat: int

    @property
    def parameters(self) -> list[float]:
        words = [self.bits >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)]
        strides = [self.dst_block, self.dst_repeat, self.src_block, self.src_repeat]
        return [int(self.by_bits), self.count, *words, self.repeats, *strides]

    def lanes(self, width: int) -> Iterator[tuple[int, int]]:
        """Repeat and lane of every active lane, elements being `width` bytes at most."""
        for repeat in range(self.repeats):
            for lane in range(REPEAT // width):
                active = self.bits >> lane & 1 if self.by_bits else lane < self.count
                if active:
                    yield repeat, lane


def place(repeat: int, lane: int, width: int, block: int, step: int) -> slice:
    """The bytes of a lane of an operand."""
    per_block = BLOCK // width
    start = (repeat * step + lane // per_block * block) * BLOCK
    start += lane % per_block * width
    return slice(start, start + width)


def drawn(random: Random, width: int) -> Form:
    """Any form whose result does not overlap itself."""
    lanes = REPEAT // width
    dst_block = random.choice((1, 1, 2, 3))
    src_block = random.choice((0, 1, 1, 2))
    by_bits = random.random() < 0.5
    thin = random.getrandbits(lanes) & random.getrandbits(lanes) or 1
    return Form(
        by_bits,
        random.randint(1, lanes),
        random.choice((thin, random.getrandbits(lanes) or 1, int("01" * 64, 2))),
        random.randint(1, 3),
        dst_block,
        7 * dst_block + 1 + random.randint(0, 3),
        src_block,
        random.choice((0, 4, 8, 11)),
    )


def read_flags(
    flags: Flags, form: Form, widest: int, width: int, block: int, step: int
) -> dict[tuple[int, int], bool]:
    """For every active lane whether the operand had it written; all of them where the twin reports it."""
    return settled(
        {
            (repeat, lane): bool(flags[place(repeat, lane, width, block, step)].all())
            for repeat, lane in form.lanes(widest)
        },
        REPEAT // widest,
    )


def settled(
    lanes: dict[tuple[int, int], bool], per_repeat: int
) -> dict[tuple[int, int], bool]:
    """The lanes after the finding that a source of nothing but unwritten lanes gets."""
    missing = [r * per_repeat + lane for (r, lane), whole in lanes.items() if not whole]
    longest = run = 0
    for at, number in enumerate(missing):
        run = run + 1 if at and number == missing[at - 1] + 1 else 1
        longest = max(longest, run)
    if missing and (len(missing) == len(lanes) or longest >= ROUNDED):
        return dict.fromkeys(lanes, True)
    return lanes


def by_lane(dst: int, src: int, sources: int = 1) -> Callable[..., Flags]:
    """Elements of `dst` bytes, each made of the same lane of sources with `src` bytes."""
    widest = max(dst, src)

    def model(form: Form, a: Flags, b: Flags) -> Flags:
        strides = [(form.src_block, form.src_repeat), (1, 8)]
        read = [
            read_flags(flags, form, widest, src, *stride)
            for flags, stride in list(zip((a, b), strides, strict=True))[:sources]
        ]
        written = np.zeros(BYTES, bool)
        for repeat, lane in form.lanes(widest):
            target = place(repeat, lane, dst, form.dst_block, form.dst_repeat)
            written[target] = all(lanes[repeat, lane] for lanes in read)
        return written

    return model


def by_count(dst: int, src: int) -> Callable[..., Flags]:
    """The first `count` elements, back to back."""

    def model(form: Form, a: Flags, _b: Flags) -> Flags:
        lanes = {
            (0, i): bool(a[i * src : (i + 1) * src].all()) for i in range(form.count)
        }
        lanes = settled(lanes, REPEAT // max(dst, src))
        written = np.zeros(BYTES, bool)
        for (_, i), whole in lanes.items():
            written[i * dst : (i + 1) * dst] = whole
        return written

    return model


def results(width: int, number: int) -> Callable[..., Flags]:
    """`number` results of every repeat; the distance counts them."""

    def model(form: Form, _a: Flags, _b: Flags) -> Flags:
        written = np.zeros(BYTES, bool)
        for repeat in range(form.repeats):
            start = repeat * form.dst_repeat * number * width
            written[start : start + number * width] = True
        return written

    return model


def compared(form: Form, a: Flags, b: Flags) -> Flags:
    """Bits of whole repeats; a byte with a bit of unwritten elements is unwritten."""
    strides = [(form.src_block, form.src_repeat), (1, 8)]
    written = np.zeros(BYTES, bool)
    written[: form.repeats * 8] = True
    for flags, stride in zip((a, b), strides, strict=True):
        for (repeat, lane), whole in read_flags(flags, form, 4, 4, *stride).items():
            if not whole:
                written[repeat * 8 + lane // 8] = False
    return written


def selected(form: Form, a: Flags, b: Flags) -> Flags:
    """A lane is written where its element and the byte with its bit are."""
    elements = read_flags(a, form, 4, 4, form.src_block, form.src_repeat)
    bits = settled(
        {(r, lane): bool(b[r * 8 + lane // 8]) for r, lane in form.lanes(4)}, 64
    )
    written = np.zeros(BYTES, bool)
    for repeat, lane in form.lanes(4):
        target = place(repeat, lane, 4, form.dst_block, form.dst_repeat)
        written[target] = elements[repeat, lane] and bits[repeat, lane]
    return written


def blocks_of_repeats(form: Form, _a: Flags, _b: Flags) -> Flags:
    """Eight whole blocks of every repeat."""
    written = np.zeros(BYTES, bool)
    for repeat in range(form.repeats):
        for block in range(8):
            start = (repeat * form.dst_repeat + block * form.dst_block) * BLOCK
            written[start : start + BLOCK] = True
    return written


def gathered(form: Form, a: Flags, _b: Flags) -> Flags:
    written = np.zeros(BYTES, bool)
    for repeat, lane in form.lanes(4):
        start = 4 * (((repeat * 64 + lane) * 37 + 5) % 1024)
        target = place(repeat, lane, 4, 1, form.dst_repeat)
        written[target] = a[start : start + 4].all()
    return written


def picked(form: Form, _a: Flags, _b: Flags) -> Flags:
    """Every fourth element of every repeat, one behind the other."""
    written = np.zeros(BYTES, bool)
    written[: form.repeats * 16 * 4] = True
    return written


def rows(form: Form, _a: Flags, _b: Flags) -> Flags:
    """`repeats` rows of `count` blocks, with `dst_block` blocks between them."""
    written = np.zeros(BYTES, bool)
    for row in range(form.repeats):
        start = row * (form.count + form.dst_block) * BLOCK
        written[start : start + form.count * BLOCK] = True
    return written


def padded_rows(form: Form, _a: Flags, _b: Flags) -> Flags:
    """Rows of `count` elements with padding on both sides, in whole blocks."""
    elements = form.dst_repeat + form.count + form.src_repeat
    whole = -(-elements * 2 // BLOCK) * BLOCK
    written = np.zeros(BYTES, bool)
    for row in range(form.repeats):
        start = row * (whole + form.dst_block * BLOCK)
        written[start : start + whole] = True
    return written


def sorted_pairs(form: Form, _a: Flags, _b: Flags) -> Flags:
    written = np.zeros(BYTES, bool)
    written[: form.repeats * 32 * 8] = True
    return written


def turned(_form: Form, _a: Flags, _b: Flags) -> Flags:
    written = np.zeros(BYTES, bool)
    written[:512] = True
    return written


def rows_to_columns(form: Form, a: Flags, _b: Flags) -> Flags:
    """Sixteen rows of eight become eight of sixteen, each over two target rows."""
    written = np.zeros(BYTES, bool)
    for repeat in range(form.repeats):
        source, target = (
            repeat * form.src_repeat * BLOCK,
            repeat * form.dst_repeat * BLOCK,
        )
        for row in range(16):
            for column in range(8):
                start = source + row * BLOCK + column * 4
                to = target + (2 * column + row // 8) * BLOCK + row % 8 * 4
                written[to : to + 4] = a[start : start + 4].all()
    return written


# Model, bytes of the widest element, share of unwritten elements of the sources.
INSTRUCTIONS: dict[str, tuple[Callable[..., Flags], int, float]] = {
    "adds_float": (by_lane(4, 4), 4, 0.1),
    "adds_half": (by_lane(2, 2), 2, 0.1),
    "adds_count": (by_count(4, 4), 4, 0.1),
    "add_float": (by_lane(4, 4, 2), 4, 0.1),
    "add_half": (by_lane(2, 2, 2), 2, 0.1),
    "cast_wide": (by_lane(4, 2), 4, 0.1),
    "cast_narrow": (by_lane(2, 4), 4, 0.1),
    "cast_count": (by_count(4, 2), 4, 0.1),
    "copy": (by_lane(4, 4), 4, 0.1),
    "duplicate": (by_lane(2, 2, 0), 2, 0.0),
    "fill_index": (by_lane(4, 4, 0), 4, 0.0),
    "whole_sum": (results(4, 1), 4, 0.0),
    "whole_max": (results(2, 2), 2, 0.0),
    "block_max": (results(4, 8), 4, 0.0),
    "pair_sum": (results(2, 64), 2, 0.0),
    "compare": (compared, 4, 0.1),
    "select": (selected, 4, 0.1),
    "brcb": (blocks_of_repeats, 2, 0.0),
    "gather": (gathered, 4, 0.1),
    "gather_blocks": (blocks_of_repeats, 2, 0.0),
    "gather_mask": (picked, 4, 0.0),
    "copy_rows": (rows, 2, 0.0),
    "copy_in": (rows, 2, 0.0),
    "copy_in_padded": (padded_rows, 2, 0.0),
    "sort": (sorted_pairs, 4, 0.0),
    "transpose": (turned, 2, 0.0),
    "rows_to_columns": (rows_to_columns, 4, 0.1),
}


def form_for(instruction: str, random: Random, width: int) -> Form:
    """A form the instruction has."""
    form = drawn(random, width)
    changed = dict(vars(form))
    if instruction.endswith("_count"):
        changed["count"] = random.randint(1, 500)
    if instruction in ("copy_rows", "copy_in"):
        changed["count"] = random.randint(1, 12)
    if instruction == "copy_in_padded":
        changed["count"] = random.randint(1, 60)
        changed["dst_repeat"] = random.randint(0, 3)
        changed["src_repeat"] = random.randint(0, 12)
    if instruction in ("block_max", "pair_sum", "whole_sum", "whole_max"):
        changed["dst_repeat"] = random.randint(1, 4)
        changed["by_bits"] = False
    if instruction == "rows_to_columns":
        changed["dst_repeat"], changed["src_repeat"] = 16, 17
    if instruction == "gather":
        changed["dst_repeat"] = random.randint(8, 11)
    return Form(**changed)


def sources(random: Random, width: int, unwritten: float) -> Flags:
    """Which bytes of a source are written: whole elements, `unwritten` of them not."""
    elements = [random.random() >= unwritten for _ in range(BYTES // width)]
    return np.repeat(np.array(elements, bool), width)


@pytest.mark.parametrize("instruction", list(INSTRUCTIONS))
def test_written_bytes_are_those_the_instruction_wrote(
    library: Library, instruction: str
) -> None:
    model, width, unwritten = INSTRUCTIONS[instruction]
    of_source = {"cast_wide": 2, "cast_count": 2}.get(instruction, width)
    random = Random(instruction)
    for _ in range(FORMS):
        form = form_for(instruction, random, width)
        a, b = (sources(random, of_source, unwritten) for _ in range(2))
        out = torch.zeros(BYTES, dtype=torch.uint8)
        inputs = [torch.from_numpy(flags.astype(np.uint8)) for flags in (a, b)]
        data = torch.ones(BYTES, dtype=torch.float16)
        library.run(instruction, inputs, [out, data], form.parameters)
        expected = model(form, a, b)
        different = np.flatnonzero(out.numpy().astype(bool) != expected)
        assert not different.size, (form, different[:8])
