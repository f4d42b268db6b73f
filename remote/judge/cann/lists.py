"""How a kernel receives a list of tensors: the address of a descriptor in global memory.

The descriptor is made of 64-bit words: the byte offset of the table of addresses; for every tensor one word
with its number of dimensions (low half) and its place in the list (high half), then its dimensions; the
table of addresses. A package's aclnn function makes it inside CANN; a launch has to bring its own.

Source: Ascend C guide, "dynamic input operators", kernel launch; API `ListTensorDesc`.
"""

from __future__ import annotations

from collections.abc import Sequence

WORD = 8


def list_head(shapes: Sequence[Sequence[int]]) -> list[int]:
    """The words of a descriptor that come before the table of addresses."""
    words = [0]
    for place, shape in enumerate(shapes):
        words += [place << 32 | len(shape), *shape]
    words[0] = WORD * len(words)
    return words
